#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace purview {

PURVIEW_EXPORT std::vector<DimOperand> split_operand(const DimOperand& x, const AxisOrDim& axis,
                                                     std::span<const Dim> parts);

/// `auto [x, y] = split(t, i, {j, k})`, or `t | split(i, {j, k})`: a Dim, or a positional axis, in consecutive
/// parts, each over a Dim of its own. Dims that have no size yet share what others leave: each takes
/// the quotient, rounded up, while there is something left. An array of views, O(1). Throws `DimError` where the
/// sizes do not make up the axis, or a Dim is bound to another one; then none is bound.
template <TypedTensor X, std::size_t N>
    requires(!AxisLike<X>)
auto split(const X& x, const AxisOrDim& axis, const Dim (&parts)[N]) {
    using Part = DimView<X>;
    std::vector<DimOperand> operands = split_operand(bound_operand(x), axis, parts);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::array<Part, N>{Part(std::move(operands[I]))...};
    }
    (std::make_index_sequence<N>{});
}
template <std::size_t N>
auto split(const AxisOrDim& axis, const Dim (&parts)[N]) {
    return Stage([axis, parts = std::to_array(parts)]<TypedTensor X>(const X& x) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return split(x, axis, {parts[I]...});
        }
        (std::make_index_sequence<N>{});
    });
}

} // namespace purview
