#pragma once

#include <purview/base/index_sequence.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/dimensions/axis_map.hpp>

#include <cstddef>
#include <span>
#include <utility>
#include <variant>

namespace purview::inline v0_1 {

/// The most axes a `Dimensions` can have.
inline constexpr int kMaxRank = 64;

/// The most layers that views of views may stack up; a view that needs more has to be realised
/// first.
inline constexpr int kMaxLayers = 1024;

/// The interval [lowest, highest] of addresses that a `Dimensions` reads; `highest < lowest` if it
/// is empty.
struct AddressRange {
    index_t lowest = 0;
    index_t highest = -1;
    bool empty = true;
    friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

/// One entry of the `shape` of `Dimensions::raw`: an extent, or a list of indexes.
using AxisShape = std::variant<index_t, IndexSequencePtr>;

namespace dimensions {
class LayerRest; // maps, inner layers, and everything of ranks above kInlineRank
struct Layer;    // an outer layer being built
PURVIEW_EXPORT void intrusive_ptr_add_ref(const LayerRest* rest) noexcept;
PURVIEW_EXPORT void intrusive_ptr_release(const LayerRest* rest) noexcept;
} // namespace dimensions

/// An invertible map from the coordinates of an n-dimensional array to addresses. Independent of
/// what is stored at an address. A regular value; immutable except by assignment.
///
/// It is a list of *layers*, nearly always one. Each layer maps coordinates to an address by
/// strides and an index map per axis (`AxisMap`); the address that a layer yields is the row-major
/// index of an element of the next, inner layer. A view *folds* if it changes the outer layer and
/// adds none. docs/index_algebra.md has the algebra. Views (`purview/dimensions/transpose.hpp` and
/// its neighbours) make new `Dimensions` and never read an element.
///
/// Every address, and the difference of any two, fits into `index_t`: constructors throw
/// `ShapeError` if not, and views preserve it. A view that would need a 1025th layer throws
/// `ShapeError` as well.
class PURVIEW_EXPORT Dimensions {
public:
    /// Rank 0: one element, at address 0.
    Dimensions() noexcept = default;
    Dimensions(const Dimensions&) noexcept = default;
    Dimensions& operator=(const Dimensions&) noexcept = default;
    // The moved-from object stays valid: unchanged, or of rank 0 if it had to give `rest_` away.
    Dimensions(Dimensions&& other) noexcept : outer_(other.outer_), rest_(std::move(other.rest_)) {
        if (rest_ != nullptr) other.outer_ = {};
    }
    Dimensions& operator=(Dimensions&& other) noexcept {
        if (this == &other) return *this;
        outer_ = other.outer_;
        if (other.rest_ != nullptr) other.outer_ = {};
        rest_ = std::move(other.rest_);
        return *this;
    }
    ~Dimensions() = default;

    /// Dimensions without gaps, last axis fastest: (5, 3, 2) has strides (6, 2, 1). All factories
    /// throw `ShapeError` on a negative extent, an overflow, or more than 64 axes.
    static Dimensions row_major(ShapeSpan shape);
    /// Dimensions without gaps, first axis fastest: (5, 3, 2) has strides (1, 5, 15).
    static Dimensions column_major(ShapeSpan shape);
    /// `shape` within the row-major strides of a `size` >= `shape`: (5, 3, 2) in (5, 4, 2) has
    /// strides (8, 2, 1).
    static Dimensions padded(ShapeSpan shape, ShapeSpan size);
    /// Any strides, negative and zero ones too.
    static Dimensions strided(ShapeSpan shape, ShapeSpan strides, index_t base = 0);
    /// The raw form `<shape, strides, offsets, max_shape>`: axis a has `max_shape[a]` elements, and
    /// element g along it reads coordinate `(g + offsets[a]) mod shape[a]`, or, if `shape[a]` is an
    /// index list, the entry of the list at that position (modulo its length). Throws `IndexError`
    /// for a list with negative entries.
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
    /// The `shape` of `raw` for the outer layer: the period of a periodic axis, the length of the
    /// list of a list axis, else the extent.
    Shape shape() const;
    /// The `offsets` of `raw` for the outer layer: the phase of each axis.
    Shape offsets() const;
    /// The base of the outer layer: the address at coordinates zero, before index maps.
    index_t base() const noexcept { return outer_.base; }

    int layer_count() const noexcept;
    /// A layer, 0 being the outer one. Valid as long as this object or a copy of it lives
    /// unchanged.
    LayerView layer(int index) const noexcept;

    /// One layer without index maps: strides and base describe it completely. O(1).
    bool is_strided() const noexcept { return rest_ == nullptr || is_strided_large(); }
    /// Whether it is strided and of a rank up to kInlineRank, without a call: `strides` and
    /// `max_shape` need none either then.
    bool is_inline() const noexcept { return rest_ == nullptr; }
    /// Strided, row-major and without gaps, at any base. Axes of size 1 do not matter; an empty one
    /// is contiguous.
    bool is_contiguous() const noexcept {
        return (outer_.rank == 1 && outer_.strides[0] == 1 && rest_ == nullptr) ||
               is_contiguous_of_any_rank();
    }
    /// Whether it shows in the strides of all axes that it is contiguous, without a call: false
    /// also for what is empty, of a high rank, or has axes of size 1 with other strides.
    bool is_plain_line() const noexcept {
        if (rest_ != nullptr) return false;
        index_t size = 1;
        bool fits = true;
        for (int a = outer_.rank; a-- > 0;) {
            fits &= outer_.strides[a] == size;
            size *= outer_.extents[a];
        }
        return fits && size != 0;
    }
    /// Contiguous with base 0: the address is the global index.
    bool is_identity() const noexcept { return outer_.base == 0 && is_contiguous(); }
    /// The addresses are exactly an interval (true if empty). Decided by strides where possible;
    /// else by counting, for up to 2^20 elements; above that, false.
    bool is_dense() const;
    /// No two elements share an address. Exact for strided ones up to a work limit, otherwise by
    /// counting for up to 2^20 elements; above that, false unless it is certain.
    bool is_unique() const;
    /// Some axis repeats elements: by a stride of 0, or by a period.
    bool is_broadcast() const noexcept;
    /// Some elements share an address: not `is_unique`.
    bool is_overlapping() const { return !is_unique(); }
    /// The addresses read. Exact for one layer; with several, the range that the innermost layer
    /// could read. O(rank), or O(list) for lists that are used in part.
    AddressRange address_range() const noexcept;

    /// The address of an element by its row-major index. A division per axis; for many, use
    /// `AddressStream`. Throws `IndexError` outside of [0, size()).
    index_t global_to_local(index_t index) const;
    /// The address of an element by its coordinates, negative ones counting from the end. Throws
    /// `IndexError` for a wrong number of them, or one out of range.
    index_t global_to_local(ShapeSpan coordinates) const;
    /// The address of an element by its coordinates, without checks: one per axis, each in range.
    index_t local_of(ShapeSpan coordinates) const noexcept {
        if (rest_ != nullptr) return local_of_layers(coordinates);
        index_t address = outer_.base;
        for (std::size_t a = 0; a < coordinates.size(); ++a)
            address += outer_.strides[a] * coordinates[a];
        return address;
    }

    /// Structural equality: the same layers (lists compared by value), which is more than reading
    /// the same addresses.
    friend PURVIEW_EXPORT bool operator==(const Dimensions& a, const Dimensions& b) noexcept;
    /// Consistent with `==`. O(rank) per layer; of a list only its size and extremes are hashed.
    std::size_t hash() const noexcept;

private:
    friend struct dimensions::Layer;
    friend class dimensions::LayerRest;

    /// The outer layer of ranks up to kInlineRank.
    struct Outer {
        // Not an aggregate: gcc zeroes an aggregate by `rep stos`, which takes 10 ns.
        Outer() noexcept : extents{}, strides{} {}

        index_t base = 0;
        int rank = 0;
        index_t extents[kInlineRank];
        index_t strides[kInlineRank];
    };

    ShapeSpan large_extents() const noexcept;
    ShapeSpan large_strides() const noexcept;
    bool is_strided_large() const noexcept;
    bool is_contiguous_of_any_rank() const noexcept;
    index_t local_of_layers(ShapeSpan coordinates) const noexcept;

    Outer outer_;
    IntrusivePointer<const dimensions::LayerRest> rest_; // null when strided and rank <= 6
};

static_assert(sizeof(Dimensions) <= 128);

} // namespace purview
