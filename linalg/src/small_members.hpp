#pragma once

#include "member.hpp"

#include <purview/base/function_ref.hpp>

namespace purview::inline v0_1::linalg {

/// Whether the members are computed by kernels of our own: real, of at most 8 rows, and of a function that has one.
bool are_small(const MatrixWork& work, DType dtype);

/// Computes such members, on all threads; `fail` is told, on any of them, of those that have no result.
template <typename T>
void compute_small(const MatrixWork& work, std::span<const void* const> operands,
                   std::span<void* const> outs, std::span<const ResultSize> sizes,
                   FunctionRef<void(index_t member, const Outcome& outcome)> fail);

} // namespace purview::linalg
