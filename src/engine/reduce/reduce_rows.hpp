#pragma once

#include "engine/reduce/reduced_source.hpp"

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1::engine {

/// Rows accumulated one after the other, before partial results are combined: bounds the error of a
/// sum.
inline constexpr index_t kRowsInPart = 128;

/// The number of parts, each with a result of its own, to which an axis of `rows` elements is
/// reduced.
constexpr index_t parts_of(index_t rows) { return (rows + kRowsInPart - 1) / kRowsInPart; }

/// The number of elements inside of `axis` that are walked as one run: the product of the fastest
/// axes that join.
index_t inner_run_length(const ReducedSource& source, std::size_t axis);

/// Reduces one axis by adding rows to rows: an element of the result takes its elements in their
/// order, each part of `kRowsInPart` from the identity on. All other axes are kept;
/// `inner_run_length(axis)` is at least `kShortestRow`. The results lie contiguously along the
/// source's axes, with the parts in the place of `axis`.
void reduce_rows(Op op, const void* identity, const ReducedSource& source, std::size_t axis,
                 void* out);

} // namespace purview::engine
