#include "engine/pairs/keyed_places.hpp"

#include <purview/reader/sparse_pairs.hpp>

#include <bit>

namespace purview::inline v0_1::engine {

KeyedPlaces::KeyedPlaces(Entries& entries)
    : keys_(static_cast<std::size_t>(entries.count())),
      places_(static_cast<std::size_t>(entries.count())) {
    sort_entries(entries, 1, keys_.data(), reinterpret_cast<std::byte*>(places_.data()),
                 sizeof(index_t));
}

index_t KeyedPlaces::first_from(index_t key, index_t from) const noexcept {
    return sparse_position(keys_, key, from);
}

void KeyedPlaces::make_table() {
    bits_ = static_cast<int>(std::bit_width(2 * keys_.size() + 1));
    slots_.assign(std::size_t{1} << bits_, -1);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (i > 0 && keys_[i] == keys_[i - 1]) continue;
        std::size_t slot = slot_of(keys_[i]);
        while (slots_[slot] >= 0) slot = (slot + 1) & mask;
        slots_[slot] = static_cast<index_t>(i);
    }
}

index_t KeyedPlaces::find(index_t key) {
    if (slots_.empty()) make_table();
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = slot_of(key); slots_[slot] >= 0; slot = (slot + 1) & mask)
        if (this->key(slots_[slot]) == key) return slots_[slot];
    return count();
}

} // namespace purview::engine
