/// What laziness costs: making a view or an element-wise operation, and dropping it again. No element is
/// read, so that large operands have to take the same time. A second thread is alive all the while.

#include "inputs.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace {

using namespace bench;

template <typename Make>
void add_lazy(const char* name, Make make) {
    for (const pv::index_t scale : {1, 1000}) {
        const std::string size = std::to_string(2 * scale) + "x" + std::to_string(3 * scale);
        add(case_name(name, size, "float64"), [=] {
            keep_second_thread();
            const auto x = random_tensor({2 * scale, 3 * scale}, 1);
            const auto y = random_tensor({2 * scale, 3 * scale}, 2);
            return made([=] { return make(x, y); });
        });
    }
}

/// A file that goes when the program ends.
class TemporaryFile {
public:
    TemporaryFile()
        : path_((std::filesystem::temp_directory_path() / "purview_benchmark.npy").string()) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    ~TemporaryFile() { std::remove(path_.c_str()); }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

const Cases laziness([] {
    add_lazy("handle_copy", [](const auto& x, const auto&) { return x; });
    add_lazy("view_transpose", [](const auto& x, const auto&) {
        return x | pv::transpose({1, 0});
    });
    add_lazy("view_row", [](const auto& x, const auto&) { return x(1, pv::all); });
    add_lazy("view_range", [](const auto& x, const auto&) { return x(pv::all, pv::range(1, 3)); });
    add_lazy("view_rotate", [](const auto& x, const auto&) { return x | pv::rotate({0, 1}); });
    add_lazy("view_broadcast", [](const auto& x, const auto&) {
        return x | pv::broadcast({2 * x.extent(0), x.extent(1)});
    });
    add_lazy("node_add", [](const auto& x, const auto& y) { return x + y; });
    add_lazy("node_add_number", [](const auto& x, const auto&) { return x + 4; });
    add("open_npy/1000x1000/float64", [] {
        const auto file = std::make_shared<TemporaryFile>();
        pv::save_npy(file->path(), random_tensor({1000, 1000}, 1));
        return made([=] { return pv::load_npy<double>(file->path()); });
    });
});

} // namespace
