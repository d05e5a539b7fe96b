#pragma once

#include <purview/expression/leaf.hpp>

#include <cstdint>

namespace purview::inline v0_1::engine {

/// How a source is assigned to a destination, unless `assign_leaf` copies it.
enum class AssignPath : std::uint8_t {
    nothing,    ///< there is no element
    temporary,  ///< evaluated as a whole first: a write could change what is read
    evaluation, ///< computed into strided memory of words
    in_order,   ///< computed into memory of other elements, one after the other
    writer      ///< computed in blocks, which the destination's writer stores
};
AssignPath assign_path(const Operand& source, const Operand& destination);

/// Writes every element of `source` to the element of `destination`, a view of a leaf that is
/// writable and not sparse, at the same coordinates. Types and shapes are equal. Correct also when
/// the two overlap. What would be computed several times is computed once, before; sparse operands
/// are read as if all of their elements were stored, in O(size). `assign` without its way for few
/// stored elements, for rooms below `sparse`.
void assign_dense(const Operand& source, const Operand& destination);

} // namespace purview::engine
