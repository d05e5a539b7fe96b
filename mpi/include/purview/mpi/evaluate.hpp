#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/mpi/distributed.hpp>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same expression: see moving.hpp.

PURVIEW_MPI_EXPORT AnyDistributed evaluate_any(const char* what, const Operand& e,
                                               const Distribution& d);
PURVIEW_MPI_EXPORT void assign_any(const Operand& e, const AnyDistributed& x);

/// x, or, where its parts are read when something is computed, the same in new memory.
PURVIEW_MPI_EXPORT AnyDistributed parts_in_memory(const char* what, const AnyDistributed& x);
/// The elements of a box of coordinates.
PURVIEW_MPI_EXPORT Operand in_box(const Operand& x, const Box& box);
/// Gives `take` what each rank has of an expression in the distribution `d` of blocks, one box after the other: whole chunks, as many as
/// take `bytes` (the least that a rank says), one at least. So a part is computed in the memory of a box, and of what is sent for it.
/// `take` calls no function of all ranks.
PURVIEW_MPI_EXPORT void evaluate_in_boxes(const char* what, const Operand& e, const Distribution& d,
                                          ShapeSpan chunk, index_t bytes,
                                          FunctionRef<void(const Operand&, const Box&)> take);

/// Computes an expression over `x.global()` and the like: each rank its part in the distribution `d`, whose shape is the
/// expression's. What a part needs of other ranks is sent, in one message from each rank that has some of it, while the inside is
/// computed; tensors in memory are what each rank has itself. What is to be sent is remembered by the structure of the expression and the
/// distributions, so that a loop asks for it once. Throws `ShapeError` for another shape, `DistributionError` for operands on
/// other communicators, and what the expression throws.
template <typename E>
    requires std::convertible_to<const E&, Whole>
auto evaluate(const E& e, const Distribution& d) {
    return DistributedOf<ElementOfWhole<E>>(evaluate_any("evaluate", Whole(e).operand(), d));
}

/// Computes an expression into the memory of `x`, as `copy` does: cast with checks, and broadcast. The expression may read x.
template <typename E>
    requires std::convertible_to<const E&, Whole>
void assign(const E& e, const AnyDistributed& x) { assign_any(Whole(e).operand(), x); }

} // namespace purview
