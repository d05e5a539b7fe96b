#include "engine/pairs/keyed_places.hpp"

#include <bit>

namespace purview::inline v0_1::engine {

FirstPositions::FirstPositions(std::span<const index_t> keys, index_t entries) {
    const index_t all = keys.empty() ? 0 : keys.back() + 1;
    const auto put_each = [&](auto put) {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (i == 0 || keys[i] != keys[i - 1]) put(keys[i], static_cast<index_t>(i));
    };
    if (all <= 4 * entries + 1024) {
        positions_.assign(static_cast<std::size_t>(all), -1);
        put_each([&](index_t key, index_t position) {
            positions_[static_cast<std::size_t>(key)] = position;
        });
        return;
    }
    bits_ = static_cast<int>(std::bit_width(2 * keys.size() + 1));
    slots_.resize(std::size_t{1} << bits_);
    put_each([&](index_t key, index_t position) {
        std::size_t slot = slot_of(key);
        while (slots_[slot].position >= 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = {key, position};
    });
}

KeyedPlaces::KeyedPlaces(Entries& entries)
    : keys_(static_cast<std::size_t>(entries.count())),
      places_(static_cast<std::size_t>(entries.count())) {
    sort_entries(entries, 1, keys_.data(), reinterpret_cast<std::byte*>(places_.data()),
                 sizeof(index_t));
}

} // namespace purview::engine
