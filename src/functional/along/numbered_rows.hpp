#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Rows numbered by their keys, in the order in which distinct keys appear first.
struct NumberedRows {
    std::vector<std::int32_t> numbers; ///< of each row
    std::vector<index_t> first_rows;   ///< of each distinct key, by number
};
/// By strings, compared byte by byte, with a hash table. O(bytes). Throws `ShapeError` naming
/// `what` for 2³¹ rows or more.
NumberedRows number_strings(const char* what, std::span<const std::string> keys);
/// Rows of two lists together: those of the first, then those of the second.
NumberedRows number_strings(const char* what, std::span<const std::string> keys,
                            std::span<const std::string> more);
/// The same by the bytes of `count` keys of equal size.
NumberedRows number_bytes(const char* what, const void* keys, std::size_t size, index_t count);

} // namespace purview
