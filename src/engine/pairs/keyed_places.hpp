#pragma once

#include "engine/pairs/entry_sort.hpp"

#include <vector>

namespace purview::inline v0_1::engine {

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
    index_t first_from(index_t key, index_t from) const noexcept;
    /// The first position with this key, or `count()`. Uses a hash table, which the first call
    /// makes.
    index_t find(index_t key);

private:
    std::size_t slot_of(index_t key) const noexcept {
        auto word = static_cast<std::uint64_t>(key);
        word ^= word >> 32;
        return static_cast<std::size_t>(word * 0x9e3779b97f4a7c15 >> (64 - bits_));
    }
    void make_table();

    std::vector<index_t> keys_;
    std::vector<index_t> places_;
    int bits_ = 0;
    std::vector<index_t> slots_; ///< the first position of a key, or -1; at most half are taken
};

} // namespace purview::engine
