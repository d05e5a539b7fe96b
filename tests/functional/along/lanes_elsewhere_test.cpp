#include <support/results_elsewhere.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <string>
#include <vector>

// Scans, sorts and windows lie where their sources lie.

namespace lanes_elsewhere_test {

namespace {

using namespace elsewhere;
using purview::clone;

} // namespace

TEST_CASE("what works along an axis lies where its source lies") {
    using namespace pv;
    std::vector<Case> cases;
    const auto along = [&](const std::string& name, auto f) {
        cases.push_back(both(name + " 0", [=](const auto& s) { return f(s.x, 0); }));
        cases.push_back(both(name + " 1", [=](const auto& s) { return f(s.x, 1); }));
        cases.push_back(both(name + " of int64", [=](const auto& s) { return f(s.i, 0); }));
        cases.push_back(both(name + " lazily", [=](const auto& s) { return f(s.f + 1.0f, 1); }));
    };
    along("cumsum", cumsum);
    along("cumprod", cumprod);
    along("cummin", cummin);
    along("cummax", cummax);
    along("sort", [](const auto& x, int axis) { return sort(x, axis); });
    along("argsort", [](const auto& x, int axis) { return argsort(x, axis); });
    along("sort down", [](const auto& x, int axis) { return sort(x, axis, descending); });
    along("argpartition", [](const auto& x, int axis) { return argpartition(x, 2, axis); });
    along("arg_min_n", [](const auto& x, int axis) { return arg_min_n(x, 2, axis); });
    along("topk", [](const auto& x, int axis) { return topk(x, 2, axis).values; });
    along("ranks", ranks);
    along("ewma", [](const auto& x, int axis) { return ewma(x, {.alpha = 0.5}, axis); });
    along("diff1d", diff1d);
    along("gradient1d", [](const auto& x, int axis) { return gradient1d(x, 1.0, axis); });
    along("convolve1d", [](const auto& x, int axis) {
        return convolve1d(x, tensor({1.0, 2.0, 1.0}), axis);
    });
    along("correlate1d valid", [](const auto& x, int axis) {
        return correlate1d(x, tensor({1.0, 2.0}), axis, {.mode = ConvolveMode::valid});
    });
    along("gaussian1d", [](const auto& x, int axis) { return gaussian1d(x, 1.0, axis); });
    along("rolling mean",
          [](const auto& x, int axis) { return fixed_rolling_window(x, 3, mean, axis); });
    along("rolling sum",
          [](const auto& x, int axis) { return fixed_rolling_window(x, 3, sum, axis); });
    along("rolling max",
          [](const auto& x, int axis) { return fixed_rolling_window(x, 3, max, axis); });
    along("rolling variance",
          [](const auto& x, int axis) { return fixed_rolling_window(x, 3, variance, axis); });
    along("rolling median",
          [](const auto& x, int axis) { return fixed_rolling_window(x, 3, median, axis); });
    along("expanding sum", [](const auto& x, int axis) { return expanding_window(x, sum, axis); });
    along("expanding median",
          [](const auto& x, int axis) { return expanding_window(x, median, axis); });
    check(cases);
    check({
        typed("convolve1d by taps elsewhere",
              [](const auto& s) { return convolve1d(s.x, s.v(range(0, 3)), 1); }),
        both("rolling with steps",
             [](const auto& s) {
                 return fixed_rolling_window(s.x, 3, standard_deviation, 1, {.step = 2});
             }),
        both("rolling into what is incomplete",
             [](const auto& s) {
                 return fixed_rolling_window(
                     s.x, 3, mean, 1, {.position = WindowPosition::trailing, .incomplete = -1.0});
             }),
        both("cumsum of numbers", [](const auto& s) { return cumsum(s.gaps, 1, skip_nan); }),
        both("cummax of numbers", [](const auto& s) { return cummax(s.gaps, 1, skip_nan); }),
        both("ranks of numbers", [](const auto& s) { return ranks(s.gaps, 1, skip_nan); }),
        both("forward_fill", [](const auto& s) { return forward_fill(s.gaps, 1); }),
        both("forward_fill by a mask", [](const auto& s) { return forward_fill(s.x, s.b, 1); }),
        both("backward_fill", [](const auto& s) { return backward_fill(s.gaps, 0); }),
        both("rolling of numbers",
             [](const auto& s) { return fixed_rolling_window(s.gaps, 3, mean(skip_nan), 1); }),
        both("range_windows",
             [](const auto& s) {
                 return range_windows(s.v, std::vector<index_t>{0, 2}, std::vector<index_t>{3, 7},
                                      sum);
             }),
        both("variable_rolling_window",
             [](const auto& s) { return variable_rolling_window(s.v, s.up, 4.0, mean); }),
        typed("rolling by a function",
              [](const auto& s) {
                  return fixed_rolling_window(
                      s.x, 3, [](const Tensor<double>& w) { return w(0) * 2; }, 1);
              }),
        typed("scan",
              [](const auto& s) {
                  return scan(
                      s.x, [](double a, double b) { return a / 2 + b; }, 0.0, 1);
              }),
        typed("map_axis",
              [](const auto& s) {
                  return map_axis([](const auto& lane) { return sort(lane); }, s.x, 1);
              }),
        typed("sort by a function",
              [](const auto& s) { return sort(s.x, 1, [](double a, double b) { return b < a; }); }),
        typed("argsort by a function",
              [](const auto& s) {
                  return argsort(s.x, 1, [](double a, double b) { return b < a; });
              }),
        typed("sort along a dim",
              [](const auto& s) {
                  const Dim i("i"), j("j");
                  return order(sort(s.x(i, j), i), i, j);
              }),
        typed("rolling along a dim",
              [](const auto& s) {
                  const Dim i("i"), j("j");
                  return order(fixed_rolling_window(s.x(i, j), 3, sum, i), i, j);
              }),
    });
}

} // namespace lanes_elsewhere_test
