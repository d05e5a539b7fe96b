#include "hostile/check.hpp"
#include "hostile/corruption.hpp"
#include "hostile/programs.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>
#include <support/temporary.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace pv = purview;

namespace hostile {
void corrupted_files() {
    const temporary::Folder folder;
    const std::string path = folder / "x";
    const auto reads = [&](auto f) {
        return [&path, f](const std::string& bytes) { f(temporary::write_file(path, bytes)); };
    };
    pv::save_npy(path, pv::reshape(pv::arange<double>(0., 24.), {2, 3, 4}));
    feed(temporary::content(path), reads([](const std::string& file) {
             static_cast<void>(pv::sum(pv::cast<double>(pv::load_npy(file))));
         }));
    const pv::CooMatrix<double> coo(20, 30, pv::tensor<pv::index_t>({1, 0, 19}),
                                    pv::tensor<pv::index_t>({2, 0, 29}), pv::tensor({5., 4., 1.}));
    for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
        pv::save_npz(path, pv::to_csr(coo), compression);
        feed(temporary::content(path),
             reads([](const std::string& file) { static_cast<void>(pv::load_npz(file)); }));
    }
    for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
        pv::save_npz(path, {{"x", pv::arange(20.)}, {"flags", pv::tensor({true, false})}},
                     compression);
        const std::string whole = temporary::content(path);
        for (const auto access : {pv::Access::read_only, pv::Access::in_memory})
            feed(whole, reads([access](const std::string& file) {
                     const pv::NpzArchive arrays = pv::load_npz_arrays(file, access);
                     for (const std::string& name : arrays.names())
                         static_cast<void>(pv::sum(pv::cast<double>(arrays[name])));
                 }));
    }
    pv::save_safetensors(
        path, {{"x", pv::arange(5.)}, {"y", pv::ones<float>({2, 3})}, {"flag", pv::tensor({true})}},
        {.metadata = {{"format", "pt"}}});
    feed(temporary::content(path), reads([](const std::string& file) {
             const pv::SafetensorsFile arrays = pv::open_safetensors(file);
             for (const pv::SafetensorsEntry& each : arrays)
                 static_cast<void>(pv::sum(pv::cast<double>(arrays[each.name])));
         }));
    pv::save_mtx(path, coo);
    feed(temporary::content(path),
         reads([](const std::string& file) { static_cast<void>(pv::load_mtx(file)); }));

    const auto set = pv::IndexSet::interval(5, 300'000) | pv::IndexSet{1, pv::index_t{1} << 40};
    const std::vector<std::byte> bytes = set.serialize();
    feed(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
         [](const std::string& text) {
             const auto read = pv::IndexSet::deserialize(std::as_bytes(std::span(text)));
             check(read.empty() || read.select(read.size() - 1) == read.max(), "sets are whole");
         });
}

} // namespace hostile
