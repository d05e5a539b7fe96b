#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/result_handle.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// The elements of an operand as `T`, in row-major memory: the operand's own memory if it has that
/// form. Throws `DtypeError` naming `what` for elements that are not numbers, `KindError` for a
/// sparse operand, `CastError` for elements that do not fit.
template <BuiltinType T>
Tensor<T> in_memory(const char* what, const Operand& x) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported(what, x.dtype());
    require_not_sparse(what, x);
    return contiguous(Tensor<T>(cast_operand(x, kDType<T>, Op::cast)));
}

/// The handle of the result of `work(operand)`, an element-wise operation: elements of `R` in the
/// shape of `x`, under its dims. If `x` has no dims, a `MutableTensor<R>`.
template <typename R, TensorLike X, typename Work>
auto in_shape_of(const X& x, Work work) {
    if constexpr (HasDims<X>) {
        auto bound = settled(dim_operand(x));
        bound.operand = work(std::as_const(bound.operand));
        return ResultHandle<R, X>(std::move(bound));
    } else {
        return MutableTensor<R>(work(x.operand()));
    }
}

} // namespace purview
