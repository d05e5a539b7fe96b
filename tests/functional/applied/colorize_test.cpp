#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_source.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/colorize.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace colorize_test {

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;
namespace gradients = pv::gradients;
using Bytes = std::vector<std::uint8_t>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
void check_against_loops(unsigned seed) {
    INFO("seed " << seed << ", " << pv::kDType<T>.name());
    Random random(seed);
    Twin<T> x = random_source<T>(random, random.shape());
    random_view(random, x.real, x.naive, x.name);
    using F = std::conditional_t<(std::same_as<T, float> || sizeof(T) <= 2), float, double>;
    F low = std::numeric_limits<F>::infinity(), high = -low;
    for (const T value : x.naive.values) {
        const auto number = static_cast<F>(value);
        if (!std::isfinite(number)) continue;
        low = std::min(low, number);
        high = std::max(high, number);
    }
    if (!std::isfinite(low)) low = high = 0;
    const auto real = pv::colorize(x.real, gradients::viridis, {.nan = {1, 2, 3}});
    REQUIRE(real.dtype() == pv::uint8);
    const Bytes bytes = pv::to_vector(real);
    REQUIRE(bytes.size() == 3 * x.naive.values.size());
    const F scale =
        high > low ? static_cast<F>(256 / (static_cast<double>(high) - static_cast<double>(low)))
                   : F{0};
    for (std::size_t i = 0; i < x.naive.values.size(); ++i) {
        const F place = (static_cast<F>(T(x.naive.values[i])) - low) * scale;
        const pv::Color expected =
            std::isnan(static_cast<F>(T(x.naive.values[i])))
                ? pv::Color{1, 2, 3}
                : gradients::viridis.colors()[static_cast<std::size_t>(
                      std::isnan(place) ? F{0} : std::clamp(place, F{0}, F{255}))];
        CHECK(pv::Color{bytes[3 * i], bytes[3 * i + 1], bytes[3 * i + 2]} == expected);
    }
}

} // namespace

TEST_CASE("Gradients have the colours of their sources") {
    const auto ends = [](const pv::Gradient& gradient) {
        return std::array{gradient.colors()[0], gradient.colors()[127], gradient.colors()[255]};
    };
    CHECK(ends(gradients::viridis) ==
          std::array{pv::Color{68, 1, 84}, pv::Color{33, 144, 141}, pv::Color{253, 231, 37}});
    CHECK(ends(gradients::magma)[2] == pv::Color{252, 253, 191});
    CHECK(ends(gradients::inferno)[2] == pv::Color{252, 255, 164});
    CHECK(ends(gradients::plasma)[0] == pv::Color{13, 8, 135});
    CHECK(ends(gradients::cividis)[0].red == 0);
    CHECK(ends(gradients::turbo)[0] == pv::Color{48, 18, 59});
    CHECK(ends(gradients::coolwarm) ==
          std::array{pv::Color{59, 76, 192}, pv::Color{220, 221, 221}, pv::Color{180, 4, 38}});
    CHECK(ends(gradients::grey)[1] == pv::Color{127, 127, 127});
    CHECK(gradients::magma.reversed().colors()[0] == gradients::magma.colors()[255]);
}

TEST_CASE("Gradients of colours of one's own") {
    const pv::Gradient two{{0, 0, 0}, {255, 0, 100}};
    CHECK(two.colors()[0] == pv::Color{0, 0, 0});
    CHECK(two.colors()[51] == pv::Color{51, 0, 20});
    CHECK(two.colors()[255] == pv::Color{255, 0, 100});
    const pv::Gradient three{{0, 0, 0}, {10, 20, 30}, {0, 0, 0}};
    CHECK(three.colors()[255] == pv::Color{0, 0, 0});
    CHECK(three.colors()[127].blue == 30);
    CHECK(pv::Gradient{{7, 8, 9}}.colors()[200] == pv::Color{7, 8, 9});
    CHECK_THROWS_AS(pv::Gradient(std::span<const pv::Color>()), pv::Error);
}

TEST_CASE("colorize divides a range into 256 parts") {
    const auto x =
        pv::tensor({0.0, 0.9, 1.0, 255.0, 256.0, -5.0, 1e300, kInfinity, -kInfinity, kNan});
    const auto colours =
        x | pv::colorize(gradients::grey, {.low = 0, .high = 256, .nan = {9, 9, 9}});
    CHECK(colours.shape() == pv::Shape{10, 3});
    CHECK(pv::to_vector(colours(pv::all, 0)) == Bytes{0, 0, 1, 255, 255, 0, 255, 255, 0, 9});
    CHECK(pv::to_vector(colours(9, pv::all)) == Bytes{9, 9, 9});

    // Limits from the finite values.
    const auto own =
        pv::colorize(pv::tensor({kNan, 2.0, kInfinity, 4.0, 3.0, -kInfinity}), gradients::grey);
    CHECK(pv::to_vector(own(pv::all, 2)) == Bytes{0, 0, 255, 255, 128, 0});
    const auto flat = pv::tensor({1.0, 1.0, kInfinity, -kInfinity, kNan});
    CHECK(pv::to_vector(pv::colorize(flat, gradients::grey)(pv::all, 0)) == Bytes{0, 0, 255, 0, 0});
    // Limits that float32 does not have, and that are too far apart or too close for it.
    const auto narrow = [](float value, double low, double high) {
        return int(pv::colorize(pv::tensor<float>({value}), gradients::grey,
                                {.low = low, .high = high})(0, 0));
    };
    CHECK(narrow(0, -1e300, 0) == 255);
    CHECK(narrow(0, 1e300, 1e300) == 0);
    CHECK(narrow(0, -3e38, 3e38) == 128);
    CHECK(narrow(2e38f, -3e38, 3e38) == 213);
    CHECK(narrow(5e-41f, 0, 1e-40) == 127);
    // One value alone, and none.
    CHECK(pv::to_vector(pv::colorize(pv::tensor({5, 5}), gradients::grey)) == Bytes(6, 0));
    CHECK(pv::to_vector(pv::colorize(pv::tensor({kNan}), gradients::viridis)) == Bytes{0, 0, 0});
    CHECK(pv::colorize(pv::empty<float>({0, 4}), gradients::viridis).shape() == pv::Shape{0, 4, 3});
    CHECK(pv::colorize(pv::tensor({true, false}), gradients::grey)(0, 0) == 255);
    CHECK(pv::colorize(pv::full({}, 1.0), gradients::grey).shape() == pv::Shape{3});
}

TEST_CASE("colorize is lazy, takes run-time types and refuses ranges that are none") {
    auto x = pv::tensor({0.0, 1.0});
    const auto colours = pv::colorize(x, gradients::grey, {.low = 0, .high = 2});
    x(0) = 2.0;
    CHECK(pv::to_vector(colours(pv::all, 0)) == Bytes{255, 128});
    CHECK(pv::colorize(pv::AnyTensor(x), gradients::grey).dtype() == pv::uint8);
    CHECK_THROWS_WITH(pv::colorize(x, gradients::grey, {.low = 3, .high = 2}),
                      ContainsSubstring("colorize") && ContainsSubstring("3") &&
                          ContainsSubstring("2"));
    CHECK_THROWS_AS(pv::colorize(x, gradients::grey, {.low = kNan}), pv::Error);
    CHECK_THROWS_AS(pv::colorize(x, gradients::grey, {.low = 0, .high = kInfinity}), pv::Error);
    CHECK_THROWS_AS(pv::colorize(pv::AnyTensor(pv::tensor({"a"})), gradients::grey),
                    pv::DtypeError);
}

TEST_CASE("colorize agrees with loops on every type and layout") {
    for (unsigned seed = 0; seed < oracle::rounds(40U); ++seed) {
        check_against_loops<double>(seed);
        check_against_loops<float>(seed);
        check_against_loops<std::int32_t>(seed);
        check_against_loops<std::int64_t>(seed);
        check_against_loops<std::uint8_t>(seed);
        check_against_loops<std::int16_t>(seed);
    }
}

} // namespace colorize_test
