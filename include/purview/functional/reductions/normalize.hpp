#pragma once

#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// `normalize(x)`, `x | normalize`: x divided by the root of the sum of its squares, so that these add up to 1; in
/// float64 for integers. NaN where all elements are zero. The sum is computed at once, in O(size); the quotient is
/// lazy.
struct NormalizeFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        return x / sqrt(sum(sq(x * 1.0))); // of integers, the squares of float64
    }
};
inline constexpr AcceptingArrays<NormalizeFunction> normalize;

} // namespace purview
