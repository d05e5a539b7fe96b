#pragma once

#include <purview/expression/piecewise.hpp>
#include <purview/functional/operands.hpp>
#include <purview/functional/take.hpp>
#include <purview/tensor/accepting_arrays.hpp>

#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// How operands are joined: along an axis that they have, or along a new one.
enum class Joining : bool { concat, stack };

/// Operands of `rank` positional axes, behind those of dims, cast to `dtype`. Throws as `concat` does.
PURVIEW_EXPORT Operand joined_operand(Joining how, std::vector<Operand> operands, index_t axis,
                                      int rank, DType dtype);
/// The same with the type that all of them promote to.
PURVIEW_EXPORT AnyTensor joined_any(Joining how, std::vector<Operand> operands, index_t axis);

/// The type that several tensors promote to, as in arithmetic; `void` where there is none.
template <typename X, typename... Rest>
struct JoinedType {
    using type = OperandElement<X>;
};
template <typename X, typename Y, typename... Rest>
struct JoinedType<X, Y, Rest...> {
    static constexpr auto pick() {
        using A = OperandElement<X>;
        using B = OperandElement<Y>;
        if constexpr (std::same_as<A, B>)
            return std::type_identity<A>{};
        else if constexpr (BuiltinType<A> && BuiltinType<B>)
            return std::type_identity<Promoted<A, B>>{};
        else
            return std::type_identity<void>{};
    }
    using type = typename JoinedType<Tensor<typename decltype(pick())::type>, Rest...>::type;
};

template <Joining how, TensorLike... X>
auto join_tensors(index_t axis, const X&... x) {
    if constexpr (!(TypedTensor<X> && ...)) {
        return joined_any(how, {x.operand()...}, axis);
    } else {
        using R = typename JoinedType<X...>::type;
        const int rank = std::get<0>(std::tie(x...)).rank();
        return result_of<ResultHandle<R, X...>>(
            [axis, rank](const auto&... each) {
                return joined_operand(how, {each...}, axis, rank, kDType<R>);
            },
            operand_as<R>(x)...);
    }
}

/// Of tensors in a list, all of one type.
template <Joining how, typename List>
auto join_list(const List& list, index_t axis) {
    using X = typename List::value_type;
    std::vector<Operand> operands;
    for (const X& x : list) operands.push_back(x.operand());
    if constexpr (!TypedTensor<X>) {
        return joined_any(how, std::move(operands), axis);
    } else {
        using R = typename X::value_type;
        const int rank = list.size() == 0 ? 0 : list.begin()->rank();
        return Tensor<R>(joined_operand(how, std::move(operands), axis, rank, kDType<R>));
    }
}

/// `concat(x, y, …)` or `concat(x, y, …, axis)`: tensors one behind the other along an axis (0), of which the shapes
/// may differ; it may count from the end. Types are promoted as in arithmetic. Also `concat({x, y}, axis)` and
/// `concat(vector, axis)`, of tensors of one type. With Dims: over their union, along a positional axis.
///
/// Lazy, O(number of tensors); nothing is copied until it is read. Throws `ShapeError` for other axes that differ or
/// no tensors, `IndexError` for the axis; of AnyTensors, `DtypeError`.
struct ConcatFunction {
    template <TensorLike X, TensorLike... Y>
    auto operator()(const X& x, const Y&... y) const {
        return join_tensors<Joining::concat>(0, x, y...);
    }
    template <TensorLike X>
    auto operator()(const X& x, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, x);
    }
    template <TensorLike X, TensorLike Y>
    auto operator()(const X& x, const Y& y, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, x, y);
    }
    template <TensorLike X, TensorLike Y, TensorLike Z>
    auto operator()(const X& x, const Y& y, const Z& z, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, x, y, z);
    }
    template <PlainTensor X>
    auto operator()(std::initializer_list<X> tensors, index_t axis = 0) const {
        return join_list<Joining::concat>(tensors, axis);
    }
    template <PlainTensor X>
    auto operator()(const std::vector<X>& tensors, index_t axis = 0) const {
        return join_list<Joining::concat>(tensors, axis);
    }
};
inline constexpr AcceptingArrays<ConcatFunction> concat;

/// `stack({x, y}, axis)`: tensors of one type and shape along a new axis (0): at 0 the first, at 1 the second. An
/// axis in [-rank - 1, rank]. Lazy, O(number of tensors). Throws as `concat` does. (`stack({x, y}, n)`: a new Dim.)
template <PlainTensor X, std::size_t N>
auto stack(const X (&tensors)[N], index_t axis = 0) {
    return join_list<Joining::stack>(std::vector<X>(tensors, tensors + N), axis);
}
template <PlainTensor X>
auto stack(const std::vector<X>& tensors, index_t axis = 0) {
    return join_list<Joining::stack>(tensors, axis);
}
/// `stack(x, y, axis)`: of types that are promoted as in arithmetic.
template <TensorLike X, TensorLike Y>
auto stack(const X& x, const Y& y, index_t axis = 0) {
    return join_tensors<Joining::stack>(axis, x, y);
}
template <TensorLike X, TensorLike Y, TensorLike Z>
auto stack(const X& x, const Y& y, const Z& z, index_t axis = 0) {
    return join_tensors<Joining::stack>(axis, x, y, z);
}

} // namespace purview
