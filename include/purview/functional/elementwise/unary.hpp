#pragma once

#include <purview/functional/elementwise/binary.hpp>

namespace purview {

/// The lazy result of `op` on every element. `Generic` is applied to elements of types that the
/// engine has no kernels for.
template <Op op, typename Generic, TensorLike X>
auto apply_unary(const X& x) {
    if constexpr (!TypedTensor<X>) {
        return any_unary(op, x.operand());
    } else if constexpr (BuiltinType<typename X::value_type>) {
        using C = ComputedIn<op, typename X::value_type>;
        static_assert(kSupports<op, C>, "this operation is not defined for elements of this type");
        return result_of<ResultHandle<C, X>>(
            [](const Operand& operand) { return unary_operand(op, operand, kDType<C>); },
            operand_as<C>(x));
    } else if constexpr (std::invocable<Generic, const typename X::value_type&>) {
        return map_operands(Generic{}, x);
    } else {
        static_assert(kRefused<X>, "this element type does not have this operation");
        return x;
    }
}

/// A function object for a unary operation, which is also a stage. Of a number it gives a number,
/// so that one generic function can take tensors and the scalar symbols of a computation alike.
template <Op op, typename Generic>
struct UnaryFunction : PipelineStage {
    template <typename T>
    static constexpr bool kIsDefinedFor =
        BuiltinType<T> ? kSupports<op, ComputedIn<op, T>> : std::invocable<Generic, const T&>;

    template <TensorLike X>
    auto operator()(const X& x) const {
        return apply_unary<op, Generic>(x);
    }
    template <NumberLike X>
    auto operator()(const X& x) const {
        using C = ComputedIn<op, Scalar<X>>;
        return apply_to_number<op>(static_cast<C>(static_cast<Scalar<X>>(x)));
    }
};

} // namespace purview
