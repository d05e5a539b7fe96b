/// CRoaring called directly: sets of what passes a filter, and their algebra.

#include "../support/cases.hpp"
#include "../support/memory.hpp"

#include <roaring/roaring.h>

#include <vector>

namespace {

using namespace bench;
using Set = std::shared_ptr<roaring_bitmap_t>;

constexpr std::size_t kMany = 10'000'000;

Set owned(roaring_bitmap_t* bitmap) {
    return {bitmap, [](roaring_bitmap_t* set) { roaring_bitmap_free(set); }};
}

/// Without a branch into a list, which CRoaring takes.
Set filtered(const double* x, std::uint32_t* list) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < kMany; ++i) {
        list[found] = static_cast<std::uint32_t>(i);
        found += x[i] > 0.5;
    }
    return owned(roaring_bitmap_of_ptr(found, list));
}

Memory<double> numbers(std::uint64_t seed) {
    const auto x = allocate<double>(kMany);
    fill_random(x.get(), kMany, seed);
    return x;
}

template <typename Combine>
void add_algebra(const char* name, Combine combine) {
    add(case_name(name, std::to_string(kMany), "int64"), [=] {
        const auto list = allocate<std::uint32_t>(kMany + 1);
        const Set a = filtered(numbers(1).get(), list.get());
        const Set b = filtered(numbers(2).get(), list.get());
        return Task{[=] { return owned(combine(a.get(), b.get())); },
                    [=] {
                        const Set both = owned(combine(a.get(), b.get()));
                        return Summary{
                            static_cast<double>(roaring_bitmap_get_cardinality(both.get()))};
                    }};
    });
}

const Cases sets([] {
    add("argfilter_set/10000000/float64", [] {
        const auto x = numbers(1);
        const auto list = allocate<std::uint32_t>(kMany + 1);
        return Task{[=] { return filtered(x.get(), list.get()); },
                    [=] {
                        const Set set = filtered(x.get(), list.get());
                        std::vector<std::uint32_t> indexes(
                            roaring_bitmap_get_cardinality(set.get()));
                        roaring_bitmap_to_uint32_array(set.get(), indexes.data());
                        return summary_of(indexes.data(), indexes.size());
                    }};
    });
    add_algebra("set_union", roaring_bitmap_or);
    add_algebra("set_intersection", roaring_bitmap_and);
    add_algebra("set_difference", roaring_bitmap_andnot);
});

} // namespace
