#include "interop/arrow_slice.hpp"

#include <purview/base/errors.hpp>

#include "base/quoted_text.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

namespace purview::inline v0_1::arrow {
namespace {

/// Each level takes stack, and may be an axis.
constexpr int kMaxNesting = 60;
/// More than any table has; keeps what lies from being walked for ever.
constexpr std::int64_t kMaxChildren = 1 << 20;

template <typename... X>
[[noreturn]] void refuse(std::string_view column, fmt::format_string<X...> words, X&&... values) {
    throw FormatError(fmt::format("from_arrow: column {}: {}", file::quoted_text(column),
                                  fmt::format(words, std::forward<X>(values)...)));
}

void check_counts(const Slice& slice, const ArrowType& type) {
    const Array& array = slice.array;
    index_t end = 0;
    if (array.length < 0 || array.offset < 0 ||
        __builtin_add_overflow(array.length, array.offset, &end) ||
        end > std::numeric_limits<index_t>::max() - 8) // of a buffer of bits, the last byte
        refuse(slice.column, "length {} and offset {}", array.length, array.offset);
    if (array.null_count < -1 || array.null_count > array.length)
        refuse(slice.column, "{} of {} elements are null", array.null_count, array.length);
    if (slice.count > 0 && slice.begin > array.length - slice.count)
        refuse(slice.column,
               "an array of {} elements has none from {} to {}, which one around it "
               "asks for",
               array.length, slice.begin, slice.begin + slice.count);
    const index_t buffers = type.fewest_buffers();
    const bool may_have_more = type.kind == Kind::text_view;
    if (may_have_more ? array.n_buffers < buffers : array.n_buffers != buffers)
        refuse(slice.column, "{} buffers, where the format {} has {}{}", array.n_buffers,
               file::quoted_text(slice.schema.format), buffers, may_have_more ? " or more" : "");
    if (buffers > 0 && array.buffers == nullptr)
        refuse(slice.column, "{} buffers at a null pointer", buffers);
}

void check_children(const Slice& slice, const ArrowType& type) {
    const std::int64_t own = slice.array.n_children;
    const std::int64_t said = slice.schema.n_children;
    const bool is_possible = type.kind == Kind::structure    ? said >= 0 && said <= kMaxChildren
                             : type.kind == Kind::fixed_list ? said == 1
                                                             : said == 0;
    if (!is_possible || own != said)
        refuse(slice.column, "the array has {} children, and the schema {} for the format {}", own,
               said, file::quoted_text(slice.schema.format));
    if (own > 0 && (slice.array.children == nullptr || slice.schema.children == nullptr))
        refuse(slice.column, "{} children at a null pointer", own);
    if ((slice.array.dictionary == nullptr) != (slice.schema.dictionary == nullptr))
        refuse(slice.column, "only one of array and schema has a dictionary");
    if (slice.array.dictionary != nullptr && !type.is_integer())
        refuse(slice.column, "a dictionary has indexes of the format {}",
               file::quoted_text(slice.schema.format));
}

/// A buffer of which `count` elements of `width` bytes are used.
const std::byte* checked_buffer(const Slice& slice, index_t number, index_t count, index_t width) {
    const auto* const buffer = static_cast<const std::byte*>(slice.array.buffers[number]);
    index_t bytes = 0;
    std::uintptr_t end = 0;
    if (__builtin_mul_overflow(count, width, &bytes) ||
        __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(buffer), bytes, &end))
        refuse(slice.column, "{} elements of {} bytes leave the address space", count, width);
    if (buffer == nullptr && bytes > 0)
        refuse(slice.column, "buffer {} is null, and {} bytes of it are used", number, bytes);
    return buffer;
}

} // namespace

Slice whole_array(const Array* array, const Schema* schema, std::string_view column, int depth) {
    if (array == nullptr || schema == nullptr)
        refuse(column, "the {} is a null pointer", array == nullptr ? "array" : "schema");
    if (array->release == nullptr || schema->release == nullptr)
        refuse(column, "the {} is null, was released, or moved out",
               array->release == nullptr ? "array" : "schema");
    return {*array, *schema, column, 0, array->length, depth};
}

Slice child_slice(const Slice& parent, const CheckedSlice& checked, index_t child, index_t size,
                  std::string_view column) {
    Slice slice = whole_array(parent.array.children[child], parent.schema.children[child], column,
                              parent.depth + 1);
    if (__builtin_mul_overflow(checked.first, size, &slice.begin) ||
        __builtin_mul_overflow(checked.count, size, &slice.count))
        refuse(column, "{} times {} elements overflow", checked.first + checked.count, size);
    return slice;
}

ArrowType type_of(const Slice& slice) {
    if (slice.depth > kMaxNesting)
        refuse(slice.column, "arrays lie in each other more than {} deep", kMaxNesting);
    if (slice.schema.format == nullptr) refuse(slice.column, "the format is a null pointer");
    return parse_format(slice.schema.format, slice.column);
}

CheckedSlice checked_slice(const Slice& slice, const ArrowType& type) {
    check_counts(slice, type);
    check_children(slice, type);
    // Of what is empty, nobody asks where it begins.
    CheckedSlice checked{.first = slice.count > 0 ? slice.array.offset + slice.begin : 0,
                         .count = slice.count};
    const index_t end = checked.first + checked.count;
    if (type.kind == Kind::nothing) return checked;
    if (slice.array.null_count != 0 && slice.array.buffers[0] != nullptr && end > 0)
        checked.validity = checked_buffer(slice, 0, (end + 7) / 8, 1);
    else if (slice.array.null_count > 0 && end > 0)
        refuse(slice.column, "{} elements are null, and no bitmap says which",
               slice.array.null_count);
    if (type.kind == Kind::boolean)
        checked.data[0] = checked_buffer(slice, 1, (end + 7) / 8, 1);
    else if (type.kind == Kind::text) {
        checked.data[0] = checked_buffer(slice, 1, end > 0 ? end + 1 : 0, type.width);
        checked.data[1] = static_cast<const std::byte*>(slice.array.buffers[2]);
    } else if (type.data_buffers() == 1) {
        checked.data[0] = checked_buffer(slice, 1, end, type.width);
    }
    return checked;
}

} // namespace purview::arrow
