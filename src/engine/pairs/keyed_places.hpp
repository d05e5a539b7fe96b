#pragma once

#include "engine/pairs/entry_sort.hpp"

#include <vector>

namespace purview::engine {

/// Places by key, several of one key or none. Sorted in O(n), by digits, unless they come so.
class KeyedPlaces {
public:
    /// Entries of a key and a place. Uses them up.
    explicit KeyedPlaces(Entries& entries);

    index_t count() const noexcept { return static_cast<index_t>(keys_.size()); }
    /// Of those sorted by key, the i-th.
    index_t key(index_t i) const noexcept { return keys_[static_cast<std::size_t>(i)]; }
    index_t place(index_t i) const noexcept { return places_[static_cast<std::size_t>(i)]; }

    /// The first, from `from` on, with a key of at least that. Those before `from` are known to have less.
    index_t first_from(index_t key, index_t from) const noexcept;
    /// The first with a key, or `count()`. By a hash table, which is made when it is first asked for.
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
    std::vector<index_t> slots_; ///< the first of a key, or -1; at most half are taken
};

} // namespace purview::engine
