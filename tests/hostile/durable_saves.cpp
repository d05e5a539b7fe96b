// Stands in front of fsync and rename: what is saved is on the disk before it takes the place of what was there, and a disk
// that cannot write it leaves that as it was.
#include "hostile/check.hpp"

#include <purview/purview.hpp>
#include <purview/sparse.hpp>
#include <support/temporary.hpp>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

bool disk_fails = false;
std::string
    steps; ///< 's' where a file, 'd' where a folder is synchronised, 'r' where a file is renamed

} // namespace

extern "C" {
int fsync(int file) {
    struct stat status {};
    ::fstat(file, &status);
    const bool is_folder = S_ISDIR(status.st_mode);
    steps += is_folder ? 'd' : 's';
    if (disk_fails && !is_folder) {
        errno = EIO;
        return -1;
    }
    return ::fdatasync(file);
}
int rename(const char* from, const char* to) noexcept {
    steps += 'r';
    return ::renameat(AT_FDCWD, from, AT_FDCWD, to);
}
}

namespace pv = purview;
using hostile::check;

int main() {
    const temporary::Folder folder;
    const auto x = pv::tensor({1., 2., 3.});
    const pv::CooMatrix<double> coo(20, 30, pv::tensor<pv::index_t>({1, 0, 19}),
                                    pv::tensor<pv::index_t>({2, 0, 29}), pv::tensor({5., 4., 1.}));
    struct Save {
        std::string path;
        std::function<void(const std::string&)> run;
    };
    const std::vector<Save> saves{
        {folder / "x.npy", [&](const std::string& path) { pv::save_npy(path, x); }},
        {folder / "x.npz", [&](const std::string& path) { pv::save_npz(path, coo); }},
        {folder / "x.mtx", [&](const std::string& path) { pv::save_mtx(path, coo); }},
    };
    for (const auto& [path, run] : saves) {
        steps.clear();
        run(path);
        check(steps == "srd", "the file, its name, the folder");
        const auto size = std::filesystem::file_size(path);
        disk_fails = true;
        steps.clear();
        hostile::check_throws<pv::Error>([&] { run(path); },
                                         "what is not on the disk is not saved");
        disk_fails = false;
        check(steps == "s", "nothing is renamed");
        check(std::filesystem::file_size(path) == size, "the file is as it was");
    }
    const auto files = std::distance(std::filesystem::directory_iterator(folder / ""), {});
    check(files == static_cast<std::ptrdiff_t>(saves.size()), "no temporary file is left");
    std::puts("ended well");
}
