#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace incomplete_windows_test {

namespace {

namespace pv = purview;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// What a complete window gives stays; all else is the fill.
template <typename Reducer>
void check_windows(index_t length, index_t width, pv::WindowPosition position, index_t step,
                   const Reducer& reducer) {
    const auto x = pv::clone(pv::compute_tensor({2, length}, [](index_t i, index_t j) {
        return static_cast<double>((7 * i + 3 * j) % 11);
    }));
    pv::RollingOptions options{.position = position, .step = step};
    const auto all = pv::fixed_rolling_window(x, width, reducer, options);
    options.incomplete = kNaN;
    const auto found = pv::fixed_rolling_window(x, width, reducer, options);
    const auto along_first = pv::fixed_rolling_window(pv::transpose(x), width, reducer, 0, options);
    REQUIRE(found.shape() == all.shape());
    const index_t before = pv::elements_before(position, width);
    for (index_t row = 0; row < 2; ++row)
        for (index_t i = 0; i < all.extent(1); ++i) {
            const index_t begin = i * step - before;
            const bool is_complete = begin >= 0 && begin + width <= length;
            const double value = found(row, i);
            CHECK((is_complete ? value == double(all(row, i)) : std::isnan(value)));
            CHECK(pv::same_element(double(along_first(i, row)), value));
        }
}

} // namespace

TEST_CASE("incomplete windows give NaN, as in pandas") {
    const auto x = pv::tensor({1., 2., 4., 8.});
    const auto means = pv::fixed_rolling_window(
        x, 2, pv::sum, {.position = pv::WindowPosition::trailing, .incomplete = kNaN});
    CHECK(std::isnan(double(means(0))));
    CHECK(pv::to_vector(means(pv::range(1, 4))) == std::vector<double>{3, 6, 12});
    const auto position =
        GENERATE(pv::WindowPosition::left, pv::WindowPosition::centre, pv::WindowPosition::right);
    for (const index_t length : {0, 1, 2, 9})
        for (const index_t width : {1, 2, 3, 8, 12})
            for (const index_t step : {1, 2, 5}) {
                check_windows(length, width, position, step, pv::sum);
                check_windows(length, width, position, step, pv::mean);
                check_windows(length, width, position, step, pv::max);
                check_windows(length, width, position, step, pv::median);
                check_windows(length, width, position, step, pv::mean(pv::skip_nan));
                check_windows(length, width, position, step,
                              [](const pv::Tensor<double>& window) { return pv::sum(window); });
            }
}

TEST_CASE("incomplete windows of integers, over dims, of one element and as a stage") {
    const auto x = pv::tensor<std::int32_t>({{1, 2, 3}, {4, 5, 6}});
    pv::RollingOptions options{.position = pv::WindowPosition::trailing, .incomplete = -1};
    CHECK(pv::to_nested<2>(x | pv::fixed_rolling_window(2, pv::sum, options)) ==
          std::vector<std::vector<std::int64_t>>{{-1, 3, 5}, {-1, 9, 11}});
    const pv::Dim i("i");
    CHECK(pv::to_nested<2>(pv::fixed_rolling_window(x(pv::all, i), 2, pv::max, i, options) |
                           pv::order(i)) ==
          std::vector<std::vector<std::int32_t>>{{-1, -1}, {2, 5}, {3, 6}});
    CHECK(pv::to_vector(pv::fixed_rolling_window(pv::tensor({7.}), 2, pv::sum, options)) ==
          std::vector<double>{-1});
    options.incomplete = kNaN;
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::sum, options), pv::CastError);
    CHECK(pv::to_vector(pv::fixed_rolling_window(x(0, pv::all), 1, pv::sum, options)) ==
          std::vector<std::int64_t>{1, 2, 3});
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::any_of, options), pv::CastError);
    options.incomplete = 2;
    CHECK_THROWS_AS(pv::fixed_rolling_window(x, 2, pv::any_of, options), pv::CastError);
    options.incomplete = 0;
    CHECK(pv::to_nested<2>(pv::fixed_rolling_window(x, 2, pv::any_of, options)) ==
          std::vector<std::vector<bool>>{{false, true, true}, {false, true, true}});
}

} // namespace incomplete_windows_test
