#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace reduce_windows_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
std::vector<T> random_elements(std::mt19937& random, index_t count) {
    std::uniform_int_distribution<int> value(0, 250);
    std::vector<T> elements;
    for (index_t i = 0; i < count; ++i) {
        elements.push_back(static_cast<T>(value(random)));
        if constexpr (std::is_floating_point_v<T>)
            if (value(random) == 0) elements.back() = std::numeric_limits<T>::quiet_NaN();
    }
    return elements;
}

bool same_value(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Windows of `kernel` elements, `dilation` apart, every `step` of an axis.
struct Windows {
    index_t kernel, step, dilation, count;

    index_t extent() const {
        return count == 0 ? 0 : (count - 1) * step + (kernel - 1) * dilation + 1;
    }
};

/// max, min, sum, mean of x[i·s + a·d, j·s + b·d, c] over a and b.
template <typename T>
void check_windows(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least, index_t most) {
        return std::uniform_int_distribution<index_t>(least, most)(random);
    };
    const auto windows = [&](index_t most) {
        return Windows{size(1, 4), size(1, 3), size(1, 2), size(0, most)};
    };
    const Windows down = windows(20), across = windows(90);
    const index_t channels = seed % 3 == 0 ? size(1, 4) : 1;
    const index_t height = down.extent(), width = across.extent();
    const auto elements = random_elements<T>(random, height * width * channels);
    const pv::Tensor<T> memory = pv::tensor(elements, {height, width, channels});
    const bool computes = seed % 4 == 3;
    const pv::Tensor<T> x = computes ? pv::Tensor<T>(memory * T{1}) : memory;
    const pv::Dim i("i", down.count), j("j", across.count), a("a", down.kernel),
        b("b", across.kernel);
    const auto view = x(down.step * i + down.dilation * a, across.step * j + across.dilation * b);
    const pv::Tensor<T> greatest = pv::max(view, {a, b}) | pv::order(i, j);
    const pv::Tensor<T> least = pv::min(view, {b, a}) | pv::order(j, i);
    const pv::Tensor<double> sums = pv::cast<double>(pv::sum(view, {a, b})) | pv::order(i, j);
    const pv::Tensor<double> means = pv::cast<double>(pv::mean(view, {a, b})) | pv::order(i, j);
    for (index_t r = 0; r < down.count; ++r)
        for (index_t q = 0; q < across.count; ++q)
            for (index_t c = 0; c < channels; ++c) {
                double most = -1, fewest = 1000, sum = 0;
                bool nan = false;
                for (index_t m = 0; m < down.kernel; ++m)
                    for (index_t n = 0; n < across.kernel; ++n) {
                        const index_t row = down.step * r + down.dilation * m;
                        const index_t column = across.step * q + across.dilation * n;
                        const auto value = static_cast<double>(elements[static_cast<std::size_t>(
                            (row * width + column) * channels + c)]);
                        nan = nan || std::isnan(value);
                        most = std::max(most, value);
                        fewest = std::min(fewest, value);
                        sum += value;
                    }
                const double count = static_cast<double>(down.kernel * across.kernel);
                if (nan) most = fewest = sum = std::nan("");
                REQUIRE(same_value(static_cast<double>(greatest(r, q, c)), most));
                REQUIRE(same_value(static_cast<double>(least(q, r, c)), fewest));
                REQUIRE(same_value(sums(r, q, c), sum));
                const double off = std::abs(means(r, q, c) - sum / count);
                REQUIRE((nan || off <= 1e-5 * sum));
            }
}

} // namespace

TEST_CASE("reductions of windows agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        check_windows<double>(seed);
        check_windows<float>(seed);
        check_windows<std::uint8_t>(seed);
    }
}

TEST_CASE("long windows agree with nested loops") {
    std::mt19937 random(7);
    for (const index_t kernel : {2, 30, 62, 63, 127, 128, 129, 300}) {
        INFO(kernel);
        const auto elements = random_elements<std::int32_t>(random, 500 + kernel - 1);
        const pv::Dim i("i", 500), k("k", kernel);
        const auto x = pv::tensor(elements);
        const pv::Tensor<std::int64_t> sums = pv::sum(x(i + k), k) | pv::order(i);
        const pv::Tensor<std::int32_t> least = pv::min(x(i + k), k) | pv::order(i);
        for (index_t at = 0; at < 500; ++at) {
            const auto first = elements.begin() + at;
            REQUIRE(sums(at) == std::accumulate(first, first + kernel, std::int64_t{0}));
            REQUIRE(least(at) == *std::min_element(first, first + kernel));
        }
    }
}

TEST_CASE("windows of expressions, of bools and over several tensors") {
    std::mt19937 random(9);
    const auto elements = random_elements<std::int64_t>(random, 40 * 103);
    const auto x = pv::tensor(elements, {40, 103});
    const pv::Dim i("i", 38), j("j", 100), a("a", 3), b("b", 4);
    const auto view = x(i + a, j + b);
    const pv::Tensor<bool> some = pv::any_of(view > 240, {a, b}) | pv::order(i, j);
    const pv::Tensor<bool> every = pv::all_of(view < 240, {a, b}) | pv::order(i, j);
    const pv::Tensor<std::int64_t> greatest =
        pv::max(view * view - x(i + 2, j + 0), {a, b}) | pv::order(i, j);
    for (index_t r = 0; r < 38; ++r)
        for (index_t q = 0; q < 100; ++q) {
            bool any = false, all = true;
            std::int64_t most = std::numeric_limits<std::int64_t>::min();
            for (index_t m = 0; m < 3; ++m)
                for (index_t n = 0; n < 4; ++n) {
                    const std::int64_t value = x(r + m, q + n);
                    any = any || value > 240;
                    all = all && value < 240;
                    most = std::max(most, value * value - x(r + 2, q));
                }
            REQUIRE(some(r, q) == any);
            REQUIRE(every(r, q) == all);
            REQUIRE(greatest(r, q) == most);
        }
}

TEST_CASE("pools of windows that do not overlap agree with nested loops") {
    std::mt19937 random(11);
    for (const index_t channels : {1, 3, 80})
        for (const index_t size : {2, 3, 5}) {
            INFO(channels << " " << size);
            const index_t rows = 6, columns = 40;
            const auto elements =
                random_elements<float>(random, rows * size * columns * size * channels);
            const auto x = pv::tensor(elements, {rows, size, columns, size, channels});
            const pv::Tensor<float> greatest = pv::max(x, {1, 3});
            const pv::Tensor<float> sums = pv::sum(x, {1, 3});
            for (index_t r = 0; r < rows; ++r)
                for (index_t q = 0; q < columns; ++q)
                    for (index_t c = 0; c < channels; ++c) {
                        double most = -1, sum = 0;
                        for (index_t m = 0; m < size; ++m)
                            for (index_t n = 0; n < size; ++n) {
                                const double value = x(r, m, q, n, c);
                                most = std::isnan(value) ? value : std::max(value, most);
                                sum += value;
                            }
                        if (std::isnan(sum)) most = sum;
                        REQUIRE(same_value(static_cast<double>(greatest(r, q, c)), most));
                        REQUIRE(same_value(static_cast<double>(sums(r, q, c)), sum));
                    }
        }
}

/// Means of windows are their sums, divided: the same bits, wherever the division is done.
template <typename T>
void check_means(index_t count, index_t kernel, index_t step, std::mt19937& random) {
    INFO(count << " windows of " << kernel << ", every " << step);
    const index_t rows = 3;
    const index_t width = (count - 1) * step + kernel;
    const pv::Tensor<T> x =
        pv::tensor(random_elements<T>(random, (rows + 1) * width), {rows + 1, width}) / T{7};
    const pv::Dim r("r", rows), i("i", count), a("a", 2), k("k", kernel);
    const auto windows = x(r + a, step * i + k);
    const auto n = static_cast<T>(2 * kernel);
    const auto same = [](const pv::Tensor<T>& means, const pv::Tensor<T>& expected) {
        REQUIRE(means.shape() == expected.shape());
        const pv::Tensor<T> memory = pv::clone(means), others = pv::clone(expected);
        for (index_t at = 0; at < memory.size(); ++at)
            CHECK(
                same_value(static_cast<double>(pv::as_span(memory)[static_cast<std::size_t>(at)]),
                           static_cast<double>(pv::as_span(others)[static_cast<std::size_t>(at)])));
    };
    const pv::Tensor<T> sums = pv::sum(windows, {a, k}) | pv::order(r, i);
    same(pv::mean(windows, {a, k}) | pv::order(r, i), sums / n);
    const pv::Tensor<T> turned = pv::sum(windows, {a, k}) | pv::order(i, r);
    same(pv::mean(windows, {a, k}) | pv::order(i, r), turned / n);
    const pv::Tensor<T> of_sums = pv::sum(windows + x(r + 0, i + 0), {a, k}) | pv::order(r, i);
    same(pv::mean(windows + x(r + 0, i + 0), {a, k}) | pv::order(r, i), of_sums / n);
    const pv::Tensor<T> products = pv::sum(windows * x(r + 0, k + 0), {a, k}) | pv::order(r, i);
    same(pv::mean(windows * x(r + 0, k + 0), {a, k}) | pv::order(r, i), products / n);
}

TEST_CASE("means of windows are their sums divided by their number of elements") {
    std::mt19937 random(5);
    for (const index_t kernel : {1, 2, 3, 4, 7, 16, 31, 40, 64, 65})
        for (const index_t step : {1, 2, 3})
            for (const index_t count : {5, 30, 150}) {
                check_means<float>(count, kernel, step, random);
                check_means<double>(count, kernel, step, random);
            }
    const pv::Dim i("i", 100), k("k", 3);
    const pv::Tensor<std::int32_t> counts = pv::cast<std::int32_t>(pv::arange(102));
    const pv::Tensor<double> of_counts = pv::mean(counts(i + k), k) | pv::order(i);
    const pv::Tensor<double> of_bools = pv::mean(counts(i + k) >= 50, k) | pv::order(i);
    for (index_t at = 0; at < 100; ++at) {
        CHECK(of_counts(at) == static_cast<double>(at + 1));
        const index_t from = std::max<index_t>(at, 50);
        CHECK(of_bools(at) == static_cast<double>(std::max<index_t>(at + 3 - from, 0)) / 3);
    }
}

/// Extremes of windows of `lines` x `kernel` at every other element of rows, with NaN, inf and zeros
/// of both signs among them.
template <typename T>
void check_pools(index_t lines, index_t kernel, index_t count, std::mt19937& random) {
    INFO(lines << " x " << kernel << ", " << count);
    const index_t images = 2, rows = 3;
    const index_t height = rows - 1 + lines, width = 2 * (count - 1) + kernel;
    auto elements = random_elements<T>(random, images * height * width);
    for (T& each : elements) {
        if (each == 1) each = -std::numeric_limits<T>::infinity();
        if (each < 100) each = each < 50 ? T{0} : -T{0};
    }
    const pv::Tensor<T> memory = pv::tensor(elements, {images, height, width});
    const pv::Dim n("n", images), i("i", rows), j("j", count), a("a", lines), b("b", kernel);
    const auto check = [&](const pv::Tensor<T>& x, auto at) {
        const auto windows = x(n, i + a, 2 * j + b);
        const pv::Tensor<T> greatest = pv::max(windows, {a, b}) | pv::order(n, i, j);
        const pv::Tensor<T> least = pv::min(windows, {a, b}) | pv::order(n, i, j);
        for (index_t p = 0; p < images; ++p)
            for (index_t r = 0; r < rows; ++r)
                for (index_t q = 0; q < count; ++q) {
                    double most = -std::numeric_limits<double>::infinity(), fewest = -most;
                    bool nan = false;
                    for (index_t m = 0; m < lines; ++m)
                        for (index_t k = 0; k < kernel; ++k) {
                            const auto value = static_cast<double>(
                                elements[static_cast<std::size_t>(at(p, r + m, 2 * q + k))]);
                            nan = nan || std::isnan(value);
                            most = std::max(most, value);
                            fewest = std::min(fewest, value);
                        }
                    if (nan) most = fewest = std::numeric_limits<double>::quiet_NaN();
                    REQUIRE(same_value(static_cast<double>(greatest(p, r, q)), most));
                    REQUIRE(same_value(static_cast<double>(least(p, r, q)), fewest));
                }
    };
    const auto place = [=](index_t p, index_t r, index_t c) {
        return (p * height + r) * width + c;
    };
    check(memory, place);
    check(memory * T{1}, place);
    check(pv::flip(memory, {1}),
          [=](index_t p, index_t r, index_t c) { return place(p, height - 1 - r, c); });
    check(pv::flip(memory, {2}),
          [=](index_t p, index_t r, index_t c) { return place(p, r, width - 1 - c); });
    const pv::Tensor<T> turned = pv::clone(memory | pv::transpose({2, 1, 0}));
    check(turned | pv::transpose({2, 1, 0}), place);
}

TEST_CASE("pools of windows that overlap agree with nested loops") {
    std::mt19937 random(13);
    for (const index_t lines : {1, 2, 3, 13})
        for (const index_t kernel : {3, 4, 5, 8, 9})
            for (const index_t count : {63, 64, 511, 1030}) {
                check_pools<float>(lines, kernel, count, random);
                check_pools<double>(lines, kernel, count, random);
            }
}

} // namespace reduce_windows_test
