#pragma once

#include "engine/folds/fold_cells.hpp"
#include "engine/folds/folds.hpp"

#include <cstring>

namespace purview::engine {

/// What a fold came to: an element of a built-in type.
struct FoldValue {
    alignas(8) std::byte bytes[8];
};

/// A fold of elements of a type, for whoever folds by chunks and takes all types alike: `Fold<T, reduction>` at run time.
struct FoldKind {
    DType dtype;
    TileOp op;           ///< what accumulates on lanes
    Op operation;        ///< the same of two elements
    index_t chunk;       ///< elements after which lanes are joined
    FoldValue identity;  ///< of nothing
    FoldValue start;     ///< what leaves every element as it is
    const void* neutral; ///< what lanes without an element hold
    FoldValue (*combine)(FoldValue a, FoldValue b);
    bool (*is_decided)(FoldValue folded);
    void (*reset)(std::byte* accumulator, std::size_t lane_bytes, std::size_t lanes);
    FoldValue (*join)(const std::byte* accumulator, std::size_t lane_bytes, std::size_t lanes);
    /// Combines each of `count` elements with one more, in its place.
    void (*combine_each)(void* elements, const void* more, index_t count);
    /// Folds cells that lie one after the other.
    void (*fold_cells)(const void* in, index_t cells, Cell cell, void* out);

    /// Whether an element may leave nothing for others to change: any_of and all_of.
    bool may_be_decided() const noexcept { return dtype == boolean; }
    /// Lanes of an accumulator.
    std::size_t lanes(std::size_t lane_bytes) const noexcept {
        return accumulator_lanes(dtype.is_floating(), lane_bytes);
    }
    void store(FoldValue value, void* out) const noexcept {
        std::memcpy(out, value.bytes, static_cast<std::size_t>(dtype.size_bytes()));
    }
};

/// Throws `DtypeError` for elements of other types. Of bools, maximum is any_of, and what else there is all_of.
const FoldKind& fold_kind(Reduction reduction, DType dtype);

/// A fold for `Cascade`.
struct FoldOfKind {
    using Type = FoldValue;

    const FoldKind* kind;

    FoldValue combine(FoldValue a, FoldValue b) const { return kind->combine(a, b); }
    FoldValue identity() const noexcept { return kind->identity; }
};

} // namespace purview::engine
