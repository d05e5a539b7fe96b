#pragma once

#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview {

/// The size of a named axis of a pattern: `{"h2", 2}`.
struct AxisSize {
    std::string name;
    index_t size;
};

PURVIEW_EXPORT DimOperand rearrange_operand(std::string_view pattern, const DimOperand& x,
                                            std::span<const AxisSize> sizes);

template <TensorLike X>
auto rearranged(std::string_view pattern, const X& x, std::span<const AxisSize> sizes) {
    DimOperand result = rearrange_operand(pattern, bound_operand(x), sizes);
    if constexpr (HasDims<X>)
        return view_handle(x, std::move(result));
    else
        return view_handle(x, std::move(result.operand));
}

/// `rearrange("b (c h2 w2) h w -> b c (h h2) (w w2)", t, {{"h2", 2}, {"w2", 2}})`: einops'. A name for each axis, or
/// several in parentheses for one that is split, or joined, the last one fastest; `1` for an axis of size 1;
/// `...` for the axes left over, which on the right may be joined. Each name stands once on either side. Of the names in
/// parentheses on the left, one needs no size. Dims that are bound stay bound. `t | rearrange("h w -> w h")`.
///
/// A view, O(1), which can be written where the tensor can. Throws `FormatError` for a pattern that is none, `DimError`
/// naming the axis for one that is on one side only, twice, or of a size that does not divide, `ShapeError`
/// for a wrong number of axes.
template <TensorLike X>
auto rearrange(std::string_view pattern, const X& x, const std::vector<AxisSize>& sizes = {}) {
    return rearranged(pattern, x, sizes);
}
inline auto rearrange(std::string_view pattern, std::vector<AxisSize> sizes = {}) {
    return Stage([pattern = std::string(pattern), sizes = std::move(sizes)]<TensorLike X>(
                     const X& x) { return rearranged(pattern, x, sizes); });
}

} // namespace purview
