#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/result_handle.hpp>

#include <utility>

namespace purview::inline v0_1 {

/// The elements of an operand as `dtype`, a built-in type, in row-major memory, aligned, bools as
/// bytes 0 and 1: the operand's own memory if it has that form. Throws `DtypeError` naming `what`
/// for elements that are not numbers, `KindError` for a sparse operand,
/// `DeviceError` for one that the CPU may not read, `CastError` for elements
/// that do not fit.
PURVIEW_EXPORT Operand in_memory(const char* what, const Operand& x, DType dtype);

/// The same, of the operand's own type, which may be any.
PURVIEW_EXPORT Operand in_memory(const char* what, const Operand& x);

/// The elements of an operand as `T` in row-major memory, with their static type. Throws as for
/// `kDType<T>`.
template <BuiltinType T>
Tensor<T> in_memory(const char* what, const Operand& x) {
    return Tensor<T>(in_memory(what, x, kDType<T>));
}

/// `brought_to` of a tensor.
template <ElementType T>
MutableTensor<T> brought_to(const Operand& source, MutableTensor<T> result) {
    if (source.node->reads(Below::device)) [[unlikely]]
        return MutableTensor<T>(brought_to(source, result.operand()));
    return result;
}

/// The handle of the result of `work(operand)`, an element-wise operation: elements of `R` in the
/// shape of `x`, under its dims. If `x` has no dims, a `MutableTensor<R>`.
template <typename R, TensorLike X, typename Work>
auto in_shape_of(const X& x, Work work) {
    if constexpr (HasDims<X>) {
        auto bound = settled(dim_operand(x));
        Operand made = work(std::as_const(bound.operand));
        bring_to(bound.operand, made);
        bound.operand = std::move(made);
        return ResultHandle<R, X>(std::move(bound));
    } else {
        Operand made = work(x.operand());
        bring_to(x.operand(), made);
        return MutableTensor<R>(std::move(made));
    }
}

} // namespace purview
