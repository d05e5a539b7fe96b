#include <purview/functional/elementwise/emap.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/literal.hpp>

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <csignal>
#include <filesystem>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace leftover_files_test {

namespace pv = purview;
namespace fs = std::filesystem;

namespace {

/// A process that is in the middle of writing into a folder, and stays there.
class Writer {
public:
    explicit Writer(const std::string& path) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        process_ = ::fork();
        REQUIRE(process_ >= 0);
        if (process_ == 0) {
            const auto waiting = [out = ends[1]](double x) {
                if (x == 1e5 - 1) {
                    const char here = 'x';
                    while (::write(out, &here, 1) == 1) ::pause();
                }
                return x;
            };
            pv::save_npy(path, pv::emap(waiting, pv::arange<double>(0., 1e5)));
            ::_exit(1);
        }
        char here = 0;
        REQUIRE(::read(ends[0], &here, 1) == 1);
        ::close(ends[0]);
        ::close(ends[1]);
    }
    ~Writer() { kill(); }
    void kill() {
        if (process_ <= 0) return;
        ::kill(process_, SIGKILL);
        ::waitpid(process_, nullptr, 0);
        process_ = 0;
    }
    pid_t process() const { return process_; }

private:
    pid_t process_ = 0;
};

bool has_temporary(const temporary::Folder& folder) {
    for (const auto& entry : fs::directory_iterator(folder / "."))
        if (entry.path().extension() == ".tmp") return true;
    return false;
}

} // namespace

TEST_CASE("what a killed process was writing goes with the next save") {
    const temporary::Folder folder;
    Writer writer(folder / "x.npy");
    REQUIRE(has_temporary(folder));
    writer.kill();
    REQUIRE(has_temporary(folder));
    pv::save_npy(folder / "y.npy", pv::tensor({1., 2.}));
    CHECK_FALSE(has_temporary(folder));
    CHECK(folder.file_count() == 1);
    CHECK(pv::load_npy<double>(folder / "y.npy")(1) == 2.);
}

TEST_CASE("what a process is writing stays, and what is not ours") {
    const temporary::Folder folder;
    const Writer writer(folder / "x.npy");
    const auto name = [&](const std::string& text) { return folder / text; };
    const std::string others[] = {name("a.tmp"), name(".purview-x-1-ab.tmp"),
                                  name(".purview-99999999-1-ab.tmp.npy"),
                                  name(".purview-0-1-ab.tmp")};
    for (const std::string& other : others) temporary::write_file(other, "somebody's");
    fs::create_directory(name(".purview-99999999-1-ab.tmp"));
    temporary::write_file(name("kept"), "somebody's");
    fs::create_symlink("kept", name(".purview-99999999-2-ab.tmp"));
    pv::save_npy(folder / "y.npy", pv::tensor({1., 2.}));
    CHECK(has_temporary(folder));
    CHECK(folder.file_count() == 9);
}

} // namespace leftover_files_test
