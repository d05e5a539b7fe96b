#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace purview {

/// Keys as numbers from 0 on, in the order in which they appear first.
struct NumberedKeys {
    std::vector<std::int32_t> numbers; ///< of each row
    std::vector<index_t> first_rows;   ///< of each key
};
/// Of strings, byte by byte, by a hash table. O(bytes). Throws `ShapeError` for 2³¹ rows or more.
PURVIEW_EXPORT NumberedKeys number_strings(std::span<const std::string> keys);

/// Keys that are counted in an integer and ordered as that is: durations and time points of `std::chrono`, whose header need
/// not be known here.
template <typename K>
concept CountedDuration = requires(const K& key) {
    typename K::rep;
    typename K::period;
    { key.count() } -> std::same_as<typename K::rep>;
}
&&std::integral<typename K::rep> && sizeof(K) == sizeof(typename K::rep);
template <typename K>
concept CountedPoint = requires(const K& key) {
    typename K::clock;
    requires CountedDuration<typename K::duration>;
    { key.time_since_epoch() } -> std::same_as<typename K::duration>;
}
&&sizeof(K) == sizeof(typename K::duration);

/// The integer that counts a key.
template <typename K>
struct KeyCount {
    using type = void;
};
template <CountedDuration K>
struct KeyCount<K> {
    using type = typename K::rep;
};
template <CountedPoint K>
struct KeyCount<K> {
    using type = typename K::rep;
};

} // namespace purview
