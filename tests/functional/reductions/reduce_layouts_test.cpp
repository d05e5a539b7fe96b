#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace reduce_layouts_test {

namespace {

namespace pv = purview;
using oracle::Coordinates;
using oracle::Random;
using oracle::random_axes;
using oracle::random_layout;

/// A float sum is off by at most this much per unit of the sum of absolute values: every element takes
/// part in at most 128 additions per level, a level for each factor of 128, and those of the lanes.
template <typename T>
double bound(double count) {
    const double levels = 1 + std::ceil(std::log(std::max(count, 2.0)) / std::log(128.0));
    return std::numeric_limits<T>::epsilon() * 160 * levels;
}

} // namespace

TEMPLATE_TEST_CASE("sums of floats over any axes of any layout", "", float, double) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(400U); ++seed) {
        Random random(seed);
        auto x = random_layout<T>(random);
        const Coordinates axes = random_axes(random, x.naive.rank());
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        pv::Tensor<T> real = x.real;
        if (random.one_in(2)) {
            real = pv::sq(real - T{1}) + real;
            for (T& value : x.naive.values) value = (value - T{1}) * (value - T{1}) + value;
        }
        const auto exact =
            oracle::fold<long double>(x.naive, axes, false, 0.0L, [](long double a, T b) {
                return a + static_cast<long double>(b);
            });
        const auto absolute =
            oracle::fold<long double>(x.naive, axes, false, 0.0L, [](long double a, T b) {
                return a + std::abs(static_cast<long double>(b));
            });
        const std::vector<T> sums = pv::to_vector(pv::sum(real, axes));
        REQUIRE(sums.size() == exact.values.size());
        const double count = static_cast<double>(x.naive.size()) /
                             static_cast<double>(std::max<std::size_t>(sums.size(), 1));
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < sums.size(); ++i)
            if (!(std::abs(static_cast<long double>(sums[i]) - exact.values[i]) <=
                  static_cast<long double>(bound<T>(count)) * absolute.values[i]))
                ++wrong;
        CHECK(wrong == 0);
    }
}

TEMPLATE_TEST_CASE("exact reductions over any axes of any layout", "", std::uint8_t, std::int32_t,
                   std::int64_t, float) {
    using T = TestType;
    using Sum = pv::Accumulated<T>;
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        Random random(seed);
        const auto x = random_layout<T>(random);
        const Coordinates axes = random_axes(random, x.naive.rank());
        INFO("seed " << seed << " " << x.name << " over " << oracle::text(axes));
        const auto least = oracle::fold<T>(x.naive, axes, false, std::numeric_limits<T>::max(),
                                           [](T a, T b) { return std::min(a, b); });
        CHECK(pv::to_vector(pv::min(x.real, axes)) == least.values);
        const auto greatest =
            oracle::fold<T>(x.naive, axes, false, std::numeric_limits<T>::lowest(),
                            [](T a, T b) { return std::max(a, b); });
        CHECK(pv::to_vector(pv::max(x.real, axes)) == greatest.values);
        const auto any =
            oracle::fold<std::int32_t>(x.naive, axes, false, 0, [](std::int32_t a, T b) {
                return a != 0 || b > T{5} ? 1 : 0;
            });
        CHECK(pv::to_vector(pv::cast<std::int32_t>(pv::any_of(x.real > T{5}, axes))) == any.values);
        if constexpr (std::integral<T>) {
            const auto sums = oracle::fold<Sum>(x.naive, axes, false, Sum{},
                                                [](Sum a, T b) { return a + static_cast<Sum>(b); });
            CHECK(pv::to_vector(pv::sum(x.real, axes)) == sums.values);
            const auto product =
                oracle::fold<std::uint64_t>(x.naive, axes, false, 1, [](std::uint64_t a, T b) {
                    return a * static_cast<std::uint64_t>(static_cast<Sum>(b));
                });
            CHECK(pv::to_vector(pv::unchecked_cast<std::uint64_t>(pv::product(x.real, axes))) ==
                  product.values);
        }
    }
}

} // namespace reduce_layouts_test
