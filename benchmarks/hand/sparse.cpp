/// Merges of two ascending lists of indexes and their values, as most people write them.

#include "inputs.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace {

using namespace bench;

struct Pairs {
    std::vector<std::int64_t> indexes;
    std::vector<double> values;
};

std::shared_ptr<const Pairs> random_pairs(std::uint64_t seed) {
    auto pairs = std::make_shared<Pairs>();
    pairs->indexes.resize(1'000'000);
    pairs->values.resize(1'000'000);
    fill_sparse_indexes(pairs->indexes.data(), pairs->indexes.size(), 100, seed);
    fill_random(pairs->values.data(), pairs->values.size(), seed + 10, 1.);
    return pairs;
}

Pairs sum(const Pairs& a, const Pairs& b) {
    Pairs result;
    result.indexes.reserve(a.indexes.size() + b.indexes.size());
    result.values.reserve(a.indexes.size() + b.indexes.size());
    std::size_t i = 0, j = 0;
    const auto put = [&](std::int64_t index, double value) {
        result.indexes.push_back(index);
        result.values.push_back(value);
    };
    while (i < a.indexes.size() && j < b.indexes.size()) {
        if (a.indexes[i] < b.indexes[j]) {
            put(a.indexes[i], a.values[i]);
            ++i;
        } else if (b.indexes[j] < a.indexes[i]) {
            put(b.indexes[j], b.values[j]);
            ++j;
        } else {
            put(a.indexes[i], a.values[i] + b.values[j]);
            ++i;
            ++j;
        }
    }
    for (; i < a.indexes.size(); ++i) put(a.indexes[i], a.values[i]);
    for (; j < b.indexes.size(); ++j) put(b.indexes[j], b.values[j]);
    return result;
}

Pairs product(const Pairs& a, const Pairs& b) {
    Pairs result;
    std::size_t i = 0, j = 0;
    while (i < a.indexes.size() && j < b.indexes.size()) {
        if (a.indexes[i] < b.indexes[j]) {
            ++i;
        } else if (b.indexes[j] < a.indexes[i]) {
            ++j;
        } else {
            result.indexes.push_back(a.indexes[i]);
            result.values.push_back(a.values[i++] * b.values[j++]);
        }
    }
    return result;
}

const Cases sparse([] {
    const auto add_merge = [](const char* name, auto merge) {
        add(case_name(name, "1000000_of_100000000", "float64"), [=] {
            const auto a = random_pairs(1);
            const auto b = random_pairs(2);
            return Task{[=] { return merge(*a, *b); },
                        [=] {
                            const Pairs result = merge(*a, *b);
                            return summary_of(result.values.data(), result.values.size());
                        }};
        });
    };
    add_merge("sparse_add", sum);
    add_merge("sparse_product", product);
});

} // namespace
