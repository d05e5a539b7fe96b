#pragma once

#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/slices.hpp>

#include <utility>

namespace purview {

/// Calls `work(part, out)` with the positional axes of each combination of dims; each call appends
/// its results, of shape `each`, to `out`. Returns memory of `R` under the dims of `x`.
template <typename R, HasDims X, typename Work>
ResultHandle<R, X> batched(const X& x, const Shape& each, Work work) {
    auto bound = settled(dim_operand(x));
    const ShapeSpan sizes = bound.operand.dims.max_shape();
    Shape shape(sizes.begin(), sizes.begin() + bound.dim_count());
    const index_t count = Dimensions::row_major(shape).size();
    shape.insert(shape.end(), each.begin(), each.end());
    const MutableTensor<R> results = empty<R>(shape);
    R* out = as_span(results).data();
    const index_t step = Dimensions::row_major(each).size();
    for (index_t at = 0; at < count; ++at, out += step)
        work(slice_operand(bound.operand, bound.dim_count(), false, at), out);
    bound.operand = results.operand();
    return ResultHandle<R, X>(std::move(bound));
}

} // namespace purview
