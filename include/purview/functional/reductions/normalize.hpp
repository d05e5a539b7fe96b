#pragma once

#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// `normalize(x)`, `x | normalize`: x divided by its Euclidean norm, so that the squares add up to
/// 1; in float64 for integers. NaN if all elements are zero. The norm is computed now, in O(size);
/// the quotient is lazy.
struct NormalizeFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        return x / sqrt(sum(sq(x * 1.0))); // times 1.0, so that integers are squared in float64
    }
};
inline constexpr AcceptingArrays<NormalizeFunction> normalize;

} // namespace purview
