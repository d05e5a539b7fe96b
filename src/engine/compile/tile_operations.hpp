#pragma once

#include "engine/compile/values.hpp"
#include "engine/kernels/table/kernel_table.hpp"

#include <algorithm>
#include <initializer_list>

namespace purview::inline v0_1::engine {

/// Whether x is in the list.
template <typename T>
constexpr bool one_of(T x, std::initializer_list<T> list) {
    return std::ranges::find(list, x) != list.end();
}

/// A lane type for masks of this width: operations on masks depend on the width alone.
TypeId mask_lane(std::uint32_t bytes);
/// A constant mask, all ones or all zeros, which can be read at any lane width.
const void* mask_constant(bool value);
/// Where instructions read a literal of a conversion: 0 or 1 of a type. Throws `Error` for others.
const void* place_of_literal(std::uint64_t bits);
/// The address of a constant as instructions read it: a bool as a mask.
inline const void* operand_of(const Constant& constant) {
    return constant.dtype().id() == TypeId::boolean
               ? mask_constant(*static_cast<const bool*>(constant.value()))
               : constant.value();
}

/// The tile operation of an operation on numbers; `none` for those that take more than one
/// instruction.
TileOp tile_op(Op op);
/// `tile_op` for operands that are masks: arithmetic on bools is logic.
TileOp mask_op(Op op);
/// The operation g with g(y, x) = op(x, y) for all x and y; `none` if there is none.
TileOp mirrored(TileOp op);
/// The tile operation that converts to a type of numbers.
TileOp conversion_op(TypeId to);

/// Whether an instruction neither reads nor changes the tile B.
bool preserves_b(Form form);

/// Converts blocks of elements: of built-in types, and between float32 and floats of 16 bits.
CastBlock find_conversion(const KernelTable& kernels, DType from, DType to, bool checked);

/// Whether a checked conversion can meet a value that does not fit.
bool can_misfit(DType from, DType to);
/// Whether a value is such a conversion.
bool is_checked(const Values& values, ValueId id);

/// Whether some value is a checked conversion that may fail: the first misfit in row-major order is
/// then reported.
bool checks_conversions(const Values& values);

/// Whether an operation runs on tiles, and the width of its lanes: 0 for a width that its users
/// decide (logic on bools). Conversions between widths, checked conversions that may fail, and user
/// functions run on blocks.
struct TileForm {
    bool on_tiles = false;
    std::uint32_t lane_bytes = 0;
};
TileForm tile_form(const KernelTable& kernels, const Values& values, ValueId id);

} // namespace purview::engine
