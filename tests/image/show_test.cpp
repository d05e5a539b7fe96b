#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/image/load_image.hpp>
#include <purview/image/show.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <string>

namespace show_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// What a picture of a tensor has, read again.
template <typename... Options>
pv::AnyTensor shown(const pv::AnyTensor& tensor, const Options&... options) {
    const temporary::Folder folder;
    const std::string path = folder / "x.png";
    pv::show(tensor, path, options...);
    CHECK(folder.file_count() == 1);
    return pv::load_image(path);
}

std::vector<std::uint8_t> levels(const pv::AnyTensor& picture) {
    return pv::to_vector(picture.as<std::uint8_t>());
}

} // namespace

TEST_CASE("show: numbers are grey from the least to the greatest") {
    const pv::AnyTensor picture = shown(pv::tensor({{-1.0, 0.0}, {1.0, 3.0}}));
    CHECK(picture.shape() == pv::Shape{2, 2});
    CHECK(levels(picture) == std::vector<std::uint8_t>{0, 64, 128, 255});
    CHECK(levels(shown(pv::tensor({{10, 20, 30}}))) == std::vector<std::uint8_t>{0, 128, 255});
    CHECK(levels(shown(pv::tensor({{true, false}}))) == std::vector<std::uint8_t>{255, 0});
    CHECK(levels(shown(pv::tensor({{5, 5}}))) == std::vector<std::uint8_t>{0, 0});
    CHECK(levels(shown(pv::tensor({{10, 20}}), pv::gradients::grey,
                       pv::ColorRange{.low = 0, .high = 20})) ==
          std::vector<std::uint8_t>{128, 255});
}

TEST_CASE("show: expressions and views are evaluated") {
    const auto x = pv::arange(6) | pv::reshape({2, 3});
    CHECK(levels(shown(x * 2 | pv::transpose({1, 0}))) ==
          std::vector<std::uint8_t>{0, 153, 51, 204, 102, 255});
}

TEST_CASE("show: in colours") {
    const pv::AnyTensor picture = shown(pv::tensor({{0.0, 1.0}}), pv::gradients::viridis);
    CHECK(picture.shape() == pv::Shape{1, 2, 3});
    const pv::Color first = pv::gradients::viridis.colors().front();
    const pv::Color last = pv::gradients::viridis.colors().back();
    CHECK(levels(picture) == std::vector<std::uint8_t>{first.red, first.green, first.blue, last.red,
                                                       last.green, last.blue});
}

TEST_CASE("show: NaN is transparent") {
    const pv::AnyTensor picture = shown(pv::tensor({{0.0, kNan, 1.0}}));
    REQUIRE(picture.shape() == pv::Shape{1, 3, 4});
    const auto pixels = levels(picture);
    CHECK(pixels[3] == 255);
    CHECK(pixels[7] == 0);
    CHECK(pixels[8] == 255);
    CHECK(pixels[11] == 255);
}

TEST_CASE("show: colours are written as they are") {
    for (const pv::index_t channels : {3, 4}) {
        const auto x = pv::cast<std::uint8_t>(pv::arange(2 * 3 * channels)) |
                       pv::reshape({pv::index_t{2}, pv::index_t{3}, channels});
        const pv::AnyTensor picture = shown(x);
        CHECK(picture.shape() == pv::Shape{2, 3, channels});
        CHECK(levels(picture) == pv::to_vector(x));
    }
}

TEST_CASE("show: what is no picture is refused") {
    CHECK_THROWS_AS(shown(pv::arange(3)), pv::ShapeError);
    CHECK_THROWS_AS(shown(pv::tensor(1.0)), pv::ShapeError);
    CHECK_THROWS_AS(shown(pv::zeros({2, 2, 3})), pv::ShapeError);
    CHECK_THROWS_WITH(shown(pv::zeros({2, 2, 2, 2})),
                      ContainsSubstring("show: a picture has the shape") &&
                          ContainsSubstring("not [2 2 2 2] of float64"));
    CHECK_THROWS_AS(shown(pv::zeros({0, 2})), pv::ShapeError);
    CHECK_THROWS_AS(shown(pv::tensor({{"a", "b"}})), pv::DtypeError);
    CHECK_THROWS_AS(shown(pv::tensor({{std::complex<double>(1, 2)}})), pv::DtypeError);
    CHECK_THROWS_AS(pv::show(pv::zeros({2, 2}), "/no/such/folder/x.png"), pv::FormatError);
}

} // namespace show_test
