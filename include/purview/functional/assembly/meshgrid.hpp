#pragma once

#include <purview/tensor/views.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace purview::inline v0_1 {

/// Which axis of a grid the first tensor runs along.
enum class Indexing : std::uint8_t {
    xy, ///< the second, and the second tensor runs along the first: columns and rows of an image
    ij  ///< the first, in the order of indexes
};

/// For `meshgrid`: the shape of the grid of tensors with the given sizes, and the axis along which
/// each of them runs.
struct Grid {
    Shape shape;
    Shape axes;
};
PURVIEW_EXPORT Grid grid_of(ShapeSpan sizes, Indexing indexing);

/// What a grid is made of.
template <typename X>
concept grid_line = viewable<X> && !HasDims<X>;

/// `meshgrid(x, y, …)`: the coordinates of a grid, as in NumPy: a tuple of read-only views, each of
/// the grid's shape, that repeat the elements of a tensor along the axes of the others. For `[n]`
/// and `[m]`, the shape is `[m, n]`; with `meshgrid(x, y, …, Indexing::ij)`, `[n, m]`. Tensors are
/// read in row-major order. O(1), copies nothing.
struct MeshgridFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <grid_line... X>
        requires(sizeof...(X) > 0)
    auto operator()(X&&... x) const { return grid(Indexing::xy, std::forward<X>(x)...); }
    template <grid_line X>
    auto operator()(X&& x, Indexing indexing) const {
        return grid(indexing, std::forward<X>(x));
    }
    template <grid_line X, grid_line Y>
    auto operator()(X&& x, Y&& y, Indexing indexing) const {
        return grid(indexing, std::forward<X>(x), std::forward<Y>(y));
    }
    template <grid_line X, grid_line Y, grid_line Z>
    auto operator()(X&& x, Y&& y, Z&& z, Indexing indexing) const {
        return grid(indexing, std::forward<X>(x), std::forward<Y>(y), std::forward<Z>(z));
    }

private:
    template <typename... X>
    static auto grid(Indexing indexing, X&&... given) {
        return over_lines(indexing, lasting_tensor(std::forward<X>(given))...);
    }
    template <TensorLike... X>
    static auto over_lines(Indexing indexing, const X&... x) {
        const std::array<index_t, sizeof...(X)> sizes{x.size()...};
        const Grid made = grid_of(sizes, indexing);
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return std::tuple<ReadOnly<X>...>(along(x, made, made.axes[I])...);
        }
        (std::index_sequence_for<X...>{});
    }
    template <typename X>
    static ReadOnly<X> along(const X& x, const Grid& made, index_t axis) {
        Shape line(made.shape.size(), 1);
        line[static_cast<std::size_t>(axis)] = x.size();
        return broadcast(reshape(x, line), made.shape);
    }
};
inline constexpr MeshgridFunction meshgrid;

} // namespace purview
