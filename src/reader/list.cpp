#include <purview/base/checked.hpp>
#include <purview/reader/list.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {

index_t checked_position(index_t position, index_t size, const char* what) {
    if (position < -size || position >= size)
        throw IndexError(fmt::format("{}: position {} is out of range for a list of size {}", what,
                                     position, size));
    return position < 0 ? position + size : position;
}

index_t checked_insert_position(index_t position, index_t size) {
    return position == size ? size : checked_position(position, size, "insert");
}

void check_erase(index_t begin, index_t end, index_t size) {
    if (begin < 0 || begin > end || end > size)
        throw IndexError(fmt::format(
            "erase: positions {} to {} are out of range for a list of size {}", begin, end, size));
}

index_t grown_capacity(index_t capacity, index_t needed, index_t element_bytes) {
    checked_bytes(needed, element_bytes, "List");
    if (needed <= capacity) return capacity;
    // Doubling makes appends O(1) amortised; it must not be the cause of an overflow.
    index_t doubled = 0;
    index_t bytes = 0;
    if (__builtin_mul_overflow(capacity, index_t{2}, &doubled) ||
        __builtin_mul_overflow(doubled, element_bytes, &bytes))
        return needed;
    return std::max({doubled, needed, index_t{8}});
}

} // namespace purview
