#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>

#include <vector>

namespace window_options_test {

namespace {

namespace pv = purview;
using Sums = std::vector<double>;

} // namespace

TEST_CASE("fixed and variable windows are told the same in the same words") {
    const auto x = pv::tensor({1., 2., 4., 8., 16., 32.});
    const auto minutes = pv::tensor({0, 0, 2, 2, 2, 7});
    const auto of_call = [](const auto& found) { return pv::to_vector(found); };
    using pv::WindowPosition;
    CHECK(of_call(pv::variable_rolling_window(x, minutes, 5, pv::sum,
                                              {.position = WindowPosition::leading, .step = 2})) ==
          Sums{31, 28, 16});
    CHECK(of_call(pv::fixed_rolling_window(x, 5, pv::sum,
                                           {.position = WindowPosition::leading, .step = 2})) ==
          Sums{31, 92, 144});
    CHECK(of_call(pv::variable_rolling_window(x, minutes, 5, pv::sum, WindowPosition::leading)) ==
          Sums{31, 30, 28, 24, 16, 32});
    CHECK(of_call(pv::variable_rolling_window(
              x, minutes, 5, pv::sum, 0, WindowPosition::leading)) == Sums{31, 30, 28, 24, 16, 32});
    CHECK(of_call(x | pv::variable_rolling_window(minutes, 5, pv::sum, WindowPosition::leading)) ==
          Sums{31, 30, 28, 24, 16, 32});
    CHECK(of_call(x | pv::variable_rolling_window(minutes, 5, pv::sum, {.step = 2})) ==
          Sums{1, 7, 31});
    CHECK(of_call(pv::variable_rolling_window(
              x, minutes, 5, pv::sum, 0, {WindowPosition::trailing, pv::WindowTies::together})) ==
          Sums{3, 3, 31, 31, 31, 32});
    CHECK(of_call(x |
                  pv::variable_rolling_window(
                      minutes, 5, pv::sum, {WindowPosition::trailing, pv::WindowTies::together})) ==
          Sums{3, 3, 31, 31, 31, 32});
    CHECK(of_call(pv::fixed_rolling_window(x, 2, pv::sum, 0, WindowPosition::leading)) ==
          Sums{3, 6, 12, 24, 48, 64});
    CHECK(of_call(x | pv::fixed_rolling_window(2, pv::sum, WindowPosition::leading)) ==
          Sums{3, 6, 12, 24, 48, 64});
}

} // namespace window_options_test
