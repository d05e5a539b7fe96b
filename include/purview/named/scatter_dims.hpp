#pragma once

#include <purview/expression/scatter.hpp>
#include <purview/named/dim_tensor.hpp>

namespace purview {

/// Writes or adds values to what a destination looks at, in loops over the dims of the destination, then those that
/// only the values have. Throws as `scatter`, and `DimError` for a Dim without a size.
PURVIEW_EXPORT void scatter_over_dims(const char* what, Scatter how, const DimOperand& values,
                                      const DimOperand& destination);

/// What `assign` and `add_to` do where dims are bound.
template <typename V, typename Destination>
void scatter_bound(const char* what, Scatter how, const V& values, const Destination& destination) {
    if constexpr (TensorLike<V>)
        scatter_over_dims(what, how, bound_operand(values), bound_operand(destination));
    else
        scatter_over_dims(what, how, dim_operand(values), bound_operand(destination));
}

} // namespace purview
