#pragma once

#include <purview/base/refused.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

PURVIEW_EXPORT std::vector<DimOperand> split_operand(const DimOperand& x, const AxisOrDim& axis,
                                                     std::span<const Dim> parts);

/// `auto [x, y] = split(t, i, {j, k})`, or `t | split(i, {j, k})`: splits a Dim or a positional
/// axis into consecutive parts, each over a Dim of its own. Dims without a size share what the
/// others leave: each takes the quotient, rounded up, as long as something is left. An array of
/// views, O(1). Throws `DimError` if the sizes do not add up to the axis, or a Dim is bound to
/// another size; then no Dim is bound.
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
/// `split(t, i, parts)` for a range of dims whose number is known at run time: a vector of views.
template <TypedTensor X, DimRange R>
    requires(!AxisLike<X>)
auto split(const X& x, const AxisOrDim& axis, const R& parts) {
    std::vector<DimTensor<typename X::value_type>> views;
    for (DimOperand& operand :
         split_operand(bound_operand(x), axis, DimVector(std::begin(parts), std::end(parts))))
        views.emplace_back(std::move(operand));
    return views;
}

/// Views of consecutive parts of an axis: of the given sizes, or at most `count` parts of equal
/// size except the last. A Dim becomes the first positional axis.
PURVIEW_EXPORT std::vector<DimOperand> split_in_sizes(const DimOperand& x, const AxisOrDim& axis,
                                                      ShapeSpan sizes);
PURVIEW_EXPORT std::vector<DimOperand> split_in_chunks(const DimOperand& x, const AxisOrDim& axis,
                                                       index_t count);

template <TensorLike X>
std::vector<ViewHandle<X>> views_of(std::vector<DimOperand> parts) {
    std::vector<ViewHandle<X>> views;
    for (DimOperand& part : parts)
        if constexpr (HasDims<X>)
            views.emplace_back(std::move(part));
        else
            views.emplace_back(std::move(part.operand));
    return views;
}

/// `split(t, axis, {2, 3})`: a vector of views of consecutive parts, of these sizes, of an axis or
/// a Dim. The axis stays positional; a Dim becomes the first positional axis, as its size changes.
/// O(1) each. Throws `ShapeError` if the sizes do not add up to the axis, `IndexError`, `DimError`.
template <TensorLike X>
    requires(!AxisLike<X>)
auto split(const X& x, const AxisOrDim& axis, AxisValues sizes) {
    return views_of<X>(split_in_sizes(bound_operand(x), axis, sizes));
}
/// Rejected at compile time, with a message.
template <TensorLike X, IndexInteger N, IndexInteger... A>
    requires(!AxisLike<X>)
PURVIEW_REFUSED("split(x, axis, {2, 3}) is of the sizes of the parts: for a number of equal parts "
                "write chunk(x, n), chunk(x, n, axis)",
                split(const X&, N, A...));
/// `chunk(t, count, axis)`, or `t | chunk(count, axis)`: at most `count` parts of an axis (default
/// 0) or a Dim, each as long as the quotient, rounded up, except the last, which has what is left;
/// as in PyTorch. Otherwise as `split`. Throws `ShapeError` for a count below 1.
template <TensorLike X>
    requires(!AxisLike<X>)
auto chunk(const X& x, index_t count, const AxisOrDim& axis = 0) {
    return views_of<X>(split_in_chunks(bound_operand(x), axis, count));
}
template <StageNumber<index_t> N>
auto chunk(const N& count, const AxisOrDim& axis = 0) {
    return Stage([count = static_cast<index_t>(count), axis]<TensorLike X>(const X& x) {
        return chunk(x, count, axis);
    });
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
