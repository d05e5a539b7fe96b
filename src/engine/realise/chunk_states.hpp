#pragma once

#include <purview/evaluation/reducer.hpp>

#include "engine/boxes/chunked_parts.hpp"

#include <cstddef>

namespace purview::inline v0_1::engine {

/// Gets the states of a box of the axes that are kept, whose shape is `kept`.
using FoundStates = FunctionRef<void(const Box& box, ShapeSpan kept, const std::byte* states)>;

/// Calls `found` with the states of all groups, for an expression over arrays of chunks. Returns false,
/// with nothing folded, for others.
bool fold_chunks(const Reducer& reducer, const FoldedPart& part, FoundStates found);

/// The same of cells that have been found, joined in the order of the grid.
void fold_cells(const Reducer& reducer, const ChunkedParts& parts, const FoldedPart& part,
                FoundStates found);

/// Finishes states of groups of so many elements, to the places of the groups.
void finish_to(const Reducer& reducer, index_t elements, const Box& box, ShapeSpan kept,
               const std::byte* states, void* out);

/// Of a whole.
inline constexpr auto place_itself = [](index_t, index_t at) { return at; };

} // namespace purview::engine
