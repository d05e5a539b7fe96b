#pragma once

#include <purview/base/index.hpp>
#include <purview/evaluation/sorting.hpp>

#include "engine/order/sort_keys.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// Parts of fewer elements are not worth a sample.
inline constexpr index_t kLongPart = index_t{1} << 15;

/// Selects from one short part after the other, in memory that is allocated once. An element that
/// another thread writes to meanwhile may be found or not; nothing else goes wrong.
template <typename T>
class ShortParts {
public:
    ShortParts(index_t length, SortOrder order)
        : length_(length), descending_(order == SortOrder::descending) {}

    /// The indexes of the first `count` elements in sorted order. False for a long part whose first
    /// are too many, or NaN: nothing useful is written then.
    bool first(const T* elements, index_t count, std::int64_t* out) {
        if (count == 0) return true;
        if (count <= kMostInserted && (descending_ ? insert_first<true>(elements, count, out)
                                                   : insert_first<false>(elements, count, out)))
            return true;
        if (length_ >= kLongPart) return false;
        collect_first(elements, count, out);
        return true;
    }

    /// The indexes of what sorts before element `kth`, of it, and of the others.
    void partition(const T* elements, index_t kth, std::int64_t* out) {
        keys_.resize(static_cast<std::size_t>(length_));
        std::transform(elements, elements + length_, keys_.begin(),
                       [&](T x) { return key_in_order(x, descending_); });
        selected_ = keys_;
        std::ranges::nth_element(selected_, selected_.begin() + kth);
        const Key pivot = selected_[static_cast<std::size_t>(kth)];
        index_t less = 0;
        index_t not_greater = 0;
        for (const Key key : keys_) {
            less += key < pivot;
            not_greater += key <= pivot;
        }
        std::array<std::int64_t*, 3> places{out, out + less, out + not_greater};
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            // Without a branch, which would be mispredicted.
            const auto kind = static_cast<std::size_t>(keys_[i] >= pivot) +
                              static_cast<std::size_t>(keys_[i] > pivot);
            *places[kind]++ = static_cast<std::int64_t>(i);
        }
    }

private:
    using Key = BitsOf<T>;

    /// A key above the index, in one word where both have room.
    struct Pair {
        Key key;
        std::uint32_t index;
        auto operator<=>(const Pair&) const = default;
    };
    static constexpr bool kIsWord = sizeof(T) <= 4;
    using Entry = std::conditional_t<kIsWord, std::uint64_t, Pair>;

    /// At most so many are kept sorted while the elements are looked at.
    static constexpr index_t kMostInserted = 32;
    /// Elements that are looked at one by one only if one of them is wanted.
    static constexpr index_t kFew = 8;

    static Entry entry_of(Key key, index_t index) noexcept {
        if constexpr (kIsWord)
            return std::uint64_t{key} << 32 | static_cast<std::uint64_t>(index);
        else
            return {key, static_cast<std::uint32_t>(index)};
    }

    /// Keeps the first of the elements that it has looked at sorted. False if there are fewer than
    /// `count` that sort before NaN and what no element sorts after.
    template <bool descending>
    bool insert_first(const T* elements, index_t count, std::int64_t* out) const {
        std::array<T, kMostInserted> found{};
        std::array<std::int64_t, kMostInserted> places{};
        std::fill_n(found.begin(), count, descending ? kLowest<T> : kHighest<T>);
        std::fill_n(places.begin(), count, -1);
        const auto before = [](T x, T y) { return descending ? x > y : x < y; };
        const T& last = found[static_cast<std::size_t>(count - 1)];
        const auto look_at = [&](index_t i) {
            const T x = elements[i];
            if (!before(x, last)) return;
            auto at = static_cast<std::size_t>(count - 1);
            for (; at > 0 && before(x, found[at - 1]); --at) {
                found[at] = found[at - 1];
                places[at] = places[at - 1];
            }
            found[at] = x;
            places[at] = i;
        };
        index_t i = 0;
        for (; i + kFew <= length_; i += kFew) {
            int wanted = 0;
            for (index_t j = 0; j < kFew; ++j)
                wanted |= static_cast<int>(before(elements[i + j], last));
            if (wanted != 0)
                for (index_t j = 0; j < kFew; ++j) look_at(i + j);
        }
        for (; i < length_; ++i) look_at(i);
        std::copy_n(places.begin(), count, out);
        return places[static_cast<std::size_t>(count - 1)] >= 0;
    }

    /// Those that may be among the first are collected; each time that there is no room for more,
    /// the first of them are kept, and what comes after those is not looked at any longer.
    void collect_first(const T* elements, index_t count, std::int64_t* out) {
        const index_t most = std::min(length_, 2 * count);
        entries_.resize(static_cast<std::size_t>(most) + 1);
        Entry* const entries = entries_.data();
        const auto keep = [&](index_t size) {
            if (size > count) std::nth_element(entries, entries + (count - 1), entries + size);
        };
        index_t size = 0;
        Key last = static_cast<Key>(~Key{0});
        bool is_full = false;
        for (index_t i = 0; i < length_; ++i) {
            const Key key = key_in_order(elements[i], descending_);
            // Of equal elements the first are wanted: one like the last of those kept comes too late.
            entries[size] = entry_of(key, i);
            size += static_cast<index_t>(!is_full || key < last);
            if (size <= most) continue;
            keep(size);
            size = count;
            is_full = true;
            if constexpr (kIsWord)
                last = static_cast<Key>(entries[count - 1] >> 32);
            else
                last = entries[count - 1].key;
        }
        keep(size);
        std::sort(entries, entries + count);
        for (index_t i = 0; i < count; ++i) {
            if constexpr (kIsWord)
                out[i] = static_cast<std::int64_t>(entries[i] & 0xffffffffU);
            else
                out[i] = entries[i].index;
        }
    }

    index_t length_;
    bool descending_;
    std::vector<Key> keys_;
    std::vector<Key> selected_;
    std::vector<Entry> entries_;
};

} // namespace purview::engine
