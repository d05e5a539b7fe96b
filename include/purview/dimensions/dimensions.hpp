#pragma once

#include <purview/base/index_sequence.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/dimensions/axis_map.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

namespace purview {

/// The most axes a `Dimensions` can have.
inline constexpr int kMaxRank = 64;

/// The most layers that views of views can need before they have to be realised.
inline constexpr int kMaxLayers = 1024;

/// The addresses a `Dimensions` touches lie in [lowest, highest], unless it is empty.
struct AddressRange {
    index_t lowest = 0;
    index_t highest = -1;
    bool empty = true;
    friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// One entry of the seed's `shape`: an extent, or a list of indexes.
using AxisShape = std::variant<index_t, IndexSequencePtr>;

namespace dimensions {
class LayerRest; // maps, inner layers, and everything of ranks above kInlineRank
struct Layer;    // an outer layer being built
PURVIEW_EXPORT void intrusive_ptr_add_ref(const LayerRest* rest) noexcept;
PURVIEW_EXPORT void intrusive_ptr_release(const LayerRest* rest) noexcept;
} // namespace dimensions

/// An invertible map from the coordinates of an n-dimensional array to addresses. Knows nothing of
/// what lies at an address. A regular value; immutable but for assignment.
///
/// It is a list of *layers*, nearly always one. Each maps coordinates to an address by strides and
/// an index map per axis (`AxisMap`); the address that a layer yields is the row-major index of an
/// element of the next, inner one. docs/index_algebra.md has the algebra. Views (`purview/
/// dimensions/transpose.hpp` and its neighbours) make new ones and never touch an element.
///
/// Every address, and the distance of any two, fits into `index_t`: constructors throw `ShapeError`
/// where that does not hold, and views keep it. A view that would be the 1025th layer on top of each
/// other is a `ShapeError` as well.
class PURVIEW_EXPORT Dimensions {
public:
    /// Rank 0: one element, at address 0.
    Dimensions() noexcept = default;
    Dimensions(const Dimensions&) noexcept = default;
    Dimensions& operator=(const Dimensions&) noexcept = default;
    // What is left behind stays whole: itself, or rank 0 if it had to give something away.
    Dimensions(Dimensions&& other) noexcept : outer_(other.outer_), rest_(std::move(other.rest_)) {
        if (rest_ != nullptr) other.outer_ = {};
    }
    Dimensions& operator=(Dimensions&& other) noexcept {
        const Outer outer = other.outer_;
        if (other.rest_ != nullptr) other.outer_ = {};
        outer_ = outer;
        rest_ = std::move(other.rest_);
        return *this;
    }
    ~Dimensions() = default;

    /// Without gaps, last axis fastest: (5, 3, 2) has strides (6, 2, 1).
    /// All factories throw `ShapeError` on a negative extent, an overflow, or more than 64 axes.
    static Dimensions row_major(ShapeSpan shape);
    /// Without gaps, first axis fastest: (5, 3, 2) has strides (1, 5, 15).
    static Dimensions column_major(ShapeSpan shape);
    /// `shape` within the row-major strides of a `size` >= `shape`: (5, 3, 2) in (5, 4, 2) has
    /// strides (8, 2, 1).
    static Dimensions padded(ShapeSpan shape, ShapeSpan size);
    /// Any strides, negative and zero ones too.
    static Dimensions strided(ShapeSpan shape, ShapeSpan strides, index_t base = 0);
    /// The seed's form `<shape, strides, offsets, max_shape>`: axis a has `max_shape[a]` elements,
    /// the one at g reads coordinate `(g + offsets[a]) mod shape[a]`, or that entry of the index
    /// list which stands in its place. Throws `IndexError` for a list with negative entries.
    static Dimensions raw(std::span<const AxisShape> shape, ShapeSpan strides, ShapeSpan offsets,
                          ShapeSpan max_shape, index_t base = 0);

    int rank() const noexcept { return outer_.rank; }
    /// The number of elements.
    index_t size() const noexcept {
        index_t size = 1;
        for (const index_t extent : max_shape()) size *= extent;
        return size;
    }
    /// The extents: what a tensor calls its shape.
    ShapeSpan max_shape() const noexcept {
        return outer_.rank <= kInlineRank
                   ? ShapeSpan(outer_.extents, static_cast<std::size_t>(outer_.rank))
                   : large_extents();
    }
    /// The strides of the outer layer.
    ShapeSpan strides() const noexcept {
        return outer_.rank <= kInlineRank
                   ? ShapeSpan(outer_.strides, static_cast<std::size_t>(outer_.rank))
                   : large_strides();
    }
    /// The seed's face of the outer layer: the period of a periodic axis, the length of the list of
    /// a list axis, else the extent.
    Shape shape() const;
    /// The seed's face of the outer layer: the raw phase of each axis.
    Shape offsets() const;
    /// The base of the outer layer: the address of its coordinates zero, before index maps.
    index_t base() const noexcept { return outer_.base; }

    int layer_count() const noexcept;
    /// A layer, 0 being the outer one. Valid as long as this object or a copy of it lives unchanged.
    LayerView layer(int index) const noexcept;

    /// One layer without index maps: strides and base tell everything. O(1).
    bool is_strided() const noexcept { return rest_ == nullptr || is_strided_large(); }
    /// Strided, row-major and without gaps, at any base. Size-1 axes do not matter; an empty one is.
    bool is_contiguous() const noexcept;
    /// Contiguous with base 0: the address is the global index.
    bool is_identity() const noexcept { return outer_.base == 0 && is_contiguous(); }
    /// The addresses are exactly an interval (an empty one counts). Decided by strides where they
    /// tell; else by counting, for up to 2^20 elements; above, false.
    bool is_dense() const;
    /// No two elements share an address. Exact for strided ones up to a work limit, otherwise
    /// by counting for up to 2^20 elements; above, false where it is not certain.
    bool is_unique() const;
    /// Some axis repeats elements: by a stride of 0, or by tiling.
    bool is_broadcast() const noexcept;
    /// Not unique.
    bool is_overlapping() const { return !is_unique(); }
    /// The addresses touched. Exact for one layer; with several, the addresses that the innermost
    /// could touch. O(rank), or O(list) for lists that are used in part.
    AddressRange address_range() const noexcept;

    /// The address of an element by its row-major index. A division per axis; for many, use
    /// `AddressStream`. Throws `IndexError` outside of [0, size()).
    index_t global_to_local(index_t index) const;
    /// The address of an element by its coordinates, negative ones counting from the end. Throws
    /// `IndexError` for a wrong number of them, or one out of range.
    index_t global_to_local(ShapeSpan coordinates) const;
    /// The same, unchecked, for coordinates in range and one per axis.
    index_t local_of(ShapeSpan coordinates) const noexcept {
        if (rest_ != nullptr) return local_of_layers(coordinates);
        index_t address = outer_.base;
        for (std::size_t a = 0; a < coordinates.size(); ++a)
            address += outer_.strides[a] * coordinates[a];
        return address;
    }

    /// Structural: the same layers (lists by their values), not merely the same addresses.
    friend PURVIEW_EXPORT bool operator==(const Dimensions& a, const Dimensions& b) noexcept;
    /// Agrees with `==`. O(rank) per layer; lists count by size, least and greatest index.
    std::size_t hash() const noexcept;

private:
    friend struct dimensions::Layer;
    friend class dimensions::LayerRest;

    /// The outer layer, in one piece that is copied as bytes. Of ranks up to kInlineRank.
    struct Outer {
        // Not an aggregate: gcc zeroes one of those by `rep stos`, which takes 10 ns.
        Outer() noexcept : extents{}, strides{} {}

        index_t extents[kInlineRank];
        index_t strides[kInlineRank];
        index_t base = 0;
        int rank = 0;
    };

    ShapeSpan large_extents() const noexcept;
    ShapeSpan large_strides() const noexcept;
    bool is_strided_large() const noexcept;
    index_t local_of_layers(ShapeSpan coordinates) const noexcept;

    Outer outer_;
    IntrusivePointer<const dimensions::LayerRest> rest_; // null when plain and rank <= 6
};

static_assert(sizeof(Dimensions) <= 128);

} // namespace purview
