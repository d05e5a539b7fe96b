#pragma once

#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/entry_sort.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// The first position of each key in an ascending list of keys >= 0. An array over all keys where
/// that takes no more room than about four times the entries, else a hash table.
class FirstPositions {
public:
    FirstPositions(std::span<const index_t> keys, index_t entries);

    /// The position of a key, or -1.
    index_t operator()(index_t key) const noexcept {
        const auto at = static_cast<std::size_t>(key);
        if (slots_.empty()) return at < positions_.size() ? positions_[at] : -1;
        const std::size_t mask = slots_.size() - 1;
        std::size_t slot = slot_of(key);
        while (slots_[slot].position >= 0 && slots_[slot].key != key) slot = (slot + 1) & mask;
        return slots_[slot].position;
    }

private:
    struct Slot {
        index_t key = 0;
        index_t position = -1;
    };
    std::size_t slot_of(index_t key) const noexcept {
        auto word = static_cast<std::uint64_t>(key);
        word ^= word >> 32;
        return static_cast<std::size_t>(word * 0x9e3779b97f4a7c15 >> (64 - bits_));
    }

    std::vector<index_t> positions_; ///< by key; empty if there is a hash table
    int bits_ = 0;
    std::vector<Slot> slots_; ///< at most half are taken
};

/// A multimap from keys to places, as two lists sorted by key. Construction is O(n), by a radix
/// sort, or a copy if the keys ascend.
class KeyedPlaces {
public:
    /// Takes entries whose index is the key and whose payload is the place. Overwrites them.
    explicit KeyedPlaces(Entries& entries);

    index_t count() const noexcept { return static_cast<index_t>(keys_.size()); }
    /// The i-th key and the i-th place, in the order of the keys.
    index_t key(index_t i) const noexcept { return keys_[static_cast<std::size_t>(i)]; }
    index_t place(index_t i) const noexcept { return places_[static_cast<std::size_t>(i)]; }

    /// The first position, from `from` on, whose key is at least `key`. All keys before `from` must
    /// be less.
    index_t first_from(index_t key, index_t from) const noexcept {
        return sparse_position(keys_, key, from);
    }
    /// The first position with this key, or `count()`.
    index_t find(index_t key) {
        if (!table_) table_.emplace(keys_, count());
        const index_t found = (*table_)(key);
        return found < 0 ? count() : found;
    }

private:
    std::vector<index_t> keys_;
    std::vector<index_t> places_;
    std::optional<FirstPositions> table_; ///< made by the first call of `find`
};

} // namespace purview::engine
