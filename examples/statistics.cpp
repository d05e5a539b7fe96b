/// A small table, described and grouped: what statistics there are, each checked against what it has to be.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace pv = purview;

namespace {

bool near(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

void describe() {
    // [describe]
    const auto heights = pv::tensor({1.62, 1.75, 1.81, 1.68, 1.93, 1.75});
    using S = pv::Statistic;
    const auto described = pv::descriptive_statistics(
        heights, {S::mean, S::standard_deviation, S::skewness, S::median});
    for (const auto& [statistic, value] : described)
        std::cout << pv::name_of(statistic) << ": " << value << '\n';
    check(near(described[S::mean], pv::mean(heights)), "each is what its own function gives");
    check(pv::percentile(heights, 50) == 1.75, "linear between elements, as NumPy's");
    check(near(pv::percentile(heights, 90, pv::QuantileMethod::weibull), 1.93), "or another way");
    // [/describe]
}

void over_axes() {
    // [over-axes]
    const auto days = pv::reshape(pv::arange(28.0), {4, 7});
    const auto weekdays = pv::median(days, 0);                // [7]
    const auto spread = pv::percentile(days, {10, 90}, 1);    // [2 4]
    const auto third = pv::moment(days, 3, 1, pv::keep_dims); // [4 1]
    // [/over-axes]
    check(weekdays.shape() == pv::Shape{7} && weekdays(0) == 10.5, "medians of columns");
    check(spread.shape() == pv::Shape{2, 4} && near(spread(0, 1), 7.6), "percentiles of rows");
    check(third.shape() == pv::Shape{4, 1} && std::abs(third(2, 0)) < 1e-12, "of no skew");
}

void histogram() {
    // [histogram]
    const auto x = pv::tensor({0.1, 0.4, 0.4, 0.9, 2.5});
    const auto [counts, edges] = pv::histogram(x, {4, 0.0, 2.0}); // between 0 and 2
    // [/histogram]
    check(pv::to_vector(counts) == std::vector<std::int64_t>{3, 1, 0, 0}, "2.5 lies outside");
    check(pv::to_vector(edges) == std::vector<double>{0, 0.5, 1, 1.5, 2}, "the edges");
}

void correlation() {
    // [correlation]
    const auto hours = pv::tensor({1.0, 2.0, 3.0, 4.0, 5.0});
    const auto marks = pv::tensor({2.1, 3.9, 6.2, 7.8, 10.1});
    const pv::LinearRegression line = pv::linear_regression(hours, marks);
    std::cout << "slope " << line.slope << " +- " << line.slope_error << '\n';
    check(near(line.correlation, pv::pearson(hours, marks)), "r");
    check(near(pv::kendall(hours, marks), 1), "both rise together");
    // [/correlation]
    check(near(line.slope, 1.99), "by hand");
}

void group() {
    // [group]
    const auto shops = pv::tensor({"north", "south", "north", "east", "south", "north"});
    const auto sales = pv::tensor({10.0, 20.0, 30.0, 40.0, 50.0, 90.0});
    const auto [names, totals, sizes, medians] =
        pv::group_by_reduce(shops, sales, pv::sum, pv::group_size, pv::median);
    for (pv::index_t g = 0; g < names.size(); ++g)
        std::cout << names(g) << ": " << totals(g) << " in " << sizes(g) << '\n';
    check(pv::to_vector(totals) == std::vector<double>{40, 130, 70}, "east, north, south");
    check(medians(1) == 30, "any function of a group's values reduces it");
    // [/group]
}

} // namespace

int main() {
    describe();
    over_axes();
    histogram();
    correlation();
    group();
    return exit_status();
}
