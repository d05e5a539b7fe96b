#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/reduced_view.hpp>

#include "evaluation/fold_types.hpp"
#include "evaluation/numbers_only.hpp"

#include <memory>

namespace purview::inline v0_1 {

/// Throws `DtypeError` for elements that are not built-in.
inline DType built_in(const char* name, DType element) {
    if (!element.is_builtin()) throw_dtype_unsupported(name, element);
    return element;
}

/// Casts the elements of a view.
inline void cast_elements(ReducedView& view, DType dtype) {
    if (view.operand.dtype() != dtype)
        view.operand = cast_operand(std::move(view.operand), dtype, Op::cast);
}

/// Calls `f(out)` with the address of floats of their type.
template <typename F>
void with_floats(DType dtype, void* out, F f) {
    if (dtype == float32)
        f(static_cast<float*>(out));
    else
        f(static_cast<double*>(out));
}

/// The elements of a sparse buffer as an operand of rank 1.
inline Operand elements_of_pairs(std::shared_ptr<AnyReader> pairs) {
    const index_t size = pairs->size();
    return {make_node<Leaf>(std::move(pairs)), Dimensions::row_major(ShapeSpan(&size, 1))};
}

} // namespace purview
