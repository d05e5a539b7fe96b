/// Statistics: loops as one would write them for the case at hand.

#include "inputs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t kCount = 10'000'000;

double median(const double* x) {
    std::vector<double> copy(x, x + kCount);
    const auto middle = copy.begin() + kCount / 2;
    std::nth_element(copy.begin(), middle, copy.end());
    return (*std::max_element(copy.begin(), middle) + *middle) / 2;
}

void histogram(const double* x, std::int64_t* counts) {
    std::fill_n(counts, 100, 0);
    for (std::size_t i = 0; i < kCount; ++i) ++counts[static_cast<std::size_t>(x[i] * 100)];
}

void group_sum(const std::int64_t* keys, const double* x, std::size_t groups, double* sums) {
    std::fill_n(sums, groups, 0.0);
    for (std::size_t i = 0; i < kCount; ++i) sums[keys[i]] += x[i];
}

void add_group_sum(const char* name, std::size_t groups) {
    add(case_name(name, "10000000", "float64"), [=] {
        const auto keys = allocate<std::int64_t>(kCount);
        fill_random_indexes(keys.get(), kCount, groups);
        const auto x = random_memory<double>(kCount, 1);
        return into<double>(groups,
                            [=](double* out) { group_sum(keys.get(), x.get(), groups, out); });
    });
}

const Cases statistics([] {
    add("median/10000000/float64", [] {
        const auto x = random_memory<double>(kCount, 1);
        return number([=] { return median(x.get()); });
    });
    add("histogram/10000000/float64", [] {
        const auto x = random_memory<double>(kCount, 1);
        return into<std::int64_t>(100, [=](std::int64_t* out) { histogram(x.get(), out); });
    });
    add_group_sum("group_sum_1000", 1'000);
    add_group_sum("group_sum_1000000", 1'000'000);
});

} // namespace
