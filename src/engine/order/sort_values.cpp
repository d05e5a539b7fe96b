// Defines purview/evaluation/sorting.hpp.

#include <purview/evaluation/sorting.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/order/element_ranks.hpp"
#include "engine/order/radix_sort.hpp"
#include "engine/order/short_sorts.hpp"
#include "engine/order/sort.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <bit>
#include <concepts>
#include <limits>
#include <numeric>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Fewer elements than this are sorted by comparison.
constexpr index_t kFewCompared = 256;

/// Elements for each integer of their range from which on they are counted, not sorted by digits:
/// where there are fewer, each run of equal ones that is written ends at a branch mispredicted.
constexpr index_t kManyEqual = 5;

/// So many of the highest bits of ranks are sorted by beyond those that number the elements. Ranks
/// that agree in them, most often few, are compared.
constexpr int kSpareBits = 14;

/// Sorts the elements of a part themselves.
template <typename T>
class PartSort {
public:
    PartSort(const T* elements, index_t count, int threads, SortOrder order)
        : elements_(elements),
          count_(count),
          threads_(threads),
          ranks_(elements, count, threads, order) {}

    void sort(T* out) const {
        if (ranks_.nans() == count_) {
            std::copy_n(elements_, count_, out);
        } else if (has_for_each_integer(std::max<index_t>(kManyEqual, threads_))) {
            count_values(out);
        } else {
            sort_ranks(out);
            if constexpr (std::floating_point<T>)
                restore_equal(elements_, count_, ranks_.nans(), ranks_.descending(), out);
        }
    }

    /// Each element once. Returns how many there are.
    index_t distinct(T* out) const {
        if (has_for_each_integer(1)) {
            std::vector<std::uint8_t> present(static_cast<std::size_t>(ranks_.range()) + 1);
            for (index_t i = 0; i < count_; ++i) present[ranks_.of(elements_[i])] = 1;
            T* next = out;
            for (std::size_t rank = 0; rank < present.size(); ++rank)
                if (present[rank] != 0) *next++ = ranks_.value_of(static_cast<Rank>(rank));
            return next - out;
        }
        sort(out);
        return std::unique(out, out + count_,
                           [](T a, T b) { return a == b || (a != a && b != b); }) -
               out;
    }

private:
    using Rank = typename ElementRanks<T>::Rank;

    /// Whether there are so many elements for each integer of their range, enough of them for tables
    /// that have an entry for each integer.
    bool has_for_each_integer(index_t elements) const noexcept {
        return std::integral<T> && count_ >= kFewCompared &&
               count_ <= std::numeric_limits<std::uint32_t>::max() &&
               ranks_.range() < static_cast<std::uint64_t>(count_ / elements);
    }

    /// With a table for each thread.
    void count_values(T* out) const {
        const std::size_t size = static_cast<std::size_t>(ranks_.range()) + 1;
        std::vector<std::vector<std::uint32_t>> tables(static_cast<std::size_t>(threads_));
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t end) {
            std::vector<std::uint32_t>& table = tables[share];
            table.resize(size);
            for (index_t i = begin; i < end; ++i) ++table[ranks_.of(elements_[i])];
        });
        std::vector<index_t> places(tables.size());
        const auto count_of = [&](std::size_t rank) {
            index_t count = 0;
            for (const auto& table : tables) count += table[rank];
            return count;
        };
        const auto for_each_range = [&](auto work) {
            for_each_share(static_cast<index_t>(size), threads_, work);
        };
        for_each_range([&](std::size_t share, index_t begin, index_t end) {
            for (index_t rank = begin; rank < end; ++rank)
                places[share] += count_of(static_cast<std::size_t>(rank));
        });
        std::exclusive_scan(places.begin(), places.end(), places.begin(), index_t{0});
        for_each_range([&](std::size_t share, index_t begin, index_t end) {
            T* next = out + places[share];
            for (index_t rank = begin; rank < end; ++rank)
                next = std::fill_n(next, count_of(static_cast<std::size_t>(rank)),
                                   ranks_.value_of(static_cast<Rank>(rank)));
        });
    }

    void sort_ranks(T* out) const {
        static_assert(sizeof(Rank) == sizeof(T) && alignof(Rank) == alignof(T));
        Rank* const ranks = reinterpret_cast<Rank*>(out);
        for_each_share(count_, threads_, [&](std::size_t, index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) ranks[i] = ranks_.of(elements_[i]);
        });
        if (count_ < kFewCompared) {
            std::sort(ranks, ranks + count_);
            for (index_t i = 0; i < count_; ++i) out[i] = ranks_.value_of(ranks[i]);
            return;
        }
        const int bits = static_cast<int>(std::bit_width(ranks_.greatest()));
        const int most =
            kSpareBits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count_)));
        const int dropped = std::max(bits - most, 0);
        const BufferPtr<Rank> other = allocate_uninitialized_buffer<Rank>(count_);
        Rank* const sorted =
            radix_sort(ranks, data_of(other), count_, dropped, bits - dropped, threads_);
        const auto agree = [&](index_t i) {
            return sorted[i] >> dropped == sorted[i - 1] >> dropped;
        };
        // Shares that begin where ranks differ in the bits that they are sorted by.
        std::vector<index_t> begins(static_cast<std::size_t>(threads_) + 1, count_);
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t) {
            while (dropped > 0 && begin > 0 && begin < count_ && agree(begin)) ++begin;
            begins[share] = begin;
        });
        for_each_share(count_, threads_, [&](std::size_t share, index_t, index_t) {
            const index_t end = begins[share + 1];
            if (dropped > 0) {
                for (index_t i = begins[share] + 1; i < end; ++i) {
                    if (!agree(i) || sorted[i - 1] <= sorted[i]) continue;
                    index_t first = i - 1;
                    while (first > begins[share] && agree(first)) --first;
                    while (i < end && agree(i)) ++i;
                    std::sort(sorted + first, sorted + i);
                }
            }
            for (index_t i = begins[share]; i < end; ++i) out[i] = ranks_.value_of(sorted[i]);
        });
    }

    const T* elements_;
    index_t count_;
    int threads_;
    ElementRanks<T> ranks_;
};

} // namespace

void engine::sort_on_cpu(const Operand& source, index_t groups, SortOrder order, void* out) {
    const WatchedOperation watched("sort");
    const bool side_by_side = takes_network(source.dims.size(), groups);
    for_each_parts("sort", source, groups, costs::kSortedValue,
                   [&]<typename T>(const T* elements, index_t length, index_t first, index_t count,
                                   int threads) {
                       T* const sorted = static_cast<T*>(out) + first * length;
                       if (side_by_side)
                           return sort_short_parts(elements, length, count, order, sorted);
                       for (index_t at = 0; at < count * length; at += length)
                           PartSort(elements + at, length, threads, order).sort(sorted + at);
                   });
}

index_t distinct_elements(const Operand& source, void* out) {
    const WatchedOperation watched("sort");
    index_t count = 0;
    for_each_part("sort", source, 1, costs::kSortedValue,
                  [&]<typename T>(const T* elements, index_t length, index_t, int threads) {
                      count = PartSort(elements, length, threads, SortOrder::ascending)
                                  .distinct(static_cast<T*>(out));
                  });
    return count;
}

} // namespace purview
