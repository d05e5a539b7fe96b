/// Scans and rolling windows: loops as one writes them, which the compiler may vectorise where it can.

#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t kMany = 10'000'000;
constexpr std::size_t kWindow = 100;

void cumsum(const double* x, std::size_t count, double* out) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) out[i] = sum += x[i];
}

void cummax(const double* x, std::size_t count, double* out) {
    double greatest = x[0];
    for (std::size_t i = 0; i < count; ++i) out[i] = greatest = std::max(greatest, x[i]);
}

/// The element about which a window is centred, the first and the last one beyond the ends.
double at(const double* x, std::size_t count, std::size_t i) {
    return x[std::clamp(i, kWindow / 2, count - 1 + kWindow / 2) - kWindow / 2];
}

/// One comes in, one goes out: fast, but it drifts, and a NaN stays for ever.
void rolling_sum(const double* x, std::size_t count, double* out, double scale) {
    double sum = 0;
    for (std::size_t i = 0; i < kWindow; ++i) sum += at(x, count, i);
    out[0] = sum * scale;
    for (std::size_t i = 1; i < count; ++i) {
        sum += at(x, count, i + kWindow - 1) - at(x, count, i - 1);
        out[i] = sum * scale;
    }
}

/// A queue of candidates, each better than those behind it (Lemire 2006).
template <typename Better>
void rolling_extreme(const double* x, std::size_t count, double* out, Better better) {
    std::vector<std::size_t> queue(count + kWindow);
    std::size_t head = 0;
    std::size_t tail = 0;
    for (std::size_t i = 0; i < count + kWindow - 1; ++i) {
        const double value = at(x, count, i);
        while (tail > head && !better(at(x, count, queue[tail - 1]), value)) --tail;
        queue[tail++] = i;
        if (i < kWindow - 1) continue;
        if (queue[head] + kWindow <= i) ++head;
        out[i - (kWindow - 1)] = at(x, count, queue[head]);
    }
}

/// SciPy's window of standard deviation 2, reflected at the ends.
void gaussian(const double* x, std::size_t count, double* out) {
    constexpr std::size_t kRadius = 8;
    double taps[2 * kRadius + 1];
    double sum = 0;
    for (std::size_t k = 0; k <= 2 * kRadius; ++k) {
        const double z = (static_cast<double>(k) - static_cast<double>(kRadius)) / 2;
        sum += taps[k] = std::exp(-0.5 * z * z);
    }
    for (double& tap : taps) tap /= sum;
    const auto edge = [&](std::size_t i) {
        double value = 0;
        for (std::size_t k = 0; k <= 2 * kRadius; ++k) {
            auto place = static_cast<std::ptrdiff_t>(i + k) - static_cast<std::ptrdiff_t>(kRadius);
            if (place < 0) place = -1 - place;
            if (place >= static_cast<std::ptrdiff_t>(count))
                place = 2 * static_cast<std::ptrdiff_t>(count) - 1 - place;
            value += taps[k] * x[place];
        }
        return value;
    };
    for (std::size_t i = 0; i < kRadius; ++i) out[i] = edge(i);
    for (std::size_t i = kRadius; i < count - kRadius; ++i) {
        double value = 0;
        for (std::size_t k = 0; k <= 2 * kRadius; ++k) value += taps[k] * x[i + k - kRadius];
        out[i] = value;
    }
    for (std::size_t i = count - kRadius; i < count; ++i) out[i] = edge(i);
}

const Cases lanes([] {
    const auto add_line = [](const char* name, auto work) {
        add(case_name(name, "10000000", "float64"), [=] {
            const auto x = random_memory<double>(kMany, 1);
            return into<double>(kMany, [=](double* out) { work(x.get(), kMany, out); });
        });
    };
    add_line("cumsum", cumsum);
    add_line("cummax", cummax);
    add_line("rolling_sum", [](const double* x, std::size_t count, double* out) {
        rolling_sum(x, count, out, 1.0);
    });
    add_line("rolling_mean", [](const double* x, std::size_t count, double* out) {
        rolling_sum(x, count, out, 1.0 / kWindow);
    });
    add_line("rolling_min", [](const double* x, std::size_t count, double* out) {
        rolling_extreme(x, count, out, [](double a, double b) { return a < b; });
    });
    add_line("rolling_max", [](const double* x, std::size_t count, double* out) {
        rolling_extreme(x, count, out, [](double a, double b) { return a > b; });
    });
    add_line("gaussian", gaussian);
});

} // namespace
