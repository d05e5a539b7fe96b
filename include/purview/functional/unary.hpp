#pragma once

#include <purview/functional/binary.hpp>

namespace purview {

/// The type that a unary operation computes in: square roots of integers are float64.
template <Op op, typename T>
using UnaryComputed =
    std::conditional_t<op == Op::square_root && BuiltinType<T> && !std::floating_point<T>, double,
                       T>;

/// The lazy result of `op` on every element. `Generic` does the same for elements that the engine has
/// no kernels for.
template <Op op, typename Generic, TensorLike X>
auto apply_unary(const X& x) {
    if constexpr (!TypedTensor<X>) {
        return any_unary(op, x.operand());
    } else if constexpr (BuiltinType<typename X::value_type>) {
        using C = UnaryComputed<op, typename X::value_type>;
        static_assert(kSupports<op, C>, "this operation is not defined for bool elements");
        return ResultHandle<C, X>(unary_operand(op, x.operand(), kDType<C>));
    } else {
        static_assert(std::invocable<Generic, const typename X::value_type&>,
                      "this element type does not have this operation");
        return map_operands(Generic{}, x);
    }
}

/// A function of one tensor that is a stage as well.
template <Op op, typename Generic>
struct UnaryFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        return apply_unary<op, Generic>(x);
    }
};

} // namespace purview
