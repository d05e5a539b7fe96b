#include "gpu/devices.hpp"

#include <tensors/kernel_files.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {
using detail_files = purview::gpu::detail::KernelFiles;
namespace fs = std::filesystem;

std::vector<std::byte> bytes_of(std::size_t n, int seed) {
    std::vector<std::byte> bytes(n);
    for (std::size_t i = 0; i < n; ++i)
        bytes[i] = static_cast<std::byte>(i * 7 + static_cast<std::size_t>(seed));
    return bytes;
}

struct Folder {
    fs::path path = fs::temp_directory_path() / ("purview_kernels_" + std::to_string(std::rand()));
    Folder() { fs::remove_all(path); }
    ~Folder() { fs::remove_all(path); }
};

TEST_CASE("compiled kernels are kept in files, and damaged ones are not read") {
    const Folder folder;
    detail_files files(folder.path.string(), 3000);
    CHECK(files.why_not().empty());
    const std::string name = detail_files::name_of("source", "compiler");
    CHECK(name != detail_files::name_of("sourc", "ecompiler"));
    CHECK(name.size() == 32);
    CHECK_FALSE(files.read(name));
    const auto binary = bytes_of(1000, 1);
    files.write(name, binary);
    CHECK(files.read(name) == binary);

    const fs::path file = folder.path / name;
    std::ifstream in(file, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    for (std::size_t cut = 0; cut < whole.size(); cut += 13) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, cut);
        CHECK_FALSE(files.read(name));
        std::string flipped = whole;
        flipped[cut] = static_cast<char>(flipped[cut] ^ 4);
        std::ofstream(file, std::ios::binary | std::ios::trunc) << flipped;
        CHECK_FALSE(files.read(name));
    }
    // Beyond the limit the oldest goes.
    files.write(name, binary);
    const auto now = fs::file_time_type::clock::now();
    fs::last_write_time(file, now - std::chrono::hours(2));
    files.write(detail_files::name_of("2", ""), binary);
    files.write(detail_files::name_of("3", ""), binary);
    CHECK_FALSE(files.read(name));
    CHECK(files.read(detail_files::name_of("2", "")) == binary);
    CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 2);
}

TEST_CASE("files of others in the folder stay") {
    const Folder folder;
    fs::create_directories(folder.path);
    const char* const others[] = {"thesis.txt", "6a54db5fa3b2da87e3d6213a931ecb4f.txt", "2026"};
    for (const char* const other : others) {
        std::ofstream(folder.path / other) << std::string(5000, 'x');
        fs::last_write_time(folder.path / other,
                            fs::file_time_type::clock::now() - std::chrono::hours(9));
    }
    detail_files files(folder.path.string(), 3000);
    const std::string name = detail_files::name_of("source", "compiler");
    files.write(name, bytes_of(1000, 1));
    CHECK(files.read(name) == bytes_of(1000, 1)); // nor do they count
    for (const char* const other : others) CHECK(fs::file_size(folder.path / other) == 5000);
    // What a process that ended left aside is the cache's.
    const fs::path aside = folder.path / (name + ".77.1");
    std::ofstream(aside) << std::string(5000, 'x');
    fs::last_write_time(aside, fs::file_time_type::clock::now() - std::chrono::hours(9));
    files.write(detail_files::name_of("2", ""), bytes_of(1000, 1));
    CHECK_FALSE(fs::exists(aside));
}

TEST_CASE("a folder that cannot be written is no error") {
    detail_files off("");
    CHECK_FALSE(off.why_not().empty());
    off.write("a", bytes_of(3, 1));
    CHECK_FALSE(off.read("a"));
    detail_files nowhere("/proc/no such folder");
    CHECK(nowhere.why_not().find("/proc/no such folder") != std::string::npos);
    nowhere.write("a", bytes_of(3, 1));
    CHECK_FALSE(nowhere.read("a"));
}

} // namespace
