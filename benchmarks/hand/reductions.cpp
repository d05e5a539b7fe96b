/// Reductions with enough accumulators for vectors; the arg-max looks for the value, then for its place.

#include "inputs.hpp"

#include <algorithm>
#include <array>

namespace {

using namespace bench;

constexpr std::size_t kSide = 4096, kCount = kSide * kSide, kLanes = 32;
using Lanes = std::array<double, kLanes>;

/// combine(lane, x[i]) over all elements; as many as there are lanes divides their number.
template <typename Combine>
Lanes fold(const double* x, std::size_t count, double start, Combine combine) {
    Lanes lanes;
    lanes.fill(start);
    for (std::size_t i = 0; i < count; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = combine(lanes[k], x[i + k]);
    return lanes;
}

double sum(const double* x, std::size_t count) {
    double total = 0;
    for (const double lane : fold(x, count, 0, [](double a, double b) { return a + b; }))
        total += lane;
    return total;
}

double minimum(const double* x, std::size_t count) {
    const Lanes lanes = fold(x, count, x[0], [](double a, double b) { return b < a ? b : a; });
    return *std::ranges::min_element(lanes);
}

/// The first place of the greatest: blocks that fit L1 are searched only if they hold a greater one.
std::size_t argmax(const double* x, std::size_t count) {
    constexpr std::size_t kBlock = 2048;
    double best = x[0];
    std::size_t place = 0;
    for (std::size_t i = 0; i < count; i += kBlock) {
        const Lanes lanes =
            fold(x + i, kBlock, best, [](double a, double b) { return b > a ? b : a; });
        const double greatest = *std::ranges::max_element(lanes);
        if (greatest > best) {
            best = greatest;
            place = i + static_cast<std::size_t>(std::find(x + i, x + i + kBlock, best) - (x + i));
        }
    }
    return place;
}

/// One pass, about the first element.
double variance(const double* x, std::size_t count) {
    const double shift = x[0];
    Lanes sums{}, squares{};
    for (std::size_t i = 0; i < count; i += kLanes)
        for (std::size_t k = 0; k < kLanes; ++k) {
            const double d = x[i + k] - shift;
            sums[k] += d;
            squares[k] += d * d;
        }
    double s = 0, q = 0;
    for (std::size_t k = 0; k < kLanes; ++k) {
        s += sums[k];
        q += squares[k];
    }
    const auto n = static_cast<double>(count);
    return (q - s * s / n) / n;
}

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_memory<double>(kCount, 1);
        return number([=] { return reduce(matrix.get(), kCount); });
    });
}

const Cases reductions([] {
    add_reduction("sum", sum);
    add_reduction("mean", [](const double* x, std::size_t count) {
        return sum(x, count) / static_cast<double>(count);
    });
    add_reduction("min", minimum);
    add_reduction("argmax", argmax);
    add_reduction("variance", variance);
    add("variance_channels/2048x2048x3/uint8", [] {
        constexpr std::size_t kPixels = 2048 * 2048;
        const auto image = random_memory<std::uint8_t>(3 * kPixels, 1);
        return into<double>(3, [=](double* out) {
            std::uint64_t sums[3] = {}, squares[3] = {};
            for (std::size_t i = 0; i < 3 * kPixels; i += 3)
                for (std::size_t c = 0; c < 3; ++c) {
                    const std::uint32_t x = image.get()[i + c];
                    sums[c] += x;
                    squares[c] += x * x;
                }
            constexpr auto kAll = static_cast<double>(kPixels);
            for (std::size_t c = 0; c < 3; ++c) {
                const double mean = static_cast<double>(sums[c]) / kAll;
                out[c] = static_cast<double>(squares[c]) / kAll - mean * mean;
            }
        });
    });
    add("sum_axis0/4096x4096/float64", [] {
        const auto matrix = random_memory<double>(kCount, 1);
        return into<double>(kSide, [=](double* __restrict out) {
            std::fill_n(out, kSide, 0.0);
            for (std::size_t i = 0; i < kSide; ++i) {
                const double* const row = matrix.get() + i * kSide;
                for (std::size_t j = 0; j < kSide; ++j) out[j] += row[j];
            }
        });
    });
    add("sum_axis1/4096x4096/float64", [] {
        const auto matrix = random_memory<double>(kCount, 1);
        return into<double>(kSide, [=](double* out) {
            for (std::size_t i = 0; i < kSide; ++i) out[i] = sum(matrix.get() + i * kSide, kSide);
        });
    });
});

} // namespace
