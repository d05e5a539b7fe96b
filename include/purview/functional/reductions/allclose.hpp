#pragma once

#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/accepting_arrays.hpp>

namespace purview {

/// `allclose(x, y)`, `allclose(x, y, {.absolute = 1e-6})`, or a stage: whether all elements are
/// close (`close_to`), after broadcasting: a bool; for tensors with bound dims, one for each
/// combination of the dims. True for empty tensors. Eager, O(n). Throws `ShapeError`, `DtypeError`.
struct AllcloseFunction {
    using Options = Tolerance;
    static constexpr std::size_t kBeforeOptions = 2;

    template <typename X, typename Y>
        requires TensorOperands<X, Y>
    auto operator()(const X& x, const Y& y, const Tolerance& tolerance = {}) const {
        const auto close = close_to(x, y, tolerance);
        if constexpr (TypedTensor<decltype(close)>)
            return all_of(close);
        else
            return all_of(close.template as<bool>());
    }
    template <typename Y>
        requires(TensorLike<Y> || NumberLike<Y>)
    auto operator()(const Y& y, const Tolerance& tolerance = {}) const {
        return make_stage(*this, y, tolerance);
    }
};
inline constexpr AcceptingArrays<AllcloseFunction> allclose;

} // namespace purview
