/// Work along lines of numbers: windows, scans and convolutions of a noisy signal, with gaps in it.

#include <purview/purview.hpp>

#include "check.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace pv = purview;

namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

void windows() {
    // [windows]
    auto x = pv::tensor({15, 14, 13, 12, 11, 10, 9, 8, 7, 6});
    auto least = pv::fixed_rolling_window(x, 3, pv::min); // 14 13 12 11 10 9 8 7 6 6
    auto sums = x | pv::fixed_rolling_window(3, pv::sum); // 44 42 39 36 33 30 27 24 21 19
    auto week = pv::fixed_rolling_window(x, 7, pv::mean, {pv::WindowPosition::left});
    auto spread = pv::fixed_rolling_window(
        x, 3, [](const pv::Tensor<int>& w) { return pv::max(w) - pv::min(w); });
    auto best_so_far = pv::expanding_window(x, pv::max);
    // [/windows]
    check(pv::equals(least, pv::tensor({14, 13, 12, 11, 10, 9, 8, 7, 6, 6})), "minima of three");
    check(pv::equals(sums, pv::tensor({44, 42, 39, 36, 33, 30, 27, 24, 21, 19})), "sums of three");
    check(week(6) == 12.0, "the mean of seven days");
    check(spread(4) == 2 && spread(0) == 1, "a function of each window");
    check(best_so_far(9) == 15, "the greatest so far");
}

void times() {
    // [times]
    auto seconds = pv::tensor({0.0, 1.0, 1.5, 60.0, 61.0}); // when something was measured
    auto values = pv::tensor({1.0, 2.0, 3.0, 4.0, 5.0});
    auto recent = pv::variable_rolling_window(values, seconds, 10.0, pv::mean); // in the last ten
    // [/times]
    check(pv::equals(recent, pv::tensor({1.0, 1.5, 2.0, 4.0, 4.5})), "means of ten seconds");
}

void scans() {
    // [scans]
    auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}});
    auto along_rows = pv::cumsum(m); // [[3 4 6] [0 5 9]], int64
    auto down = m | pv::cumsum(0);   // [[3 1 2] [3 6 6]]
    auto [day, hour] = pv::dims("day", "hour");
    auto record = pv::cummax(m(day, hour), day); // axes may be Dims
    auto ranges = m | pv::reduce_axis([](const pv::Tensor<int>& lane) {
                      return pv::max(lane) - pv::min(lane);
                  });
    // [/scans]
    check(pv::equals(along_rows, pv::tensor<std::int64_t>({{3, 4, 6}, {0, 5, 9}})),
          "cumsum of rows");
    check(pv::equals(down, pv::tensor<std::int64_t>({{3, 1, 2}, {3, 6, 6}})), "cumsum down");
    const pv::Tensor<int> greatest = record | pv::order(day, hour);
    check(pv::equals(greatest, pv::tensor({{3, 1, 2}, {3, 5, 4}})), "cummax over a Dim");
    check(pv::equals(ranges, pv::tensor({2, 5})), "a function of each lane");
}

void gaps() {
    // [gaps]
    auto x = pv::tensor({1.0, kGap, 3.0});
    double kept = pv::mean(x);                  // NaN: it is in the result if nothing is said
    double skipped = pv::mean(x, pv::skip_nan); // 2: the mean of the others
    auto y = pv::tensor({1.0, 1e100, 1.0, -1e100});
    double exact = pv::compensated_sum(y); // 2, where sum has lost the ones
    // [/gaps]
    check(std::isnan(kept) && skipped == 2, "NaN is kept, unless it is skipped");
    check(exact == 2, "nothing is rounded away");
}

void smoothing() {
    // [smoothing]
    auto t = pv::linspace(0.0, 6.283185307179586, 629);
    auto signal = pv::sin(t) + 0.2 * pv::sin(40.0 * t);
    auto smooth = pv::gaussian1d(signal, 8.0);
    auto box =
        pv::convolve1d(signal, pv::full({9}, 1.0 / 9), {pv::ConvolveMode::same, pv::PadMode::edge});
    auto slope = pv::gradient1d(smooth, 0.01);   // lazy
    auto plotted = smooth | pv::downsample(100); // a view
    // [/smoothing]
    const auto inside = pv::range(40, -40); // the ends are reflected, which a slope is not like
    check(pv::max(pv::abs(smooth - pv::sin(t))(inside)) < 0.05, "the noise is gone");
    check(pv::distance(box, pv::sin(t)) < pv::distance(signal, pv::sin(t)), "and so with a box");
    check(std::abs(double(slope(314)) + 1) < 0.05, "the sine's slope at pi");
    check(plotted.size() == 100, "a hundred are enough for a plot");
}

} // namespace

int main() {
    windows();
    times();
    scans();
    gaps();
    smoothing();
    return exit_status();
}
