#pragma once

#include <purview/mpi/distributed.hpp>

namespace purview::inline v0_1::mpi {

/// The elements of a distributed tensor that a node is a leaf over; null for other nodes.
const DistributedElements* distributed_elements(const Node& node) noexcept;

/// New uninitialised elements of a type that ranks can exchange, row-major. Throws `DtypeError` for others. `like`: memory of the
/// same type, for types that only programs know.
Operand new_elements(const char* what, DType dtype, ShapeSpan shape);

/// Throws `DtypeError` naming `what` for elements that are not trivially copyable.
void require_sendable(const char* what, DType dtype);
/// That of the first distributed tensor below an expression; null where there is none.
const Communicator* communicator_below(const Operand& x);

} // namespace purview
