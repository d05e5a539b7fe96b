#pragma once

#include "engine/folds/fold_cells.hpp"
#include "engine/folds/folds.hpp"

#include <cstring>

namespace purview::inline v0_1::engine {

/// The result of a fold: the bytes of an element of a built-in type.
struct FoldValue {
    alignas(8) std::byte bytes[8];

    template <typename T>
    T as() const noexcept {
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
};

/// `Fold<T, reduction>` behind function pointers, for code that folds by chunks and treats all
/// types alike.
struct FoldKind {
    DType dtype;
    TileOp op;               ///< the tile operation that accumulates on lanes
    Op operation;            ///< the element-wise operation on two elements
    index_t chunk;           ///< the number of elements after which lanes are joined
    FoldValue identity;      ///< the result for no elements
    FoldValue start;         ///< combine(start, x) is x, for every x
    const void* neutral;     ///< the value of lanes without an element; of bools, a mask
    const void* start_lanes; ///< an accumulator before its first element, aligned
    FoldValue (*combine)(FoldValue a, FoldValue b);
    bool (*is_decided)(FoldValue folded);
    /// Of a minimum or a maximum: whether b is more extreme than a. NaN is more than every number.
    bool (*is_better)(FoldValue a, FoldValue b);
    FoldValue (*join)(const std::byte* accumulator, std::size_t lane_bytes, std::size_t lanes);
    /// elements[i] = combine(elements[i], more[i]), for i < count.
    void (*combine_each)(void* elements, const void* more, index_t count);
    /// The function template `fold_cells`, for elements of `dtype`.
    void (*fold_cells)(const void* in, index_t cells, Cell cell, void* out);

    /// Whether a fold can be decided before its last element: any_of and all_of.
    bool may_be_decided() const noexcept { return dtype == boolean; }
    /// Whether results may leave the range of the type on the way.
    bool multiplies_floats() const noexcept {
        return dtype.is_floating() && op == TileOp::multiply;
    }
    /// The number of lanes of an accumulator.
    std::size_t lanes(std::size_t lane_bytes) const noexcept {
        return accumulator_lanes(dtype.is_floating(), lane_bytes);
    }
    void reset(std::byte* accumulator) const noexcept {
        std::memcpy(accumulator, start_lanes, kAccumulatorBytes);
    }
    void store(FoldValue value, void* out) const noexcept {
        std::memcpy(out, value.bytes, static_cast<std::size_t>(dtype.size_bytes()));
    }
};

/// The fold of elements of a built-in type; throws `DtypeError` for other types. For bools, any_of
/// and maximum are any_of, all other reductions all_of. Sums and products of numbers need elements
/// of at least 4 bytes.
const FoldKind& fold_kind(Reduction reduction, DType dtype);

/// A `FoldKind` with the members that `Cascade` needs.
struct FoldOfKind {
    using Type = FoldValue;

    const FoldKind* kind;

    FoldValue combine(FoldValue a, FoldValue b) const { return kind->combine(a, b); }
    FoldValue identity() const noexcept { return kind->identity; }
};

} // namespace purview::engine
