#pragma once

#include <purview/expression/leaf.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// What a copy of an expression over arrays of chunks to a destination in chunks reads of them.
struct CopiesOfChunks {
    index_t read;      ///< chunks, one of them as often as it is read
    index_t different; ///< of these
    Shape cell;        ///< of the expression's axes: where its largest array is cut
};
/// Decided as `copy` does it, with the memory limit of now; nothing where it goes another way. Reads no
/// element.
PURVIEW_EXPORT std::optional<CopiesOfChunks> copies_of_chunks(const Operand& source,
                                                              const Operand& destination);

} // namespace purview
