#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/evaluation/sorting.hpp>

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/order/sort_keys.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace purview::inline v0_1::engine {

/// Parts of at most so many elements are sorted side by side, by a network: on longer ones it would
/// compare too often, and their indexes have no room in a byte.
inline constexpr index_t kLongestSideBySide = 255;
/// At least so many of them: fewer leave most columns of the network empty.
inline constexpr index_t kFewestSideBySide = 4;

inline bool are_sorted_side_by_side(index_t length, index_t parts) {
    return length <= kLongestSideBySide && parts >= kFewestSideBySide &&
           allowed_ways().has(Way::network);
}

/// The way of a sort of `size` elements in `groups` parts: whether they are sorted side by side.
inline bool takes_network(index_t size, index_t groups) {
    const bool chosen = size > 0 && are_sorted_side_by_side(size / groups, groups);
    if (size > 0) count_way(chosen ? Way::network : Way::digits);
    return chosen;
}

/// Zeros of both signs, and the NaNs behind all numbers, which are sorted, are put in the order in
/// which they were in `elements`.
template <std::floating_point T>
void restore_equal(const T* elements, index_t count, index_t nans, bool descending, T* sorted) {
    T* const numbers_end = sorted + (count - nans);
    const auto restore = [&](T* next, const T* end, auto is_one) {
        for (const T* from = elements; next < end && from < elements + count; ++from)
            if (const T x = *from; is_one(x)) *next++ = x;
    };
    const auto before = [&](T a, T b) { return descending ? a > b : a < b; };
    const auto zeros = std::equal_range(sorted, numbers_end, T{0}, before);
    restore(zeros.first, zeros.second, [](T x) { return x == T{0}; });
    restore(numbers_end, sorted + count, [](T x) { return x != x; });
}

/// Words of as many parts as have room side by side: row i has the i-th word of each. They are
/// ordered as unsigned integers, and kept with the sign bit changed, as kernels compare signed ones.
template <std::unsigned_integral Word>
class SideBySide {
public:
    static constexpr auto kParts = static_cast<index_t>(kSortedRowBytes / sizeof(Word));

    explicit SideBySide(index_t length)
        : length_(length), sort_(lane_kernels().find_column_sort(kDType<Signed>.id())) {
        std::fill_n(words_.begin(), length * kParts, Word{0}); // columns may stay empty
    }

    void set(index_t i, index_t part, Word word) noexcept {
        words_[static_cast<std::size_t>(i * kParts + part)] = static_cast<Word>(word ^ kSign);
    }
    Word get(index_t i, index_t part) const noexcept {
        return static_cast<Word>(words_[static_cast<std::size_t>(i * kParts + part)] ^ kSign);
    }
    void sort() { sort_(words_.data(), length_); }

private:
    using Signed = std::make_signed_t<Word>;
    static constexpr Word kSign = static_cast<Word>(Word{1} << (sizeof(Word) * 8 - 1));

    index_t length_;
    SortColumns sort_;
    alignas(kSortedRowBytes)
        std::array<Word, static_cast<std::size_t>(kLongestSideBySide* kParts)> words_;
};

/// Sorts each of `parts` short parts, which lie one after the other: as `sort_groups`. Each element
/// is read once into what is sorted, so that one which another thread writes to does no harm.
template <typename T>
void sort_short_parts(const T* elements, index_t length, index_t parts, SortOrder order, T* out) {
    using Word = std::conditional_t<sizeof(T) == 1, std::uint16_t, BitsOf<T>>;
    using Sorter = SideBySide<Word>;
    const bool descending = order == SortOrder::descending;
    [[maybe_unused]] constexpr BitsOf<T> kMinusZero =
        std::bit_cast<BitsOf<T>>(static_cast<T>(-T{0}));
    Sorter sorter(length);
    for (index_t first = 0; first < parts; first += Sorter::kParts) {
        const index_t count = std::min(Sorter::kParts, parts - first);
        const T* const from = elements + first * length;
        T* const to = out + first * length;
        bool has_others = false; // elements that their keys do not tell from each other
        for (index_t part = 0; part < count; ++part)
            for (index_t i = 0; i < length; ++i) {
                const T x = from[part * length + i];
                if constexpr (std::floating_point<T>)
                    has_others |= static_cast<bool>(
                        static_cast<int>(x != x) |
                        static_cast<int>(std::bit_cast<BitsOf<T>>(x) == kMinusZero));
                sorter.set(i, part, key_in_order(x, descending));
            }
        sorter.sort();
        for (index_t part = 0; part < count; ++part)
            for (index_t i = 0; i < length; ++i)
                to[part * length + i] =
                    element_of_key<T>(static_cast<BitsOf<T>>(sorter.get(i, part)), descending);
        if constexpr (std::floating_point<T>) {
            if (!has_others) continue;
            for (index_t at = 0; at < count * length; at += length) {
                index_t nans = 0;
                while (nans < length && to[at + length - 1 - nans] != to[at + length - 1 - nans])
                    ++nans;
                restore_equal(from + at, length, nans, descending, to + at);
            }
        }
    }
}

/// The indexes that sort each of `parts` short parts: as `argsort_groups`. A word has the element's
/// key above its index. Keys of 64 bits are as far above the least of them as their range leaves
/// room for; what has no room is compared afterwards.
template <typename T>
void argsort_short_parts(const T* elements, index_t length, index_t parts, SortOrder order,
                         std::int64_t* out) {
    using Key = BitsOf<T>;
    using Word = std::conditional_t<sizeof(T) <= 2, std::uint32_t, std::uint64_t>;
    using Sorter = SideBySide<Word>;
    constexpr int kIndexBits = 8;
    constexpr Word kIndexes = (Word{1} << kIndexBits) - 1;
    constexpr bool kHasRoom = sizeof(T) < sizeof(Word);
    const bool descending = order == SortOrder::descending;
    Sorter sorter(length);
    std::array<Key, kHasRoom ? 1 : kLongestSideBySide * Sorter::kParts> keys;
    for (index_t first = 0; first < parts; first += Sorter::kParts) {
        const index_t count = std::min(Sorter::kParts, parts - first);
        const T* const from = elements + first * length;
        std::int64_t* const to = out + first * length;
        Key least = 0;
        int dropped = 0;
        if constexpr (!kHasRoom) {
            least = static_cast<Key>(~Key{0});
            Key greatest = 0;
            for (index_t at = 0; at < count * length; ++at) {
                const Key key = key_in_order(from[at], descending);
                keys[static_cast<std::size_t>(at)] = key;
                least = std::min(least, key);
                greatest = std::max(greatest, key);
            }
            dropped = std::max(0, static_cast<int>(std::bit_width(greatest - least)) + kIndexBits -
                                      static_cast<int>(sizeof(Word) * 8));
        }
        for (index_t part = 0; part < count; ++part)
            for (index_t i = 0; i < length; ++i) {
                const index_t at = part * length + i;
                Word key;
                if constexpr (kHasRoom)
                    key = key_in_order(from[at], descending);
                else
                    key = (keys[static_cast<std::size_t>(at)] - least) >> dropped;
                sorter.set(i, part, static_cast<Word>(key << kIndexBits | static_cast<Word>(i)));
            }
        sorter.sort();
        for (index_t part = 0; part < count; ++part)
            for (index_t i = 0; i < length; ++i)
                to[part * length + i] = static_cast<std::int64_t>(sorter.get(i, part) & kIndexes);
        if constexpr (!kHasRoom) {
            if (dropped == 0) continue;
            for (index_t at = 0; at < count * length; at += length) {
                const Key* const own = keys.data() + at;
                const auto before = [&](std::int64_t a, std::int64_t b) {
                    return own[a] != own[b] ? own[a] < own[b] : a < b;
                };
                if (!std::is_sorted(to + at, to + at + length, before))
                    std::sort(to + at, to + at + length, before);
            }
        }
    }
}

} // namespace purview::engine
