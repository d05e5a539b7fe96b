#pragma once

#include "engine/sparse/own_pairs.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// A sparse factor of floats, integers or bools as pairs whose fill is 0, each once, by ascending
/// row-major index; their values lie side by side.
struct SparseFactor {
    SparsePairs pairs;
    OwnPairs own; ///< empty if the pairs are those of the operand's buffer

    /// The pairs of the operand's buffer, if it shows these as they are, else evaluated ones.
    /// Nothing where the fill is not 0, so that products of elements that are not stored matter
    /// too, and where views repeat more entries than may be stored. O(1), or what evaluating it
    /// takes.
    static std::optional<SparseFactor> of(const Operand& operand);
    /// Nothing too where they do not lie in a buffer in this order. O(1).
    static std::optional<SparseFactor> in_memory(const Operand& operand);

    index_t stored() const noexcept { return std::ssize(pairs.indexes); }
    const index_t* index() const noexcept { return pairs.indexes.data(); }
    /// As floats, or as unsigned integers of the width.
    template <typename T>
    const T* value() const noexcept {
        return static_cast<const T*>(pairs.values.data);
    }
};

} // namespace purview::engine
