#include <purview/base/errors.hpp>
#include <purview/reader/indexed_buffer.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

void check_indexes(std::span<index_t> indexes, index_t size, const char* what) {
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const index_t index = indexes[i];
        if (index < -size || index >= size)
            throw IndexError(
                fmt::format("{}: index {} at position {} is out of range for a buffer of size {}",
                            what, index, i, size));
        if (index < 0) indexes[i] = index + size;
    }
}

void throw_index_too_large(std::uint64_t index, const char* what) {
    throw IndexError(fmt::format("{}: index {} overflows a 64-bit index", what, index));
}

} // namespace purview
