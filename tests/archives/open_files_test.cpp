#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace open_files_test {

namespace pv = purview;
namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

/// How many files of this process have such a name: those that are open, and those that are mapped.
int held(const std::string& name) {
    int count = 0;
    for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        count += fs::read_symlink(entry, gone).string().find(name) != std::string::npos;
    }
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) count += line.find(name) != std::string::npos;
    return count;
}

double sum_of(const pv::Tensor<double>& x) { return pv::sum(pv::where(pv::is_nan(x), 0.0, x)); }

TEST_CASE(
    "many files: those whose chunks are read at their addresses are open while they are read alone") {
    const temporary::Folder folder;
    for (const char* const name : {"day0.nc", "day1.nc"})
        fs::copy_file(source_path("tests/archives/data/" + std::string(name)), folder / name);
    const pv::ArchiveFiles files(folder / "*.nc");
    const pv::OpenManyOptions options{.variable = "t2m", .along = "time"};
    const auto check = [&](const pv::StoredArray& stored) {
        const auto kelvin = stored.values.as<double>();
        for (int round = 0; round < 2; ++round) {
            pv::drop_cached_chunks();
            CHECK(sum_of(kelvin) == 3057);
            CHECK(held("day0.nc") + held("day1.nc") == 0);
        }
        return kelvin;
    };
    check(pv::open_many(files, options));
    pv::save_index(folder / "index.json", files, options);
    const auto kelvin = check(pv::open_index(folder / "index.json"));
    // Each time, the file is what it was, or an error.
    std::ofstream(folder / "day1.nc", std::ios::app) << '!';
    pv::drop_cached_chunks();
    CHECK_THROWS_WITH(sum_of(kelvin), ContainsSubstring("day1.nc' has changed"));
    fs::remove(folder / "day0.nc");
    pv::drop_cached_chunks();
    CHECK_THROWS_WITH(sum_of(kelvin), ContainsSubstring("day0.nc' is not there any more"));
}

} // namespace open_files_test
