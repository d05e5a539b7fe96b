#pragma once

#include <purview/functional/binary.hpp>

#include <cstdint>

namespace purview {

/// The square root of a number. (<cmath> would cost every user the time to compile it.)
PURVIEW_EXPORT float square_root(float number) noexcept;
PURVIEW_EXPORT double square_root(double number) noexcept;

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
        return result_of<ResultHandle<C, X>>(
            [](const Operand& operand) { return unary_operand(op, operand, kDType<C>); },
            operand_as<C>(x));
    } else {
        static_assert(std::invocable<Generic, const typename X::value_type&>,
                      "this element type does not have this operation");
        return map_operands(Generic{}, x);
    }
}

/// `op` on a number, in the type and with the result that an element has.
template <Op op, typename T>
auto apply_to_number(T x) {
    using C = UnaryComputed<op, T>;
    static_assert(kSupports<op, C>, "this operation is not defined for bool");
    const auto value = static_cast<C>(x);
    if constexpr (op == Op::square_root)
        return square_root(value);
    else if constexpr (op == Op::square && std::floating_point<C>)
        return value * value;
    else if constexpr (op == Op::square)
        return static_cast<C>(static_cast<std::uint64_t>(value) *
                              static_cast<std::uint64_t>(value));
    else if constexpr (std::floating_point<C>)
        return value == 0 ? C{} : value < 0 ? -value : value; // -0 becomes 0
    else
        return value < C{} ? static_cast<C>(0 - static_cast<std::uint64_t>(value)) : value;
}

/// A function of one tensor that is a stage as well; of a number, a number, so that a function can be
/// written that takes tensors and the symbols of a computation alike.
template <Op op, typename Generic>
struct UnaryFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        return apply_unary<op, Generic>(x);
    }
    template <NumberLike X>
    auto operator()(const X& x) const {
        return apply_to_number<op>(static_cast<Scalar<X>>(x));
    }
};

} // namespace purview
