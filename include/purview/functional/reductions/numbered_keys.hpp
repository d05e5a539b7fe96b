#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace purview {

/// Keys numbered from 0 on, in the order of their first occurrence.
struct NumberedKeys {
    std::vector<std::int32_t> numbers; ///< the number of the key of each row
    std::vector<index_t> first_rows;   ///< the first row of each key
};
/// Numbers strings, compared byte by byte, with a hash table. O(bytes). Throws `ShapeError` for 2³¹
/// rows or more.
PURVIEW_EXPORT NumberedKeys number_strings(std::span<const std::string> keys);

/// Keys that are integer counts and ordered by them: durations and time points of `std::chrono`,
/// recognised without its header.
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

/// The integer type of the count of a key; `void` for other keys.
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
