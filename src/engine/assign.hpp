#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/plan.hpp"

namespace purview::engine {

/// How a source gets to a destination.
enum class AssignPath : std::uint8_t {
    nothing,    ///< there is no element
    temporary,  ///< evaluated as a whole first: a write could change what is read
    copy,       ///< a leaf, copied by kernels that are made for it
    evaluation, ///< computed into strided memory
    writer      ///< computed in blocks, which the destination's writer stores
};
AssignPath assign_path(const Operand& source, const Operand& destination);

/// Computes a source into strided memory of a built-in type that it does not read.
void compute(const Operand& source, const Leaf& leaf, const Dimensions& dims);

/// Whether a plan made for a strided destination computes its rows where they go; else in blocks that
/// are stored from there.
bool computes_in_place(const Plan& plan, const Leaf& destination);

} // namespace purview::engine
