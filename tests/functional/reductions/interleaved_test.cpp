#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace interleaved_test {

// Few columns of many rows, such as the channels of a picture, are reduced over the rows.

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> numbers(std::mt19937& random, const pv::Shape& shape) {
    std::uniform_int_distribution<int> value(0, 120);
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::vector<T> values(static_cast<std::size_t>(size));
    for (auto&& each : values) each = static_cast<T>(value(random) % (1 + value(random)));
    return pv::tensor(std::move(values), shape);
}

/// The elements of each result, by loops over all coordinates.
template <typename T>
std::vector<std::vector<double>> groups_of(const pv::Tensor<T>& x,
                                           const std::vector<index_t>& axes) {
    const auto shape = x.shape();
    const std::vector<T> elements = pv::to_vector(x);
    index_t count = 1;
    const auto is_kept = [&](std::size_t axis) {
        return std::ranges::find(axes, static_cast<index_t>(axis)) == axes.end();
    };
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (is_kept(axis)) count *= shape[axis];
    std::vector<std::vector<double>> groups(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto at = static_cast<index_t>(i);
        index_t group = 0;
        index_t step = 1;
        for (std::size_t axis = shape.size(); axis-- > 0; at /= shape[axis])
            if (is_kept(axis)) {
                group += at % shape[axis] * step;
                step *= shape[axis];
            }
        groups[static_cast<std::size_t>(group)].push_back(static_cast<double>(elements[i]));
    }
    return groups;
}

/// A central moment, about the mean of the differences from the first element: these are exact.
long double moment(const std::vector<double>& x, int power) {
    long double sum = 0;
    for (const double each : x) sum += static_cast<long double>(each) - x[0];
    const long double mean = sum / static_cast<long double>(x.size());
    long double powers = 0;
    for (const double each : x) {
        const long double deviation = each - static_cast<long double>(x[0]) - mean;
        long double product = 1;
        for (int i = 0; i < power; ++i) product *= deviation;
        powers += product;
    }
    return powers / static_cast<long double>(x.size());
}

bool near(double a, long double b, double tolerance) {
    return std::isnan(a)
               ? std::isnan(b)
               : std::abs(static_cast<long double>(a) - b) <= tolerance * std::abs(b) + 1e-30L;
}

template <typename T>
void check(const pv::Tensor<T>& x, const std::vector<index_t>& axes) {
    const std::vector<std::vector<double>> groups = groups_of(x, axes);
    const double tolerance = std::is_same_v<T, float> ? 1e-6 : 1e-12;
    const auto variances = pv::to_vector(pv::variance(x, axes));
    const auto deviations = pv::to_vector(pv::standard_deviation(x, axes, pv::keep_dims));
    const auto samples = pv::to_vector(pv::sample_variance(x, axes));
    REQUIRE(variances.size() == groups.size());
    REQUIRE(deviations.size() == groups.size());
    bool right = true;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        const auto count = static_cast<long double>(groups[g].size());
        const long double squares = moment(groups[g], 2);
        right = right && near(static_cast<double>(variances[g]), squares, tolerance) &&
                near(static_cast<double>(deviations[g]), std::sqrt(squares), tolerance) &&
                (count < 2 ||
                 near(static_cast<double>(samples[g]), squares * count / (count - 1), tolerance));
    }
    CHECK(right);
    if (groups.empty() || groups[0].empty()) return;
    const auto least = pv::to_vector(pv::min(x, axes));
    const auto greatest = pv::to_vector(pv::max(x, axes));
    const auto first = pv::to_vector(pv::argmax(x, axes));
    const auto quantiles = pv::to_vector(pv::quantile(x, {0., .25, 1.}, axes));
    const auto medians = pv::to_vector(pv::median(x, axes));
    for (std::size_t g = 0; g < groups.size(); ++g) {
        std::vector<double> sorted = groups[g];
        std::ranges::sort(sorted);
        const std::size_t last = sorted.size() - 1;
        const double middle = (sorted[last / 2] + sorted[last - last / 2]) / 2;
        const double quarter = static_cast<double>(last) / 4;
        const auto below = static_cast<std::size_t>(quarter);
        const double low = sorted[below];
        const double high = sorted[std::min(below + 1, last)];
        right = right && static_cast<double>(least[g]) == sorted[0] &&
                static_cast<double>(greatest[g]) == sorted[last] &&
                first[g] == std::ranges::max_element(groups[g]) - groups[g].begin() &&
                static_cast<double>(medians[g]) == middle &&
                static_cast<double>(quantiles[g]) == sorted[0] &&
                std::abs(static_cast<double>(quantiles[groups.size() + g]) -
                         (low + (high - low) * (quarter - std::floor(quarter)))) < 1e-4 &&
                static_cast<double>(quantiles[2 * groups.size() + g]) == sorted[last];
    }
    CHECK(right);
}

} // namespace

TEMPLATE_TEST_CASE("statistics of interleaved columns and of views of them", "", bool, std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, float, double) {
    std::mt19937 random(1);
    const index_t extents[] = {0, 1, 2, 7, 40, 90};
    const index_t channels[] = {1, 2, 3, 4, 5, 16, 63, 64, 65};
    for (int round = 0; round < oracle::rounds(24); ++round) {
        const index_t height = extents[random() % 6];
        const index_t width = extents[random() % 6];
        const index_t depth = channels[random() % 9];
        INFO(height << " x " << width << " x " << depth);
        const pv::Tensor<TestType> x = numbers<TestType>(random, {height, width, depth});
        check<TestType>(x, {0, 1});
        check<TestType>(x, {1});
        check<TestType>(x, {0});
        check<TestType>(pv::reshape(x, {height * width, depth}), {0});
        check<TestType>(pv::flip(x, 0), {0, 1});
        check<TestType>(pv::flip(x, 2), {0, 1});
        check<TestType>(pv::flip(x, {0, 2}), {1});
        check<TestType>(pv::transpose(pv::flip(x, {1, 2}), {2, 1, 0}), {2});
        check<TestType>(pv::transpose(x, {2, 0, 1}), {1, 2});
        check<TestType>(pv::transpose(x, {2, 0, 1}), {2});
        check<TestType>(pv::transpose(x, {1, 2, 0}), {0, 2});
        if (height > 2 && width > 2 && depth > 2) {
            check<TestType>(x(pv::range(1, height - 1), pv::range(0, width, 2)), {0, 1});
            check<TestType>(x(pv::all, pv::range(1, width), pv::range(0, 2)), {0, 1});
            check<TestType>(x(pv::all, pv::all, {2, 0, 1}), {0, 1});
        }
    }
}

TEST_CASE("interleaved columns with a large offset keep their digits") {
    std::mt19937 random(2);
    std::normal_distribution<double> noise(0, 1e-3);
    for (const index_t columns : {1, 2, 3, 4, 8, 63, 64}) {
        const index_t rows = 20'003;
        std::vector<double> values(static_cast<std::size_t>(rows * columns));
        for (double& each : values) each = 1e9 + noise(random);
        const pv::Tensor<double> x = pv::tensor(std::move(values), {rows, columns});
        const auto groups = groups_of(x, {0});
        const auto variances = pv::to_vector(pv::variance(x, 0));
        for (std::size_t g = 0; g < groups.size(); ++g)
            CHECK(near(variances[g], moment(groups[g], 2), 1e-11));
        if (columns == 1) continue; // of float32, which are summed as such
        const pv::Tensor<float> single = pv::clone(pv::cast<float>(x - 999'999'000.));
        const auto of_single = groups_of(single, {0});
        const auto found = pv::to_vector(pv::variance(single, 0));
        for (std::size_t g = 0; g < groups.size(); ++g)
            CHECK(near(static_cast<double>(found[g]), moment(of_single[g], 2), 1e-6));
    }
}

TEST_CASE("higher moments and extremes of interleaved columns") {
    std::mt19937 random(3);
    const pv::Tensor<double> x = numbers<double>(random, {5'000, 3});
    const auto groups = groups_of(x, {0});
    const auto skews = pv::to_vector(pv::skewness(x, 0));
    const auto tails = pv::to_vector(pv::kurtosis(x, 0));
    for (std::size_t g = 0; g < 3; ++g) {
        const long double squares = moment(groups[g], 2);
        CHECK(near(skews[g], moment(groups[g], 3) / std::pow(squares, 1.5L), 1e-11));
        CHECK(near(tails[g], moment(groups[g], 4) / (squares * squares) - 3, 1e-10));
    }
}

TEST_CASE("NaN and infinities stay in their column") {
    std::mt19937 random(4);
    for (const double odd :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        auto x = numbers<double>(random, {4'000, 3});
        const auto whole = pv::to_vector(pv::variance(x, 0));
        x(2'222, 1) = odd;
        const auto found = pv::to_vector(pv::variance(x, 0));
        const auto single = pv::to_vector(pv::variance(pv::cast<float>(x), 0));
        CHECK(found[0] == whole[0]);
        CHECK(std::isnan(found[1]));
        CHECK(found[2] == whole[2]);
        CHECK(std::isnan(single[1]));
        CHECK(near(static_cast<double>(single[2]), whole[2], 1e-6));
    }
}

TEST_CASE("moments of interleaved columns are the same for any number of threads") {
    std::mt19937 random(5);
    const pv::Tensor<float> x = numbers<float>(random, {1'501, 777, 3});
    const int threads = pv::threads();
    pv::set_threads(1);
    const auto all = pv::to_vector(pv::variance(x, {0, 1}));
    const auto lines = pv::to_vector(pv::variance(x / 7.f, {1}));
    for (const int count : {2, 3, 8}) {
        pv::set_threads(count);
        CHECK(pv::to_vector(pv::variance(x, {0, 1})) == all);
        CHECK(pv::to_vector(pv::variance(x / 7.f, {1})) == lines);
    }
    pv::set_threads(threads);
}

} // namespace interleaved_test
