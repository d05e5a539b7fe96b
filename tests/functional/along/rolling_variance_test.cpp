#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/statistics/descriptive.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace rolling_variance_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Doubles = std::vector<double>;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr pv::RollingOptions kTrailing{.position = pv::WindowPosition::trailing,
                                       .edge = pv::PadMode::constant};

/// How many elements the window of `width` up to element i has, and the sum of the squares of their distances from
/// their mean; beyond the array there are zeros.
struct Window {
    long double count = 0;
    long double squares = 0;
};

template <typename T>
Window window(const std::vector<T>& x, index_t i, index_t width, bool skips) {
    const auto each = [&](auto use) {
        for (index_t k = i - width + 1; k <= i; ++k) {
            const T e = k < 0 ? T{} : x[static_cast<std::size_t>(k)];
            if (!skips || !std::isnan(static_cast<double>(e))) use(static_cast<long double>(e));
        }
    };
    Window result;
    long double first = 0;
    long double sum = 0; // of differences from the first element
    each([&](long double e) {
        if (result.count++ == 0) first = e;
        sum += e - first;
    });
    const long double mean = sum / result.count;
    each([&](long double e) {
        const long double difference = e - first - mean;
        result.squares += difference * difference;
    });
    return result;
}

double bound(index_t width) {
    const double wide = static_cast<double>(width);
    return std::ldexp(std::max(64 * (3 * std::ceil(std::log2(wide)) + 8), 4 * wide), -53);
}

template <typename T>
void check(const std::vector<T>& x, index_t width) {
    using R = pv::Averaged<T>;
    const double own = std::numeric_limits<R>::epsilon();
    std::vector<Window> whole; // NaN in them counts
    std::vector<Window> left;
    for (std::size_t i = 0; i < x.size(); ++i)
        whole.push_back(window(x, static_cast<index_t>(i), width, false));
    if (std::ranges::any_of(x, [](T e) { return std::isnan(static_cast<double>(e)); })) {
        for (std::size_t i = 0; i < x.size(); ++i)
            left.push_back(window(x, static_cast<index_t>(i), width, true));
    } else {
        left = whole;
    }
    const auto along = [&](auto reduction, int correction, bool root, bool skips) {
        const auto found =
            pv::to_vector(pv::fixed_rolling_window(pv::tensor(x), width, reduction, kTrailing));
        REQUIRE(found.size() == x.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            const Window& of = (skips ? left : whole)[i];
            long double expected = of.count > correction
                                       ? of.squares / (of.count - correction)
                                       : std::numeric_limits<long double>::quiet_NaN();
            if (root) expected = std::sqrt(expected);
            const long double error = std::abs(static_cast<long double>(found[i]) - expected);
            const bool right = std::isfinite(expected)
                                   ? error <= expected * (bound(width) + own) || error == 0
                                   : std::isnan(found[i]);
            if (right) continue;
            FAIL_CHECK("width " << width << " at " << i << " correction " << correction << " root "
                                << root << " skips " << skips << ": " << found[i] << " for "
                                << expected);
        }
    };
    along(pv::variance, 0, false, false);
    along(pv::sample_variance, 1, false, false);
    along(pv::standard_deviation, 0, true, false);
    along(pv::sample_standard_deviation, 1, true, false);
    along(pv::variance(pv::skip_nan), 0, false, true);
    along(pv::sample_standard_deviation(pv::skip_nan), 1, true, true);
}

template <typename F>
Doubles made(index_t count, F f) {
    Doubles x;
    for (index_t i = 0; i < count; ++i) x.push_back(f(static_cast<double>(i)));
    return x;
}

} // namespace

TEST_CASE("rolling variances are within their bound") {
    std::mt19937_64 engine(31);
    std::normal_distribution<double> noise;
    double walk = 0;
    for (const index_t width : {1, 2, 3, 7, 31, 100, 700, 1100, 2500}) {
        check(made(1500, [&](double) { return noise(engine); }), width);
        check(made(1300, [&](double) { return 1e9 + noise(engine); }), width);
        check(made(1300, [&](double) { return walk += noise(engine); }), width);
        check(made(1300, [&](double i) { return 1e6 + 3 * i; }), width);
        check(made(300, [&](double) { return 1e140 * noise(engine); }), width);
        check(made(300, [&](double) { return 1e-140 * noise(engine); }), width);
        check(made(1300, [&](double i) { return i == 400  ? 1e12
                                                : i < 700 ? 0.1
                                                          : noise(engine); }),
              width);
        check(made(1300, [&](double i) { return i < 650 ? 1e100 : 0.3 + noise(engine); }), width);
    }
    check(Doubles{1, 2, 4}, (index_t{1} << 20) + 1);
}

TEST_CASE("rolling variances of windows with NaN and infinities are NaN, and later ones are not") {
    std::mt19937_64 engine(32);
    std::normal_distribution<double> noise;
    for (const index_t width : {1, 2, 5, 40, 1200}) {
        check(made(1300, [&](double i) { return std::fmod(i, 300) == 7 ? kNaN : noise(engine); }),
              width);
        check(
            made(600, [&](double i) { return i == 100   ? kInf
                                             : i == 300 ? -kInf
                                                        : noise(engine); }),
            width);
        check(made(600, [&](double i) { return i > 50 && i < 300 ? kNaN : 1e8 + noise(engine); }),
              width);
        check(made(200, [](double) { return kNaN; }), width);
        check(made(200, [](double) { return kInf; }), width);
    }
    CHECK_THROWS_AS(
        pv::fixed_rolling_window(pv::tensor({1., kNaN}), 2, pv::variance(pv::throw_nan)),
        pv::ArithmeticError);
}

TEST_CASE("rolling variances of constant windows are 0") {
    for (const double value : {0., 0.1, -1e9 / 3, 1e300, 5e-324})
        for (const index_t width : {1, 2, 3, 100, 1500}) {
            const Doubles x(1200, value);
            for (const double found :
                 pv::to_vector(pv::fixed_rolling_window(pv::tensor(x), width, pv::variance)))
                CHECK(found == 0);
        }
    // Plateaus, each of which is found where the one before has left the window.
    const auto x = pv::tensor(made(1000, [](double i) { return std::floor(i / 100) * 1e7 / 3; }));
    const Doubles steps =
        pv::to_vector(pv::fixed_rolling_window(x, 20, pv::standard_deviation, kTrailing));
    for (std::size_t i = 100; i < steps.size(); ++i) CHECK((steps[i] == 0) == (i % 100 >= 19));
}

TEST_CASE("rolling variances of float32 and integers") {
    std::mt19937_64 engine(33);
    std::uniform_int_distribution<int> number(-120, 120);
    std::vector<float> floats;
    std::vector<std::int8_t> small;
    std::vector<std::int64_t> large;
    for (int i = 0; i < 1300; ++i) {
        floats.push_back(1000 + static_cast<float>(number(engine)) / 16);
        small.push_back(static_cast<std::int8_t>(number(engine)));
        large.push_back((std::int64_t{1} << 50) + number(engine));
    }
    floats[700] = std::numeric_limits<float>::quiet_NaN();
    for (const index_t width : {1, 2, 100, 1200}) {
        check(floats, width);
        check(small, width);
        check(large, width);
    }
}

TEST_CASE("rolling variances at the ends, along axes, by steps, are those of each window") {
    std::mt19937_64 engine(34);
    const auto number = [&](int from, int to) {
        return std::uniform_int_distribution<int>(from, to)(engine);
    };
    const auto close = [](const auto& found, const auto& expected) {
        REQUIRE(found.shape() == expected.shape());
        auto other = expected.begin();
        for (const double value : found) {
            const double e = *other++;
            if (!(std::isnan(value) && std::isnan(e)))
                CHECK(value == Catch::Approx(e).epsilon(1e-12));
        }
    };
    for (int round = 0; round < 60; ++round) {
        const pv::Shape shape{number(0, 5), number(0, 60)};
        const auto x = pv::clone(pv::reshape(
            pv::tensor(made(shape[0] * shape[1], [&](double) { return number(-99, 99) / 8.; })),
            shape));
        const index_t width = number(1, 12);
        pv::RollingOptions options{.position = static_cast<pv::WindowPosition>(number(0, 2)),
                                   .edge = static_cast<pv::PadMode>(number(0, 4)),
                                   .step = number(1, 4)};
        if (number(0, 3) == 0) options.incomplete = kNaN;
        for (const index_t axis : {0, 1}) {
            if (options.edge != pv::PadMode::constant && options.edge != pv::PadMode::edge &&
                shape[static_cast<std::size_t>(axis)] <= width)
                continue;
            const auto against = [&](auto reduction) {
                const auto one = [&](const pv::Tensor<double>& window) -> double {
                    return reduction(window);
                };
                close(pv::fixed_rolling_window(x, width, reduction, axis, options),
                      pv::fixed_rolling_window(x, width, one, axis, options));
            };
            against(pv::variance);
            against(pv::sample_standard_deviation(pv::skip_nan));
            against(pv::magnitude);
            against(pv::magnitude_squared(pv::skip_nan));
            against(pv::standard_error);
            against(pv::quadratic_mean(pv::skip_nan));
        }
    }
    CHECK_THROWS_AS(
        pv::fixed_rolling_window(pv::to_sparse(pv::tensor({1., 0., 2.})), 2, pv::variance),
        pv::KindError);
}

TEST_CASE("rolling variances are the same on several threads") {
    std::mt19937_64 engine(35);
    std::normal_distribution<double> noise;
    const auto x = pv::tensor(made(300'000, [&](double i) { return i + noise(engine); }));
    const auto found = [&](int threads) {
        pv::set_threads(threads);
        Doubles all = pv::to_vector(pv::fixed_rolling_window(x, 50, pv::standard_deviation));
        pv::set_threads(0);
        return all;
    };
    CHECK(found(1) == found(4));
}

} // namespace rolling_variance_test
