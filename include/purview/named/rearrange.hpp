#pragma once

#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

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

/// `rearrange("b (c h2 w2) h w -> b c (h h2) (w w2)", t, {{"h2", 2}, {"w2", 2}})`, as in einops.
/// Each axis has a name; several names in parentheses are one axis that is split or joined, the
/// last name fastest; `1` is an axis of size 1; `...` stands for the remaining axes, which may be
/// joined on the right. Each name occurs once on each side. Of the names in parentheses on the
/// left, one needs no size. Bound dims stay bound. As a stage: `t | rearrange("h w -> w h")`.
///
/// A view, O(1), writable where the tensor is. Throws `FormatError` for an invalid pattern;
/// `DimError` naming the axis for a name that occurs on one side only, or twice, or whose size does
/// not divide the axis; `ShapeError` for a wrong number of axes.
template <TensorLike X>
auto rearrange(std::string_view pattern, const X& x, const std::vector<AxisSize>& sizes = {}) {
    return rearranged(pattern, x, sizes);
}
inline auto rearrange(std::string_view pattern, std::vector<AxisSize> sizes = {}) {
    return Stage([pattern = std::string(pattern), sizes = std::move(sizes)]<TensorLike X>(
                     const X& x) { return rearranged(pattern, x, sizes); });
}

} // namespace purview
