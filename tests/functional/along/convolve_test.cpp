#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/convolve.hpp>
#include <purview/functional/along/differences.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cstdint>
#include <vector>

namespace convolve_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;
using Doubles = std::vector<double>;

/// By the definition: all where the two overlap, then what the mode keeps of it.
template <typename R, typename T>
std::vector<R> convolved(const std::vector<T>& x, const std::vector<T>& taps,
                         pv::ConvolveMode mode) {
    const index_t n = std::ssize(x);
    const index_t k = std::ssize(taps);
    const index_t first = mode == pv::ConvolveMode::full   ? 0
                          : mode == pv::ConvolveMode::same ? (k - 1) / 2
                                                           : k - 1;
    const index_t count = mode == pv::ConvolveMode::full   ? n + k - 1
                          : mode == pv::ConvolveMode::same ? n
                                                           : n - k + 1;
    std::vector<R> out;
    for (index_t i = first; i < first + count; ++i) {
        R sum{};
        for (index_t j = 0; j < k; ++j)
            if (i - j >= 0 && i - j < n)
                sum += static_cast<R>(taps[static_cast<std::size_t>(j)]) *
                       static_cast<R>(x[static_cast<std::size_t>(i - j)]);
        out.push_back(sum);
    }
    return out;
}

} // namespace

TEMPLATE_TEST_CASE("convolve1d and correlate1d agree with their definitions", "", std::int8_t,
                   std::int32_t, std::int64_t, std::uint16_t, std::uint64_t, float, double) {
    using T = TestType;
    using R = pv::Accumulated<T>;
    Random random(31);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const auto x = oracle::random_layout<T>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const index_t n = x.naive.shape[axis];
        const auto mode = static_cast<pv::ConvolveMode>(random.between(0, 2));
        const index_t most = mode == pv::ConvolveMode::valid ? n : 2 * n + 3;
        std::vector<T> taps;
        for (index_t k = random.between(1, std::min<index_t>(most, 30)); k > 0; --k)
            taps.push_back(static_cast<T>(random.between(-4, 4)));
        const std::vector<T> turned(taps.rbegin(), taps.rend());
        INFO(x.name << " axis " << axis << " taps " << taps.size() << " mode "
                    << static_cast<int>(mode));
        const auto expected = oracle::along_lanes(x.naive, axis, [&](const std::vector<T>& lane) {
            return convolved<R>(lane, taps, mode);
        });
        const auto at = static_cast<index_t>(axis);
        CHECK(oracle::agrees(pv::convolve1d(x.real, pv::tensor(std::vector<T>(taps)), at, {mode}),
                             expected, 100));
        CHECK(
            oracle::agrees(pv::correlate1d(x.real, pv::tensor(std::vector<T>(turned)), at, {mode}),
                           expected, 100));
    }
}

TEST_CASE("convolve1d: NumPy's examples, edges, long lanes, dims, errors") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto taps = pv::tensor({0., 1., 0.5});
    CHECK(pv::to_vector(pv::convolve1d(x, taps)) == Doubles{0., 1., 2.5, 4., 1.5});
    CHECK(pv::to_vector(pv::convolve1d(x, taps, {pv::ConvolveMode::same})) == Doubles{1., 2.5, 4.});
    CHECK(pv::to_vector(pv::convolve1d(x, taps, {pv::ConvolveMode::valid})) == Doubles{2.5});
    CHECK(pv::to_vector(pv::correlate1d(x, taps, {pv::ConvolveMode::full})) ==
          Doubles{0.5, 2., 3.5, 3., 0.});
    CHECK(pv::to_vector(pv::correlate1d(x, pv::tensor({1., 1., 1.}),
                                        {pv::ConvolveMode::same, pv::PadMode::edge})) ==
          Doubles{4., 6., 8.});
    const auto ones = pv::ones({3000});
    const auto box = pv::to_vector(pv::convolve1d(ones, pv::ones({11}), {pv::ConvolveMode::valid}));
    CHECK(box == Doubles(2990, 11.0));
    const auto [i] = pv::dims("i");
    const auto m = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    const pv::Tensor<double> down =
        pv::convolve1d(m(i, pv::all), pv::tensor({1., 1.}), i, {pv::ConvolveMode::same}) |
        pv::order(i);
    CHECK(pv::to_vector(down) == Doubles{1., 2., 3., 5., 7., 9.});
    CHECK_THROWS_WITH(pv::convolve1d(m(i, pv::all), taps, i), ContainsSubstring("'i'"));
    CHECK((pv::convolve1d(m(i, pv::all), taps) | pv::order(i)).size() == 10);
    CHECK(pv::convolve1d(pv::zeros({0}), taps).shape() == pv::Shape{0});
    CHECK_THROWS_WITH(pv::convolve1d(x, pv::zeros({0})), ContainsSubstring("there are no taps"));
    CHECK_THROWS_AS(pv::convolve1d(x, m), pv::ShapeError);
    CHECK_THROWS_WITH(pv::convolve1d(x, pv::ones({4}), {pv::ConvolveMode::valid}),
                      ContainsSubstring("4 taps"));
    CHECK_THROWS_AS(pv::convolve1d(x, taps, 1), pv::IndexError);
}

TEST_CASE("gaussian1d is SciPy's gaussian_filter1d") {
    // scipy.ndimage.gaussian_filter1d([1, 2, 3, 4, 5], 1)
    const auto smooth = pv::to_vector(pv::gaussian1d(pv::tensor({1., 2., 3., 4., 5.}), 1));
    const Doubles expected{1.42704095, 2.06782203, 3., 3.93217797, 4.57295905};
    for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(smooth[i] - expected[i]) < 1e-8);
    CHECK(std::abs(pv::sum(pv::gaussian_window(2.5)) - 1) < 1e-15);
    CHECK(pv::gaussian_window(1).shape() == pv::Shape{9});
    CHECK(std::same_as<decltype(pv::gaussian1d(pv::tensor({1.f}), 1))::value_type, float>);
    const auto m = pv::ones<float>({3, 4});
    for (const float each : pv::to_vector(m | pv::gaussian1d(2.0, 0)))
        CHECK(std::abs(each - 1.f) < 1e-6f);
    CHECK_THROWS_AS(pv::gaussian1d(m, 0.0), pv::Error);
    CHECK_THROWS_AS(pv::gaussian1d(m, std::numeric_limits<double>::quiet_NaN()), pv::Error);
    CHECK_THROWS_AS(pv::gaussian1d(m, 1e300), pv::Error);
}

TEST_CASE("diff1d, gradient1d and downsample agree with loops, and are lazy") {
    Random random(32);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const auto x = oracle::random_layout<double>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        const index_t n = x.naive.shape[axis];
        using Lane = Doubles;
        INFO(x.name << " axis " << axis);
        CHECK(oracle::agrees(pv::diff1d(x.real, at),
                             oracle::along_lanes(x.naive, axis, [](const Lane& lane) {
                                 Lane out;
                                 for (std::size_t i = 1; i < lane.size(); ++i)
                                     out.push_back(lane[i] - lane[i - 1]);
                                 return out;
                             })));
        if (n >= 2)
            CHECK(oracle::agrees(pv::gradient1d(x.real, 0.5, at),
                                 oracle::along_lanes(x.naive, axis, [](const Lane& lane) {
                                     Lane out;
                                     const std::size_t last = lane.size() - 1;
                                     for (std::size_t i = 0; i <= last; ++i) {
                                         const std::size_t a = i == 0 ? 0 : i - 1;
                                         const std::size_t b = i == last ? last : i + 1;
                                         out.push_back((lane[b] - lane[a]) /
                                                       (static_cast<double>(b - a) * 0.5));
                                     }
                                     return out;
                                 })));
        const index_t count = random.between(0, n + 2);
        CHECK(oracle::agrees(
            pv::downsample(x.real, count, at),
            oracle::along_lanes(x.naive, axis, [&](const Lane& lane) {
                Lane out;
                if (count >= n) return lane;
                for (index_t i = 0; i < count; ++i)
                    out.push_back(lane[static_cast<std::size_t>((2 * i + 1) * n / (2 * count))]);
                return out;
            })));
    }
    const auto x = pv::tensor({1, 4, 9, 16});
    const auto d = pv::diff1d(x, 0, 2);
    CHECK(pv::to_vector(d) == std::vector{2, 2});
    x(3) = 20;
    CHECK(pv::to_vector(d) == std::vector{2, 6});
    CHECK(pv::to_vector(x | pv::diff1d(0)) == std::vector{3, 5, 11});
    CHECK(pv::to_vector(pv::gradient1d(pv::tensor({1., 2., 4., 7., 11., 16.}))) ==
          Doubles{1., 1.5, 2.5, 3.5, 4.5, 5.});
    CHECK(pv::diff1d(pv::tensor({1})).shape() == pv::Shape{0});
    CHECK(pv::diff1d(pv::zeros({0})).shape() == pv::Shape{0});
    CHECK(pv::diff1d(x, 0, 9).shape() == pv::Shape{0});
    CHECK_THROWS_AS(pv::diff1d(x, 0, -1), pv::ShapeError);
    CHECK_THROWS_AS(pv::diff1d(x, 1), pv::IndexError);
    CHECK_THROWS_WITH(pv::gradient1d(pv::tensor({1.})), ContainsSubstring("there are 1"));
    CHECK_THROWS_AS(pv::downsample(x, -1), pv::ShapeError);
    CHECK(pv::to_vector(pv::downsample(pv::arange(100), 4)) == std::vector<int>{12, 37, 62, 87});
}

} // namespace convolve_test
