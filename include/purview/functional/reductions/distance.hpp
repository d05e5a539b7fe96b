#pragma once

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/functional/elementwise/operation_functions.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/plain_tensor.hpp>

namespace purview::inline v0_1 {

/// The sum of squares, or with `root` its square root.
template <bool root>
struct MagnitudeOperation {
    static constexpr const char* kName = root ? "magnitude" : "magnitude_squared";
    static constexpr bool kOfSymbols = true;
    template <typename T>
    using Result = Averaged<T>;
    static const BuiltInReduction& built_in() { return magnitude_reduction(root); }
};

/// The sum of the squares, over everything or over axes and Dims; float32 stays, everything else is
/// float64. 0 for an empty tensor.
inline constexpr ReduceFunction<MagnitudeOperation<false>> magnitude_squared;
/// The Euclidean norm: the square root of the sum of the squares. Where squares overflow or vanish,
/// elements are read twice more, and the norm is right all the same. Not so in a `computation`,
/// where squares are added up as they are: `m * magnitude(x / m)` with `m = max(abs(x))` there.
inline constexpr ReduceFunction<MagnitudeOperation<true>> magnitude;

/// The type in which distances of two tensors are computed.
template <typename X, typename Y>
struct DistanceType {
    using type = double;
};
template <TypedTensor X, TypedTensor Y>
struct DistanceType<X, Y> {
    using type = std::conditional_t<std::same_as<typename X::value_type, float> &&
                                        std::same_as<typename Y::value_type, float>,
                                    float, double>;
};

/// An array that has distances.
template <typename X>
concept of_distances = array_like<X> && kIsNumberOrVoid<ElementOrVoid<X>>;

/// Two operands of integers.
template <typename X, typename Y>
concept IntegerOperands = TypedOperand<X> && TypedOperand<Y> && std::integral<OperandElement<X>> &&
    std::integral<OperandElement<Y>>;

template <bool root>
struct DistanceFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <of_distances X, of_distances Y, AxisOrOption... A>
    auto operator()(X&& x, Y&& y, const A&... axes) const {
        return of_difference(tensor_beside<X, Y>(std::forward<X>(x)),
                             tensor_beside<X, Y>(std::forward<Y>(y)), axes...);
    }
    template <of_distances X, of_distances Y>
    auto operator()(X&& x, Y&& y, const Axes& axes) const {
        return of_difference(tensor_beside<X, Y>(std::forward<X>(x)),
                             tensor_beside<X, Y>(std::forward<Y>(y)), axes);
    }
    template <of_distances Y, AxisOrOption... A>
    auto operator()(Y&& y, const A&... axes) const {
        return make_stage(*this, as_tensor(std::forward<Y>(y)), axes...);
    }

private:
    template <TensorLike X, TensorLike Y, typename... A>
    static auto of_difference(const X& x, const Y& y, const A&... axes) {
        using Magnitude = ReduceFunction<MagnitudeOperation<root>>;
        using R = typename DistanceType<X, Y>::type;
        if constexpr (IntegerOperands<X, Y>)
            return Magnitude{}(result_of<ResultHandle<double, X, Y>>(
                                   integer_differences, operand_as<OperandElement<X>>(x),
                                   operand_as<OperandElement<Y>>(y)),
                               axes...);
        else if constexpr (!TypedOperand<X> && !TypedOperand<Y> && !HasDims<X> && !HasDims<Y>)
            return Magnitude{}(Tensor<double>(any_differences(x.operand(), y.operand())), axes...);
        else
            return Magnitude{}(cast<R>(x) - cast<R>(y), axes...);
    }
};
/// The sum of the squares of x - y, broadcast together: a number over everything;
/// `distance_squared(x, y, axes…)` over axes, as `sum`. In float32 for two tensors of float32, else
/// in float64, so that unsigned differences do not wrap; of integers each difference is rounded once. Allocates no memory for the differences.
/// Throws `ShapeError`.
inline constexpr DistanceFunction<false> distance_squared;
/// The Euclidean distance: the square root of `distance_squared`.
inline constexpr DistanceFunction<true> distance;

/// Whether two tensors have the same shape and equal elements; with a tolerance, whether their
/// `distance` is at most the tolerance. NaN equals nothing. O(size). Throws `DtypeError` for types
/// that cannot be compared.
struct EqualsFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <plain_array X, plain_array Y>
    bool operator()(const X& given_x, const Y& given_y) const {
        const auto& x = tensor_for_call(given_x);
        const auto& y = tensor_for_call(given_y);
        if (!same_shape(x.operand(), y.operand())) return false;
        if constexpr (typed_array<X> && typed_array<Y>)
            return all_of(plain_tensor(x) == plain_tensor(y));
        else
            return all_of(AnyTensor(x) == AnyTensor(y)).template item<bool>();
    }
    template <plain_array X, plain_array Y>
    bool operator()(const X& given_x, const Y& given_y, double tolerance) const {
        const auto& x = tensor_for_call(given_x);
        const auto& y = tensor_for_call(given_y);
        return same_shape(x.operand(), y.operand()) &&
               DistanceFunction<true>{}(plain_tensor(x), plain_tensor(y)) <= tolerance;
    }

    template <array_like Y, std::same_as<double>... Tolerance>
    auto operator()(Y&& y, Tolerance... tolerance) const {
        return make_stage(*this, as_tensor(std::forward<Y>(y)), tolerance...);
    }

private:
    PURVIEW_EXPORT static bool same_shape(const Operand& x, const Operand& y);
};
inline constexpr EqualsFunction equals;

/// `allclose(x, y)`, `allclose(x, y, {.absolute = 1e-6})`, or a stage: whether all elements are
/// close (`close_to`), after broadcasting: a bool; for tensors with bound dims, one for each
/// combination of the dims. True for empty tensors. Eager, O(n). Throws `ShapeError`, `DtypeError`.
struct AllcloseFunction : RefusedArguments {
    using RefusedArguments::operator();
    template <typename X, typename Y>
        requires TensorOperands<TensorOf<X>, TensorOf<Y>>
    auto operator()(X&& x, Y&& y, const Tolerance& tolerance = {}) const {
        return all_close(tensor_beside<X, Y>(std::forward<X>(x)),
                         tensor_beside<X, Y>(std::forward<Y>(y)), tolerance);
    }
    template <typename Y>
        requires(array_like<Y> || NumberLike<Y>)
    auto operator()(Y&& y, const Tolerance& tolerance = {}) const {
        return make_stage(*this, TensorOf<Y>(lasting_tensor(std::forward<Y>(y))), tolerance);
    }

private:
    template <typename X, typename Y>
    static auto all_close(const X& x, const Y& y, const Tolerance& tolerance) {
        const auto close = close_to(x, y, tolerance);
        if constexpr (TypedTensor<decltype(close)>)
            return all_of(close);
        else
            return all_of(close.template as<bool>());
    }
};
inline constexpr AllcloseFunction allclose;

} // namespace purview
