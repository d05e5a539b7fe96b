#pragma once

#include "engine/reduce/reduced_source.hpp"

#include <purview/expression/elementwise.hpp>

namespace purview::inline v0_1::engine {

/// Reduces one axis by adding rows to rows: an element of the result takes its elements in their
/// order, each part of `kRowsInPart` from the identity on. All other axes are kept;
/// `source.inner_run(axis)` is at least `kShortestRow`. The results lie contiguously along the
/// source's axes, with the parts in the place of `axis`.
void reduce_rows(Op op, const void* identity, const ReducedSource& source, std::size_t axis,
                 void* out);

} // namespace purview::engine
