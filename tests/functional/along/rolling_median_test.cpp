#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/assembly/sparse.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace rolling_median_test {

namespace {

namespace pv = purview;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename R>
void check_same(const pv::Tensor<R>& found, const pv::Tensor<R>& expected) {
    REQUIRE(found.shape() == expected.shape());
    auto other = expected.begin();
    for (const R value : found) CHECK(pv::same_element(value, static_cast<R>(*other++)));
}

/// Against the median of each window by itself, which is a function to the library.
template <typename T>
void check_medians(const pv::Tensor<T>& x, index_t width, const pv::RollingOptions& options) {
    using R = pv::Averaged<T>;
    const auto one = [](const pv::Tensor<T>& window) -> R { return pv::median(window); };
    const auto known = [](const pv::Tensor<T>& window) -> R {
        return pv::median(window, pv::skip_nan);
    };
    const auto low = [](const pv::Tensor<T>& window) -> R { return pv::quantile(window, 0.2); };
    const auto near = [](const pv::Tensor<T>& window) -> R {
        return pv::percentile(window, 90, pv::QuantileMethod::weibull, pv::skip_nan);
    };
    for (const index_t axis : {0, 1}) {
        check_same<R>(pv::fixed_rolling_window(x, width, pv::quantile(0.2), axis, options),
                      pv::fixed_rolling_window(x, width, low, axis, options));
        check_same<R>(pv::fixed_rolling_window(
                          x, width, pv::percentile(90, pv::QuantileMethod::weibull, pv::skip_nan),
                          axis, options),
                      pv::fixed_rolling_window(x, width, near, axis, options));
        check_same<R>(pv::fixed_rolling_window(x, width, pv::median, axis, options),
                      pv::fixed_rolling_window(x, width, one, axis, options));
        check_same<R>(pv::fixed_rolling_window(x, width, pv::median(pv::skip_nan), axis, options),
                      pv::fixed_rolling_window(x, width, known, axis, options));
    }
}

} // namespace

TEST_CASE("a rolling quantile outside of its range is an error") {
    const auto x = pv::tensor({1., 2., 3.});
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::quantile(1.5)), pv::Error);
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::percentile(kNaN)), pv::Error);
}

TEST_CASE("rolling medians and quantiles are those of each window") {
    std::mt19937_64 engine(29);
    const auto number = [&](int from, int to) {
        return std::uniform_int_distribution<int>(from, to)(engine);
    };
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape{number(0, 4), number(0, 40)};
        const pv::RollingOptions options{.position = static_cast<pv::WindowPosition>(number(0, 2)),
                                         .edge = number(0, 1) == 0 ? pv::PadMode::edge
                                                                   : pv::PadMode::constant,
                                         .step = number(1, 3)};
        const index_t width = number(1, 12);
        const auto made = [&]<typename T>(auto element) {
            std::vector<T> values(static_cast<std::size_t>(shape[0] * shape[1]));
            for (T& value : values) value = static_cast<T>(element());
            return pv::Tensor<T>(pv::reshape(pv::tensor(values), shape));
        };
        const double special[] = {kNaN, kInf, -kInf, 0, -0.0, 1e300};
        const auto any = [&] {
            return number(0, 3) == 0 ? special[number(0, 5)] : number(-9, 9) / 4.;
        };
        check_medians(made.template operator()<double>(any), width, options);
        check_medians(made.template operator()<float>([&] { return number(-9, 9) / 8.; }), width,
                      options);
        check_medians(made.template operator()<std::int8_t>([&] { return number(-128, 127); }),
                      width, options);
    }
}

TEST_CASE("rolling medians of integers, of longer windows, over dims, known at run time") {
    const auto x = pv::tensor<std::int64_t>({5, 1, 4, 1, 5, 9, 2, 6});
    const pv::RollingOptions trailing{.position = pv::WindowPosition::trailing};
    const std::vector<double> expected{5, 5, 4, 1, 4, 5, 5, 6};
    CHECK(pv::to_vector(pv::fixed_rolling_window(x, 3, pv::median, trailing)) == expected);
    CHECK(pv::to_vector((pv::AnyTensor(x) | pv::fixed_rolling_window(3, pv::median, trailing))
                            .as<double>()) == expected);
    const pv::Dim i("i");
    CHECK(pv::to_vector(pv::fixed_rolling_window(x(i), 3, pv::median, i, trailing) |
                        pv::order(i)) == expected);
    CHECK(pv::fixed_rolling_window(x, 100, pv::median, trailing)(0) == 5);
    CHECK_THROWS_AS(pv::fixed_rolling_window(pv::to_sparse(x), 3, pv::median), pv::KindError);
}

TEST_CASE("rolling medians of lanes that several threads take are those of each window") {
    std::mt19937_64 engine(30);
    std::vector<double> values(20'001);
    for (double& value : values)
        value = engine() % 500 == 0 ? kNaN : static_cast<double>(engine() % 1000);
    const auto x = pv::tensor(values);
    for (const index_t step : {1, 3}) {
        const pv::RollingOptions options{.step = step};
        const auto one = [](const pv::Tensor<double>& w) -> double { return pv::median(w); };
        const auto expected = pv::fixed_rolling_window(x, 9, one, options);
        for (const int threads : {1, 3}) {
            pv::set_threads(threads);
            check_same<double>(pv::fixed_rolling_window(x, 9, pv::median, options), expected);
            pv::set_threads(0);
        }
    }
}

} // namespace rolling_median_test
