#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

namespace purview::dimensions {

/// One per axis, or none where every axis is plain. Of images, and what has fewer axes, without an
/// allocation of its own.
using AxisMaps = boost::container::small_vector<AxisMap, 3>;

/// What a `Dimensions` holds besides inline strides. Immutable once it is shared.
class LayerRest {
public:
    std::vector<index_t> extents;    // of ranks above kInlineRank
    std::vector<index_t> strides;    // of ranks above kInlineRank
    AxisMaps maps;                   // none: every axis is plain
    std::optional<Dimensions> inner; // none: addresses are the innermost ones
    int layer_count = 1;
    mutable std::atomic<std::uint32_t> references{1}; // whoever makes it holds it

    /// Drops a reference, and with the last one this layer and those that only it kept, one by one:
    /// a destructor that recurses could run out of stack.
    static void release(const LayerRest* rest) noexcept;
};

/// An axis as the index of a container.
inline std::size_t z(int axis) { return static_cast<std::size_t>(axis); }

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

/// Wide enough for the product of two indexes.
__extension__ typedef __int128 wide_t;

/// (a·b) mod m in [0, m), for m > 0.
inline index_t multiply_mod(index_t a, index_t b, index_t m) noexcept {
    const auto r = static_cast<index_t>(static_cast<wide_t>(a) * b % m);
    return r < 0 ? r + m : r;
}

/// The coordinates, after the index map, that an axis reads: all lie in [lowest, highest].
struct CoordinateBounds {
    index_t lowest = 0;
    index_t highest = 0;
};
/// Exact, but for periodic axes of more than 2^16 elements with an odd step, which get [0, period).
/// The axis must not be empty. O(1), or O(list) for lists used in part.
CoordinateBounds coordinate_bounds(const LayerView& layer, int axis) noexcept;

/// The outer layer of a `Dimensions` taken out to be edited, and the only way into its parts.
/// The folds of docs/index_algebra.md are its members.
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

    /// g = first + step·g', for g' < count.
    void restride(int axis, index_t first, index_t step, index_t count);
    /// g = (g' + phase) mod extent, for g' < count and 0 <= phase < extent. False, and unchanged,
    /// where that does not fold.
    bool repeat(int axis, index_t phase, index_t count);
    /// The same for g = (step·g' + phase) mod extent, extent > 1.
    bool repeat(int axis, index_t step, index_t phase, index_t count);
    /// g = list[g']. The entries have been checked.
    void pick(int axis, const IndexSequencePtr& list);
    /// Adds the contribution of coordinate g to the base and removes the axis.
    void fix(int axis, index_t g);
    void erase(int axis);
    void insert(int axis, index_t extent, index_t stride, AxisMap map = {});
    void append(index_t extent, index_t stride, AxisMap map = {}) {
        insert(rank(), extent, stride, std::move(map));
    }
    /// Turns a periodic stage that does not wrap within the extent into an affine one. Where
    /// `any_step`, also tries the step of the other direction.
    void flatten(int axis, bool any_step);

    /// Validates and packs. `inner` is what the addresses index, or null. Throws `ShapeError` for
    /// more than 64 axes, and where sizes or addresses overflow.
    Dimensions finish(const Dimensions* inner, const char* what) &&;
    /// As a view of the same inner layers as `dims`.
    Dimensions finish_like(const Dimensions& dims, const char* what) && {
        return std::move(*this).finish(inner_of(dims), what);
    }

    // Access to packed ones.
    /// The layers below the outer one, or null.
    static const Dimensions* inner_of(const Dimensions& dims) noexcept;
    /// Everything is inline: plain axes, one layer, rank <= kInlineRank.
    static bool is_inline(const Dimensions& dims) noexcept { return dims.rest_ == nullptr; }
    static Dimensions make_inline(int rank, index_t base) noexcept {
        Dimensions dims;
        dims.outer_.rank = rank;
        dims.outer_.base = base;
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

/// A fresh outer layer over all of `dims`: the same map, with an outer layer that folds everything.
Dimensions push_identity(const Dimensions& dims, const char* what);

/// The axes named, in [0, rank), checked to differ. Throws `IndexError`, naming the duplicate.
boost::container::small_vector<int, kInlineRank> checked_axes(ShapeSpan axes, int rank,
                                                              const char* what);

} // namespace purview::dimensions
