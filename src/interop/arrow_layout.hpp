#pragma once

#include <purview/table/columns.hpp>

#include "interop/arrow_owned.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace purview::inline v0_1::arrow {

/// Bools as bits, in the order of their elements.
struct Bits {
    std::shared_ptr<const std::vector<std::uint8_t>> bytes{};
    index_t set = 0; ///< how many are true

    bool operator[](index_t i) const {
        return bytes != nullptr &&
               (((*bytes)[static_cast<std::size_t>(i >> 3)] >> (i & 7)) & 1) != 0;
    }
};
/// O(size).
Bits packed_bits(const Operand& bools);

/// Which rows of a column are missing; without bytes where none is.
Bits gaps_of(const Column& column);

/// All elements of a column of rank 1 or more, in row-major order, without the bitmap. Throws as
/// `to_arrow` does. Strings have the format `text`, or the one that they need for kAnyText; `CastError` naming the column
/// where they do not fit it.
Layout elements_of(const Column& column, const Bits& gaps, char text);

} // namespace purview::arrow
