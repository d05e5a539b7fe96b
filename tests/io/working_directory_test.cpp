#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <string>
#include <string_view>
#include <vector>

// Relative paths are those of when they were given, wherever the process goes meanwhile.
namespace working_directory_test {
namespace {

namespace pv = purview;
namespace fs = std::filesystem;
using temporary::Folder;

TEST_CASE("a file is saved where it was asked for, though computing it goes elsewhere") {
    const Folder folder;
    const Folder elsewhere;
    const temporary::WorkingDirectory changed(folder / "");
    const auto x = pv::emap(
        [&](pv::index_t i) {
            fs::current_path(elsewhere / "");
            return i + 1;
        },
        pv::arange(3));
    pv::save_npy("a.npy", x);
    CHECK(elsewhere.file_count() == 0);
    CHECK(folder.file_count() == 1);
    CHECK(pv::load_npy<pv::index_t>(folder / "a.npy").read(2) == 3);
}

TEST_CASE("the place of a file that was mapped by a relative path is saved") {
    const Folder folder;
    const Folder elsewhere;
    const temporary::WorkingDirectory changed(folder / "");
    pv::save_npy("a.npy", pv::arange(3));
    const auto mapped = pv::load_npy<int>("a.npy");
    fs::current_path(elsewhere / "");
    const auto c = pv::computation([=](auto x) { return pv::sum(x * mapped); }, pv::spec<int>({3}));
    CHECK_THAT(pv::computation_text(c, {.places = folder / ""}),
               Catch::Contains("= mapped int32 3 \"a.npy\" 128\n"));
}

} // namespace
} // namespace working_directory_test
