/// What the standard library offers: a list that grows, and a stable order of pairs.

#include "../support/cases.hpp"
#include "../support/memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace {

using namespace bench;
using Indexes = std::vector<std::int64_t>;

Memory<double> numbers(std::size_t count) {
    const auto x = allocate<double>(count);
    fill_random(x.get(), count, 1);
    return x;
}

Indexes filtered(const double* x, std::size_t count) {
    Indexes found;
    for (std::size_t i = 0; i < count; ++i)
        if (x[i] > 0.5) found.push_back(static_cast<std::int64_t>(i));
    return found;
}

/// With the index in the pair, `std::sort` is stable.
Indexes ordered(const double* x, std::size_t count) {
    std::vector<std::pair<double, std::int64_t>> pairs(count);
    for (std::size_t i = 0; i < count; ++i) pairs[i] = {x[i], static_cast<std::int64_t>(i)};
    std::sort(pairs.begin(), pairs.end());
    Indexes order(count);
    for (std::size_t i = 0; i < count; ++i) order[i] = pairs[i].second;
    return order;
}

template <typename Run>
auto made(Run run) {
    return Task{run, [=] {
                    const Indexes indexes = run();
                    return summary_of(indexes.data(), indexes.size());
                }};
}

const Cases index_space([] {
    add("argfilter/10000000/float64", [] {
        const auto x = numbers(10'000'000);
        return made([=] { return filtered(x.get(), 10'000'000); });
    });
    add("argsort/1000000/float64", [] {
        const auto x = numbers(1'000'000);
        return made([=] { return ordered(x.get(), 1'000'000); });
    });
});

} // namespace
