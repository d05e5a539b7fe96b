// Defines purview/evaluation/sorting.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/order/radix_sort.hpp"
#include "engine/order/sort_keys.hpp"
#include "engine/order/sorted_parts.hpp"
#include "engine/places/buffers.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <limits>
#include <numeric>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Nanoseconds for an element, roughly.
constexpr double kValueSortCost = 8;

/// Fewer elements than this are sorted by comparison.
constexpr index_t kFewCompared = 256;

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
          descending_(order == SortOrder::descending) {
        find_range();
    }

    void sort(T* out) const {
        if (nans_ == count_) {
            std::copy_n(elements_, count_, out);
        } else if (is_worth_tables(1)) {
            count_values(is_worth_tables(threads_) ? threads_ : 1, out);
        } else {
            sort_ranks(out);
            if constexpr (std::floating_point<T>) restore_equal(out);
        }
    }

    /// Each element once. Returns how many there are.
    index_t distinct(T* out) const {
        if (is_worth_tables(1)) {
            std::vector<std::uint8_t> present(static_cast<std::size_t>(range_) + 1);
            for (index_t i = 0; i < count_; ++i) present[rank_of(elements_[i])] = 1;
            T* next = out;
            for (std::size_t rank = 0; rank < present.size(); ++rank)
                if (present[rank] != 0) *next++ = value_of(static_cast<Key>(rank));
            return next - out;
        }
        sort(out);
        return std::unique(out, out + count_,
                           [](T a, T b) { return a == b || (a != a && b != b); }) -
               out;
    }

private:
    using Key = BitsOf<T>;
    static constexpr Key kSign = Key{1} << (sizeof(T) * 8 - 1);
    static constexpr index_t kLanes = 8;

    /// Finds the least and the greatest key of numbers, and how many are NaN.
    void find_range() {
        struct Found {
            T least;
            T greatest;
            index_t nans;
        };
        using Limits = std::numeric_limits<T>;
        constexpr T kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        constexpr T kHighest = Limits::has_infinity ? Limits::infinity() : Limits::max();
        std::vector<Found> all(static_cast<std::size_t>(threads_));
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t end) {
            std::array<T, static_cast<std::size_t>(kLanes)> least;
            std::array<T, static_cast<std::size_t>(kLanes)> greatest;
            least.fill(kHighest);
            greatest.fill(kLowest);
            index_t nans = 0;
            const auto add = [&](index_t i, std::size_t lane) {
                const T x = elements_[i];
                least[lane] = x < least[lane] ? x : least[lane];
                greatest[lane] = x > greatest[lane] ? x : greatest[lane];
                nans += x != x;
            };
            index_t i = begin;
            for (; i + kLanes <= end; i += kLanes)
                for (std::size_t lane = 0; lane < least.size(); ++lane)
                    add(i + static_cast<index_t>(lane), lane);
            for (; i < end; ++i) add(i, 0);
            all[share] = {*std::ranges::min_element(least), *std::ranges::max_element(greatest),
                          nans};
        });
        T least = kHighest;
        T greatest = kLowest;
        for (const Found& found : all) {
            least = std::min(least, found.least);
            greatest = std::max(greatest, found.greatest);
            nans_ += found.nans;
        }
        if (nans_ == count_) return;
        least_ = key(least);
        greatest_ = key(greatest);
        range_ = static_cast<Key>(greatest_ - least_);
    }

    static Key key(T value) noexcept {
        if constexpr (std::signed_integral<T>)
            return static_cast<Key>(static_cast<Key>(value) ^ kSign);
        else
            return static_cast<Key>(key_of(value));
    }

    /// From 0 on in the order asked for, NaN last.
    Key rank_of(T value) const noexcept {
        const Key k = key(value);
        if (std::floating_point<T> && value != value) return static_cast<Key>(range_ + 1);
        return static_cast<Key>(descending_ ? greatest_ - k : k - least_);
    }

    /// 0 of either zero.
    T value_of(Key rank) const noexcept {
        const auto k = static_cast<Key>(descending_ ? greatest_ - rank : least_ + rank);
        if constexpr (std::floating_point<T>)
            return rank > range_ ? std::numeric_limits<T>::quiet_NaN()
                                 : std::bit_cast<T>((k & kSign) != 0 ? k ^ kSign : ~k);
        else if constexpr (std::signed_integral<T>)
            return static_cast<T>(k ^ kSign);
        else
            return static_cast<T>(k);
    }

    /// Whether so many tables with an entry for each integer of the range are worth their memory.
    bool is_worth_tables(int tables) const noexcept {
        return std::integral<T> && count_ >= kFewCompared &&
               count_ <= std::numeric_limits<std::uint32_t>::max() &&
               range_ < static_cast<std::uint64_t>(count_ / tables);
    }

    void count_values(int threads, T* out) const {
        const std::size_t size = static_cast<std::size_t>(range_) + 1;
        std::vector<std::vector<std::uint32_t>> tables(static_cast<std::size_t>(threads));
        for_each_share(count_, threads, [&](std::size_t share, index_t begin, index_t end) {
            std::vector<std::uint32_t>& table = tables[share];
            table.resize(size);
            for (index_t i = begin; i < end; ++i) ++table[rank_of(elements_[i])];
        });
        std::vector<index_t> places(tables.size());
        const auto count_of = [&](std::size_t rank) {
            index_t count = 0;
            for (const auto& table : tables) count += table[rank];
            return count;
        };
        const auto for_each_range = [&](auto work) {
            for_each_share(static_cast<index_t>(size), threads, work);
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
                                   value_of(static_cast<Key>(rank)));
        });
    }

    void sort_ranks(T* out) const {
        static_assert(sizeof(Key) == sizeof(T) && alignof(Key) == alignof(T));
        Key* const ranks = reinterpret_cast<Key*>(out);
        for_each_share(count_, threads_, [&](std::size_t, index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) ranks[i] = rank_of(elements_[i]);
        });
        if (count_ < kFewCompared) {
            std::sort(ranks, ranks + count_);
            for (index_t i = 0; i < count_; ++i) out[i] = value_of(ranks[i]);
            return;
        }
        const Key last = static_cast<Key>(nans_ > 0 ? range_ + 1 : range_);
        const int bits = static_cast<int>(std::bit_width(last));
        const int most =
            kSpareBits + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count_)));
        const int dropped = std::max(bits - most, 0);
        const BufferPtr<Key> other = allocate_uninitialized_buffer<Key>(count_);
        Key* const sorted =
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
            for (index_t i = begins[share]; i < end; ++i) out[i] = value_of(sorted[i]);
        });
    }

    /// Zeros of both signs, and NaNs, are put in the order in which they were.
    void restore_equal(T* out) const {
        T* const numbers_end = out + (count_ - nans_);
        const auto restore = [&](T* next, const T* end, auto is_one) {
            for (const T* from = elements_; next < end; ++from)
                if (is_one(*from)) *next++ = *from;
        };
        const auto before = [&](T a, T b) { return descending_ ? a > b : a < b; };
        const auto zeros = std::equal_range(out, numbers_end, T{0}, before);
        restore(zeros.first, zeros.second, [](T x) { return x == T{0}; });
        restore(numbers_end, out + count_, [](T x) { return x != x; });
    }

    const T* elements_;
    index_t count_;
    int threads_;
    bool descending_;
    Key least_ = 0;
    Key greatest_ = 0;
    Key range_ = 0;
    index_t nans_ = 0;
};

/// Calls `work` with the sort of each part, where it may write the elements, and the part's number.
template <typename Work>
void for_each_sort(const Operand& given, index_t groups, SortOrder order, void* out, Work work) {
    const WatchedOperation watched("sort");
    if (given.dims.size() == 0) return;
    if (given.dtype() == boolean)
        return for_each_sort(cast_operand(given, uint8, Op::cast), groups, order, out, work);
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    const index_t length = source.dims.size() / groups;
    visit_dtype(source.dtype(), "sort", [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>)
            for_each_part<T>(source, groups, kValueSortCost,
                             [&](const T* elements, index_t group, int threads) {
                                 work(PartSort<T>(elements, length, threads, order),
                                      static_cast<T*>(out) + group * length);
                             });
    });
}

} // namespace

void sort_groups(const Operand& source, index_t groups, SortOrder order, void* out) {
    for_each_sort(source, groups, order, out, [](const auto& part, auto* to) { part.sort(to); });
}

index_t distinct_elements(const Operand& source, void* out) {
    index_t count = 0;
    for_each_sort(source, 1, SortOrder::ascending, out,
                  [&](const auto& part, auto* to) { count = part.distinct(to); });
    return count;
}

} // namespace purview
