#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/dimensions/dim.hpp>
#include <purview/functional/reductions/chosen_axes.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include <concepts>

namespace purview::inline v0_1 {

/// Bools: whether an element is not NaN, or of times NaT.
PURVIEW_EXPORT Operand is_not_nan(const Operand& x);

/// Throws `ArithmeticError` naming `what` and the index of the first NaN of an operand whose first
/// axes are `dims`; `DtypeError` for complex numbers. Reads nothing if the elements are not floats or times.
PURVIEW_EXPORT void require_no_nan(const char* what, const Operand& x, const DimVector& dims);
/// Throws `DtypeError`: complex numbers have no policy for NaN.
[[noreturn]] PURVIEW_EXPORT void throw_nan_rule(const char* what, DType dtype);
template <TensorLike X>
void require_no_nan(const char* what, const X& x) {
    if constexpr (HasDims<X>) {
        const auto bound = settled(dim_operand(x));
        require_no_nan(what, bound.operand, bound.dims);
    } else {
        require_no_nan(what, x.operand(), {});
    }
}

/// A reduction of a view to memory of the view's shape, optionally with one more axis at the end.
using PartsWork = FunctionRef<Operand(const ReducedView&)>;
/// Applies `work` to the elements of each group that are not NaN. Groups with the same number of
/// such elements are copied and reduced together; if there is no NaN, nothing is copied. Throws
/// `KindError` naming `what` for a sparse view.
PURVIEW_EXPORT Operand reduce_non_nan(const char* what, const ReducedView& view, PartsWork work);

} // namespace purview
