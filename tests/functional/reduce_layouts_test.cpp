#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_choice.hpp>

#include <purview/functional/arithmetic.hpp>
#include <purview/functional/cast.hpp>
#include <purview/functional/comparison.hpp>
#include <purview/functional/maths.hpp>
#include <purview/functional/reduce.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

namespace pv = purview;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Oracle;
using oracle::Random;

/// Extents around the sizes at which reductions change their form.
Coordinates random_extents(Random& random) {
    static constexpr index_t kExtents[] = {1,  2,  3,  4,   5,   8,   9,   16,  33,
                                           63, 64, 65, 100, 128, 130, 257, 1100};
    for (;;) {
        Coordinates shape(static_cast<std::size_t>(random.between(1, 4)));
        for (index_t& extent : shape)
            extent = kExtents[random.between(0, std::ssize(kExtents) - 1)];
        if (oracle::count_of(shape) <= 40'000) return shape;
    }
}

/// A tensor in a random layout: transposed, sliced, turned round; and its twin.
template <typename T>
struct Pair {
    pv::Tensor<T> real;
    Oracle<T> naive;
    std::string name;
};

template <typename T>
Pair<T> random_layout(Random& random) {
    Coordinates shape = random_extents(random);
    std::vector<T> values;
    for (index_t i = oracle::count_of(shape); i > 0; --i) {
        const index_t value = random.between(-50, 50);
        if constexpr (std::floating_point<T>)
            values.push_back(static_cast<T>(value) / T{7});
        else
            values.push_back(static_cast<T>(value));
    }
    Pair<T> x{pv::reshape(pv::tensor(std::vector<T>(values)), shape),
              {shape, values},
              "shape " + oracle::text(shape)};
    for (index_t steps = random.between(0, 2); steps > 0; --steps) {
        const std::size_t rank = x.naive.rank();
        if (random.one_in(2)) {
            const Coordinates axes = random.permutation(rank);
            x.real = pv::transpose(x.real, axes);
            x.naive = x.naive.transpose(axes);
            x.name += " | transpose" + oracle::text(axes);
        } else if (random.one_in(2)) {
            const std::size_t axis = random.axis_of(x.naive.shape);
            const index_t extent = x.naive.shape[axis];
            const index_t step = random.between(1, 2);
            const index_t begin = random.between(0, extent / 4);
            const Coordinates list = oracle::slice_indexes(extent, begin, extent, step);
            std::vector<pv::TensorIndex> arguments(axis, pv::TensorIndex(pv::all));
            arguments.emplace_back(pv::range(begin, extent, step));
            x.real = pv::Tensor<T>(pv::select_operand(x.real.operand(), arguments));
            x.naive = x.naive.pick(axis, list);
            x.name += " | slice of axis " + std::to_string(axis);
        } else {
            const Coordinates axes{static_cast<index_t>(random.axis_of(x.naive.shape))};
            x.real = pv::flip(x.real, axes);
            x.naive = x.naive.flip(axes);
            x.name += " | flip" + oracle::text(axes);
        }
    }
    return x;
}

Coordinates random_axes(Random& random, std::size_t rank) {
    Coordinates axes;
    for (const index_t axis : random.permutation(rank))
        if (random.one_in(2)) axes.push_back(axis);
    return axes;
}

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
    for (unsigned seed = 0; seed < 400; ++seed) {
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
    for (unsigned seed = 0; seed < 300; ++seed) {
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
