#pragma once

#include <purview/base/reference_count.hpp>
#include <purview/dimensions/dimensions.hpp>

#include <boost/container/small_vector.hpp>

#include <optional>
#include <vector>

namespace purview::inline v0_1::dimensions {

/// The index maps: one per axis, or none if every axis is plain. Up to three axes, as those of
/// images, need no allocation of their own.
using AxisMaps = boost::container::small_vector<AxisMap, 3>;

/// The parts of a `Dimensions` that are not inline. Immutable once it is shared.
class LayerRest {
public:
    std::vector<index_t> extents;    // of ranks above kInlineRank
    std::vector<index_t> strides;    // of ranks above kInlineRank
    AxisMaps maps;                   // empty: every axis is plain
    std::optional<Dimensions> inner; // the inner layers; none: addresses are final
    int layer_count = 1;
    mutable ReferenceCount references;

    /// Drops a reference; if it was the last one, destroys this layer and, one by one, the inner
    /// ones that only this layer kept: a recursive destructor could overflow the stack.
    static void release(const LayerRest* rest) noexcept;
};

/// The number of an axis as an unsigned container index.
inline std::size_t as_size(int axis) { return static_cast<std::size_t>(axis); }

/// a mod m in [0, m), for m > 0.
inline index_t floor_mod(index_t a, index_t m) noexcept {
    const index_t r = a % m;
    return r < 0 ? r + m : r;
}

/// The representative of a (mod m) with the smallest magnitude, positive in a tie.
inline index_t centred_mod(index_t a, index_t m) noexcept {
    const index_t r = floor_mod(a, m);
    return r > m - r ? r - m : r;
}

/// An integer type wide enough for the product of two indexes.
__extension__ typedef __int128 wide_t;

/// (a·b) mod m in [0, m), for m > 0.
inline index_t multiply_mod(index_t a, index_t b, index_t m) noexcept {
    const auto r = static_cast<index_t>(static_cast<wide_t>(a) * b % m);
    return r < 0 ? r + m : r;
}

/// The number of coordinates from g on before the periodic stage wraps round.
PURVIEW_EXPORT index_t before_wrap(const AxisMap& map, index_t g) noexcept;

/// The interval [lowest, highest] of the coordinates that an axis reads, after its index map.
struct CoordinateBounds {
    index_t lowest = 0;
    index_t highest = 0;
};
/// Exact, except for periodic axes of more than 2^16 elements with a step other than ±1, which get
/// [0, period). The axis must not be empty. O(1), or O(list) for lists that are used in part.
CoordinateBounds coordinate_bounds(const LayerView& layer, int axis) noexcept;

/// The outer layer of a `Dimensions` in editable form, and the only access to its parts. The folds
/// of docs/index_algebra.md are its members.
struct Layer {
    Shape extents;
    Shape strides;
    index_t base = 0;
    AxisMaps maps;

    Layer() = default;
    explicit Layer(const LayerView& view);
    explicit Layer(const Dimensions& dims) : Layer(dims.layer(0)) {}
    /// Row-major strides, base 0.
    static Layer identity(ShapeSpan shape);

    int rank() const noexcept { return static_cast<int>(extents.size()); }
    bool is_plain(int axis) const noexcept {
        return maps.empty() || maps[static_cast<std::size_t>(axis)].is_plain();
    }
    AxisMap map(int axis) const {
        return maps.empty() ? AxisMap{} : maps[static_cast<std::size_t>(axis)];
    }
    index_t coordinate(int axis, index_t g) const noexcept {
        return maps.empty() ? g : maps[static_cast<std::size_t>(axis)](g);
    }
    void set_map(int axis, AxisMap map);

    /// Restricts the axis: g = first + step·g', for g' < count.
    void restride(int axis, index_t first, index_t step, index_t count);
    /// Makes the axis periodic: g = (g' + phase) mod extent, for g' < count and 0 <= phase <
    /// extent. Returns false, and changes nothing, if that does not fold.
    bool repeat(int axis, index_t phase, index_t count);
    /// The same with a step: g = (step·g' + phase) mod extent, extent > 1.
    bool repeat(int axis, index_t step, index_t phase, index_t count);
    /// Maps the axis by a list: g = list[g']. The entries must have been checked.
    void pick(int axis, const IndexSequencePtr& list);
    /// Adds the contribution of coordinate g to the base and removes the axis.
    void fix(int axis, index_t g);
    void erase(int axis);
    void insert(int axis, index_t extent, index_t stride, AxisMap map = {});
    void append(index_t extent, index_t stride, AxisMap map = {}) {
        insert(rank(), extent, stride, std::move(map));
    }
    /// Turns a periodic stage that does not wrap within the extent into an affine one. With
    /// `any_step`, also tries the representative of the step with the other sign.
    void flatten(int axis, bool any_step);

    /// Validates the layer and makes a `Dimensions` of it. `inner` are the layers that its
    /// addresses index, or null. Throws `ShapeError` for more than 64 axes, and where sizes or
    /// addresses overflow.
    Dimensions finish(const Dimensions* inner, const char* what) &&;
    /// As a view of the inner layers of `dims`.
    Dimensions finish_like(const Dimensions& dims, const char* what) && {
        return std::move(*this).finish(inner_of(dims), what);
    }

    // Access to the parts of a `Dimensions`.
    /// The layers below the outer one, or null.
    static const Dimensions* inner_of(const Dimensions& dims) noexcept;
    /// Whether everything is inline: plain axes, one layer, rank <= kInlineRank.
    static bool is_inline(const Dimensions& dims) noexcept { return dims.rest_ == nullptr; }
    static Dimensions make_inline(int rank, index_t base) noexcept {
        Dimensions dims;
        dims.outer_.rank = rank;
        dims.outer_.base = base;
        return dims;
    }
    /// Dimensions of up to kInlineRank axes, of which `write_axis(a, extent, stride)` sets each. They
    /// are made where the caller wants them: a copy would wait for what has just been written.
    template <typename WriteAxis>
    static Dimensions make_inline(int rank, index_t base, WriteAxis write_axis) noexcept {
        Dimensions dims = make_inline(rank, base);
        for (int a = 0; a < rank; ++a)
            write_axis(static_cast<std::size_t>(a), dims.outer_.extents[a], dims.outer_.strides[a]);
        return dims;
    }
    static index_t* extents_of(Dimensions& dims) noexcept { return dims.outer_.extents; }
    static index_t* strides_of(Dimensions& dims) noexcept { return dims.outer_.strides; }
    static const index_t* extents_of(const Dimensions& dims) noexcept {
        return dims.outer_.extents;
    }
    static const index_t* strides_of(const Dimensions& dims) noexcept {
        return dims.outer_.strides;
    }
    static index_t& base_of(Dimensions& dims) noexcept { return dims.outer_.base; }
    static int& rank_of(Dimensions& dims) noexcept { return dims.outer_.rank; }

private:
    void validate(const char* what) const;
};

/// Puts an identity layer on top of `dims`: the same map, with an outer layer into which everything
/// folds.
Dimensions push_identity(const Dimensions& dims, const char* what);

/// The given axes as numbers in [0, rank), all different. Throws `IndexError` for an axis out of
/// range, or naming a duplicate.
boost::container::small_vector<int, kInlineRank> checked_axes(ShapeSpan axes, int rank,
                                                              const char* what);

} // namespace purview::dimensions
