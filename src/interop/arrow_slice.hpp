#pragma once

#include <purview/interop/arrow.hpp>

#include "interop/arrow_format.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace purview::inline v0_1::arrow {

/// Rows [begin, begin + count) of a foreign array of which nothing is known yet, counted from where
/// its own offset says that it begins.
struct Slice {
    const Array& array;
    const Schema& schema;
    std::string_view column; ///< its name, for messages
    index_t begin;
    index_t count;
    int depth = 0; ///< how many arrays it lies in
};

/// The same after it was checked: element i is at index first + i of each buffer.
struct CheckedSlice {
    index_t first = 0;
    index_t count = 0;
    const std::byte* validity = nullptr; ///< bits; null: nothing is missing
    std::array<const std::byte*, 2> data{};

    bool is_valid(index_t i) const noexcept {
        return validity == nullptr || bit_of(validity, first + i);
    }
    static bool bit_of(const std::byte* bits, index_t i) noexcept {
        return ((bits[i >> 3] >> (i & 7)) & std::byte{1}) != std::byte{0};
    }
};

/// All rows of an array.
Slice whole_array(const Array* array, const Schema* schema, std::string_view column, int depth);
/// The rows of a child, by number, that belong to a slice of its parent, each of which has `size`.
Slice child_slice(const Slice& parent, const CheckedSlice& checked, index_t child, index_t size,
                  std::string_view column);
/// The type that the schema says. Throws as `parse_format` does.
ArrowType type_of(const Slice& slice);
/// Whether what the structures say of this array is possible, and where its elements lie. No buffer
/// is read. Throws `FormatError` naming the column.
CheckedSlice checked_slice(const Slice& slice, const ArrowType& type);

} // namespace purview::arrow
