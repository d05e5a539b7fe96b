/// What is done with columns of a table, as loops.

#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t kRows = 1'000'000;
constexpr std::size_t kMany = 10'000'000;
constexpr std::size_t kWindow = 100;
constexpr std::size_t kClusters = 8;
constexpr std::size_t kSpace = 3;

Memory<std::int64_t> random_indexes(std::size_t count, std::size_t bound) {
    const auto indexes = allocate<std::int64_t>(count);
    fill_random_indexes(indexes.get(), count, bound);
    return indexes;
}

std::vector<std::string> cities() {
    const auto indexes = random_indexes(kRows, 8);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kRows; ++i)
        names.emplace_back(kCities[static_cast<std::size_t>(indexes[i])]);
    return names;
}

template <typename Keys>
void group_sum(const Keys& keys, const double* x, double* sums) {
    std::unordered_map<typename Keys::value_type, double> of_key;
    for (std::size_t i = 0; i < kRows; ++i) of_key[keys[i]] += x[i];
    const std::map<typename Keys::value_type, double> ordered(of_key.begin(), of_key.end());
    for (const auto& [key, sum] : ordered) *sums++ = sum;
}

/// Positive prices and the mask of the dear ones; both as the peers have them.
struct Orders {
    Memory<double> price = random_memory<double>(kRows, 1);
    Memory<double> quantity = random_memory<double>(kRows, 2);
};

/// The mean of the numbers in each whole window, by a running sum and count.
void rolling_mean(const double* x, double* out) {
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
        if (!std::isnan(x[i])) sum += x[i], ++count;
        if (i >= kWindow && !std::isnan(x[i - kWindow])) sum -= x[i - kWindow], --count;
        if (i + 1 >= kWindow) *out++ = sum / static_cast<double>(count);
    }
}

/// Adds each point to the sums of the centre that is nearest.
void kmeans_step(const double* points, const double* centres, double* sums) {
    std::fill_n(sums, kClusters * kSpace, 0.0);
    for (std::size_t i = 0; i < kRows; ++i) {
        const double* const point = points + i * kSpace;
        double apart[kClusters] = {};
        for (std::size_t k = 0; k < kClusters; ++k)
            for (std::size_t d = 0; d < kSpace; ++d) {
                const double difference = point[d] - centres[k * kSpace + d];
                apart[k] += difference * difference;
            }
        const auto nearest =
            static_cast<std::size_t>(std::min_element(apart, apart + kClusters) - apart);
        for (std::size_t d = 0; d < kSpace; ++d) sums[nearest * kSpace + d] += point[d];
    }
}

const Cases tables([] {
    add("group_sum_text/1000000/float64", [] {
        const auto x = random_memory<double>(kRows, 1);
        return into<double>(8,
                            [=, keys = cities()](double* out) { group_sum(keys, x.get(), out); });
    });
    add("group_sum_times/1000000/float64", [] {
        const auto indexes = random_indexes(kRows, 1000);
        std::vector<std::int64_t> keys(indexes.get(), indexes.get() + kRows);
        for (auto& key : keys) key = 1'600'000'000 + 86'400 * key;
        const auto x = random_memory<double>(kRows, 1);
        return into<double>(1000, [=](double* out) { group_sum(keys, x.get(), out); });
    });
    add("take_of_product/1000000/float64", [] {
        const Orders orders;
        const auto indexes = random_indexes(kRows, kRows);
        return into<double>(kRows, [=](double* out) {
            for (std::size_t i = 0; i < kRows; ++i)
                out[i] = orders.price[indexes[i]] * orders.quantity[indexes[i]];
        });
    });
    add("mask_of_product/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            // Where the mask is true, without a branch that nobody foresees; then the leaves there.
            std::vector<std::int64_t> chosen(kRows + 1);
            std::size_t n = 0;
            for (std::size_t i = 0; i < kRows; ++i) {
                chosen[n] = static_cast<std::int64_t>(i);
                n += orders.price[i] > 0.5;
            }
            double sum = 0;
            for (std::size_t k = 0; k < n; ++k)
                sum += orders.price[chosen[k]] * orders.quantity[chosen[k]];
            return sum;
        });
    });
    add("mask/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            std::vector<double> chosen(kRows + 1);
            std::size_t n = 0;
            for (std::size_t i = 0; i < kRows; ++i) {
                chosen[n] = orders.price[i];
                n += orders.quantity[i] > 0.5;
            }
            return chosen[n / 2];
        });
    });
    add("iterate/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            double sum = 0;
            for (std::size_t i = 0; i < kRows; ++i) sum += orders.price[i] * 2 + 1;
            return sum;
        });
    });
    add("iterate_memory/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            double sum = 0;
            for (std::size_t i = 0; i < kRows; ++i) sum += orders.price[i];
            return sum;
        });
    });
    // From the same numbers at each run, so that the result depends on no count of runs.
    add("elements/1000000/float64", [] {
        const auto x = random_memory<double>(kRows, 1);
        return into<double>(kRows, [=](double* out) {
            std::copy_n(x.get(), kRows, out);
            for (std::size_t i = 0; i < kRows; ++i) out[i] = out[i] * 1.0000001 + 1;
        });
    });
    add("equal_text/1000000/bool", [] {
        return into<std::uint8_t>(kRows, [keys = cities()](std::uint8_t* out) {
            for (std::size_t i = 0; i < kRows; ++i) out[i] = keys[i] == "Dublin";
        });
    });
    add("rolling_mean_of_gaps/1000000/float64", [] {
        const auto x = allocate<double>(kRows);
        fill_with_gaps(x.get(), kRows, 3);
        return into<double>(kRows - kWindow + 1, [=](double* out) { rolling_mean(x.get(), out); });
    });
    add("forward_fill/1000000/float64", [] {
        const auto x = allocate<double>(kRows);
        fill_with_gaps(x.get(), kRows, 3);
        return into<double>(kRows, [=](double* out) {
            double last = std::numeric_limits<double>::quiet_NaN();
            for (std::size_t i = 0; i < kRows; ++i) {
                last = std::isnan(x[i]) ? last : x[i];
                out[i] = last;
            }
        });
    });
    add("kmeans_step/1000000x3x8/float64", [] {
        const auto points = random_memory<double>(kRows * kSpace, 1);
        const auto centres = random_memory<double>(kClusters * kSpace, 2);
        return into<double>(kClusters * kSpace,
                            [=](double* sums) { kmeans_step(points.get(), centres.get(), sums); });
    });
    add("indexes_sorted/10000000/float64", [] {
        const auto x = random_memory<double>(kMany, 1);
        const auto indexes = allocate<std::int64_t>(kMany);
        fill_sorted_indexes(indexes.get(), kMany);
        return into<double>(kMany, [=](double* out) {
            for (std::size_t i = 0; i < kMany; ++i) out[i] = x[indexes[i]];
        });
    });
    add("indexes_random/10000000/float64", [] {
        const auto x = random_memory<double>(kMany, 1);
        const auto indexes = random_indexes(kMany, kMany);
        return into<double>(kMany, [=](double* out) {
            for (std::size_t i = 0; i < kMany; ++i) out[i] = x[indexes[i]];
        });
    });
});

} // namespace
