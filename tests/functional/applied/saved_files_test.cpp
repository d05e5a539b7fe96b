#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <filesystem>
#include <string>

namespace saved_files_test {

namespace pv = purview;

TEST_CASE("folders are neither loaded nor replaced") {
    const temporary::Folder folder;
    const auto c = pv::computation([](auto x) { return pv::sum(x * 2.0); }, pv::spec<double>({3}));
    const std::filesystem::path place = folder / "place";
    std::filesystem::create_directory(place);
    CHECK_THROWS_WITH(pv::load_computation(place),
                      "load_computation: '" + place.string() + "' cannot be read");
    CHECK_THROWS_AS(pv::load_computation(place), pv::FormatError);
    CHECK_THROWS_WITH(pv::save_computation(place, c), "save_computation: '" + place.string() +
                                                          "' cannot be written: it is a folder");
    CHECK_THROWS_AS(pv::save_computation(place, c), pv::FormatError);
    CHECK(folder.file_count() == 1);
    // What cannot be written beside it is not removed either.
    const std::filesystem::path path = folder / "c";
    std::filesystem::create_directory(folder / "c.part");
    CHECK_THROWS_AS(pv::save_computation(path, c), pv::FormatError);
    CHECK(std::filesystem::exists(folder / "c.part"));
    CHECK_THROWS_AS(pv::save_computation(path / "", c), pv::FormatError);
    CHECK_THROWS_AS(pv::save_computation("", c), pv::FormatError);
    CHECK_THROWS_AS(pv::load_computation(""), pv::FormatError);
    CHECK(folder.file_count() == 2);
}

TEST_CASE("versions are named however large they are") {
    const auto message = [](const std::string& version) {
        return "computation: version " + version + " was saved; this library reads up to version 1";
    };
    for (const std::string version :
         {"0", "2", "9223372036854775808", "18446744073709551617", "99999999999999999999999"}) {
        CAPTURE(version);
        CHECK_THROWS_WITH(pv::computation_from("purview computation, version " + version + "\n"),
                          message(version));
    }
    for (const std::string version :
         {"", "\n", "x", "1x", "-1", "1.5", "[", "99999999999999999999x"}) {
        CAPTURE(version);
        CHECK_THROWS_AS(pv::computation_from("purview computation, version " + version),
                        pv::FormatError);
    }
}

TEST_CASE("what was saved before it was called says so") {
    const auto c =
        pv::computation([](auto x) { return pv::sum(x); }, pv::spec<double>({pv::any_size}));
    const auto any = pv::computation_from(pv::computation_bytes(c));
    CHECK(any.output_count() == 0);
    CHECK_THROWS_WITH(
        any({pv::ones({3})}),
        "computation: it was saved with no program, and so with none for [3]: call it "
        "with such shapes before it is saved");
    const auto slope = pv::gradient(any.as<double(double)>());
    CHECK_THROWS_AS(slope(pv::ones({3})), pv::ShapeError);
}

} // namespace saved_files_test
