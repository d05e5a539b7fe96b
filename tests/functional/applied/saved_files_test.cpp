#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/purview.hpp>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

namespace saved_files_test {

namespace pv = purview;
using pv::index_t;

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
        return "computation: version " + version + " was saved; this library reads up to version 3";
    };
    for (const std::string version :
         {"0", "4", "9223372036854775808", "18446744073709551617", "99999999999999999999999"}) {
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

TEST_CASE("views at the ends of what an integer holds are saved as they are") {
    const auto stays = [](const std::string& node, const std::string& output) {
        const std::string text =
            "purview computation, version 1\narguments []\nnodes 1\n%0 = " + node +
            "\nprograms [\nprogram [] [" + output + "]\n]\n";
        CAPTURE(text);
        const auto any = pv::computation_from(text);
        CHECK(pv::computation_text(any) == text);
        CHECK(pv::computation_text(pv::computation_from(pv::computation_bytes(any))) == text);
        return pv::to_vector(any({})[0].as<double>());
    };
    // base, and 2^63 - 1 and 3 or 4 by way of lists
    const std::string lowest = " at -9223372036854775808 with "
                               "[list [9223372036854775807] 1 0] [list [3 4] 1 0]";
    CHECK(stays("tensor float64 4 1 2 3 4", "%0 [1 2] by [1 1]" + lowest + " %0 [1] at 1") ==
          std::vector<double>{3, 4});
    CHECK(stays("sparse float64 4 [2] 3 0", "%0 [1 2] by [1 1]" + lowest) ==
          std::vector<double>{3, 0});
    // Only what is empty sees these.
    CHECK(stays("tensor float64 0", "%0 [0] at 7").empty());
    CHECK(stays("sparse float64 0 [] 1", "%0 [0 3]").empty());
}

TEST_CASE("names of operations that were loaded live as long as what has them") {
    const auto text = [](const std::string& name) {
        return "purview computation, version 1\narguments [float64 [3] int64 [2]]\nnodes 4\n"
               "%0 = argument 0 float64 [3]\n%1 = argument 1 int64 [2]\n%2 = gather \"" +
               name + "\" [2] [at 0] [%0 [3] %1 [2]]\n%3 = pieces \"" + name +
               "\" [4] [[0] [2]] [%2 [2] %2 [2]]\n"
               "programs [\nprogram [%0 %1] [%3 [4]]\n]\n";
    };
    using Signature = pv::MutableTensor<double>(double, index_t);
    const auto x = pv::tensor({1., 2., 4.});
    // However many there have been.
    for (int i = 0; i < 12'000; ++i) pv::computation_from(text("name_" + std::to_string(i)));
    const auto inner = [&] {
        const auto loaded = pv::computation_from(text("a_name_longer_than_what_a_string_holds"));
        return pv::computation(
            [typed = loaded.as<Signature>()](auto s, auto i) {
                const auto y = typed(s * 2.0, i);
                return std::tuple(y, pv::jacobian_vector_product(y, s, pv::ones({3})));
            },
            pv::spec<double>({3}), pv::spec<index_t>({2}));
    }();
    const auto [y, along] = inner(x, pv::tensor<index_t>({2, 0}));
    CHECK(pv::to_vector(y) == std::vector<double>{8, 2, 8, 2});
    CHECK(pv::to_vector(along) == std::vector<double>{2, 2, 2, 2});
    CHECK_THROWS_WITH(inner(x, pv::tensor<index_t>({3, 0})),
                      Catch::StartsWith("a_name_longer_than_what_a_string_holds: index 3"));
    const std::string saved = pv::computation_text(inner);
    CHECK_THAT(saved, Catch::Contains("gather \"a_name_longer_than_what_a_string_holds\""));
    CHECK(pv::computation_text(pv::computation_from(saved)) == saved);
    CHECK_THROWS_AS(pv::computation_from(text("Name")), pv::FormatError);
    CHECK_THROWS_AS(pv::computation_from(text(std::string(61, 'a'))), pv::FormatError);
}

} // namespace saved_files_test
