#pragma once

#include <purview/dimensions/axes.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/array_like.hpp>

#include <array>
#include <concepts>
#include <initializer_list>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Whether operands are joined along an existing axis or along a new one.
enum class Joining : bool { concat, stack };

/// Joins operands that have `rank` positional axes after those of dims, cast to `dtype`. Throws as
/// `concat` does.
PURVIEW_EXPORT Operand joined_operand(Joining how, std::vector<Operand> operands, index_t axis,
                                      int rank, DType dtype);
/// Joins operands, cast to the type that all of them promote to. Throws as `concat` does.
PURVIEW_EXPORT AnyTensor joined_any(Joining how, std::vector<Operand> operands, index_t axis);

/// The type that several tensors promote to, as in arithmetic; `void` where there is none.
template <typename X, typename... Rest>
struct JoinedType {
    using type = ElementOrVoid<X>;
};
template <typename X, typename Y, typename... Rest>
struct JoinedType<X, Y, Rest...> {
    static constexpr auto pick() {
        using A = ElementOrVoid<X>;
        using B = ElementOrVoid<Y>;
        if constexpr (std::same_as<A, B>)
            return JoinedType<X, Rest...>{};
        else if constexpr (!BuiltinType<A> || !BuiltinType<B>)
            return std::type_identity<void>{};
        else if constexpr (std::is_void_v<Promoted<A, B>>)
            return std::type_identity<void>{};
        else
            return JoinedType<Tensor<Promoted<A, B>>, Rest...>{};
    }
    using type = typename decltype(pick())::type;
};

/// Throws `ShapeError` unless all tensors, which have dims, have equally many positional axes.
PURVIEW_EXPORT void check_joined_ranks(Joining how, std::span<const int> all_ranks);

template <typename... X>
inline constexpr bool kHaveJoinedType = !std::is_void_v<typename JoinedType<X...>::type>;

/// The handle of tensors that were joined: of numbers that symbols stand for, of a symbol.
template <typename R, typename... X>
using JoinedHandle = ResultHandle<R, X..., Tensor<R>>;

template <Joining how, TensorLike... X>
auto join_tensors(index_t axis, const X&... x) {
    if constexpr (!(TypedTensor<X> && ...)) {
        return joined_any(how, {x.operand()...}, axis);
    } else {
        using R = typename JoinedType<X...>::type;
        const std::array<int, sizeof...(X)> all_ranks{x.rank()...};
        if constexpr ((HasDims<X> || ...))
            check_joined_ranks(how, {all_ranks.data(), all_ranks.size()});
        return result_of<JoinedHandle<R, X...>>(
            [axis, rank = all_ranks[0]](const auto&... each) {
                return joined_operand(how, {each...}, axis, rank, kDType<R>);
            },
            operand_as<R>(x)...);
    }
}
/// Joins along a Dim: for `concat`, one that the tensors have, which becomes the first axis, as its
/// size changes; for `stack`, a new one.
template <Joining how, TensorLike... X>
auto join_tensors(const Dim& dim, const X&... x) {
    if constexpr (how == Joining::concat)
        return join_tensors<how>(0, dim_first("concat", x, dim)...);
    else
        return stacked_over(std::type_identity<typename JoinedType<X...>::type>{}, dim, x...);
}

/// Joins the tensors of a list, all of one type.
template <Joining how, typename List>
auto join_list(const List& list, index_t axis) {
    using X = typename List::value_type;
    if constexpr (!TypedTensor<X>) {
        std::vector<Operand> operands;
        for (const X& x : list) operands.push_back(x.operand());
        return joined_any(how, std::move(operands), axis);
    } else {
        using R = typename X::value_type;
        std::vector<int> all_ranks;
        for (const X& x : list) all_ranks.push_back(x.rank());
        const int rank = all_ranks.empty() ? 0 : all_ranks[0];
        const auto joined = [&](std::vector<Operand> operands) {
            return joined_operand(how, std::move(operands), axis, rank, kDType<R>);
        };
        if constexpr (HasDims<X>) {
            check_joined_ranks(how, {all_ranks.data(), all_ranks.size()});
            return JoinedHandle<R, X>(combined_list(list, joined));
        } else {
            std::vector<Operand> operands;
            for (const X& x : list) operands.push_back(x.operand());
            return JoinedHandle<R, X>(joined(std::move(operands)));
        }
    }
}
template <Joining how, typename List>
auto join_list(const List& list, const Dim& dim) {
    using X = typename List::value_type;
    std::vector<ResultHandle<typename X::value_type, X, Dim>> parts;
    for (const X& x : list) parts.push_back(dim_first("concat", x, dim));
    return join_list<how>(parts, 0);
}

/// Joins arrays of one type, after copying them to tensors.
template <Joining how, typename Arrays>
auto join_arrays(const Arrays& arrays, const auto& axis) {
    std::vector<decltype(as_tensor(*std::begin(arrays)))> tensors;
    for (const auto& array : arrays) tensors.push_back(as_tensor(array));
    return join_list<how>(tensors, axis);
}

/// The last argument, which says along what tensors are joined.
template <typename A>
concept JoiningAxis = std::same_as<A, Dim> || IndexInteger<A>;
/// One along which tensors like `X` are joined: those of a type known at run time have no dims.
template <typename A, typename X>
concept AxisOfJoined = IndexInteger<A> ||(std::same_as<A, Dim>&& typed_array<X>);

/// The number of leading arguments that are tensors.
template <typename... A>
consteval std::size_t leading_tensors() {
    std::size_t count = 0;
    bool leading = true;
    ((leading = leading && TensorLike<A>, count += leading ? 1 : 0), ...);
    return count;
}
/// Whether the last argument is an axis.
template <typename... A>
consteval bool ends_in_axis() {
    bool axis = false;
    ((axis = JoiningAxis<A>), ...);
    return axis;
}
/// Whether the last two arguments are an axis and a Dim.
template <typename... A>
consteval bool ends_in_axis_and_dim() {
    bool before = false;
    bool axis = false;
    bool dim = false;
    ((before = axis, axis = JoiningAxis<A>, dim = std::same_as<A, Dim>), ...);
    return before && dim;
}
/// Arguments that are all tensors, without an axis. (A Dim is a tensor too, but as the last
/// argument it is the axis.)
template <typename... A>
concept GivenTensors = sizeof...(A) > 0 && leading_tensors<A...>() == sizeof...(A) &&
                       !ends_in_axis<A...>();
template <typename... A>
concept GivenAlong =
    (sizeof...(A) > 1) && ends_in_axis<A...>() && leading_tensors<A...>() + 1 >= sizeof...(A);

/// Whether the first arguments, tensors, have a common type; along a Dim, one known to the
/// compiler.
template <std::size_t count, typename... A>
consteval bool first_can_be_joined() {
    using Given = std::tuple<A...>;
    return []<std::size_t... I>(std::index_sequence<I...>) {
        if constexpr ((TypedTensor<std::tuple_element_t<I, Given>> && ...))
            return kHaveJoinedType<std::tuple_element_t<I, Given>...>;
        else
            return !(std::same_as<A, Dim> || ...);
    }
    (std::make_index_sequence<count>{});
}
/// Whether the tensors among the arguments can be joined.
template <typename... A>
consteval bool can_be_joined() {
    constexpr bool kOnlyTensors = leading_tensors<A...>() == sizeof...(A) && !ends_in_axis<A...>();
    return first_can_be_joined<sizeof...(A) - (kOnlyTensors ? 0 : 1), A...>();
}
template <typename... A>
concept JoinedTensors = GivenTensors<A...> && can_be_joined<A...>();
template <typename... A>
concept JoinedAlong = GivenAlong<A...> && can_be_joined<A...>();
template <typename... A>
concept NotJoined = (GivenTensors<A...> || GivenAlong<A...>)&&!can_be_joined<A...>();
#define PURVIEW_NOT_JOINED \
 "concat, stack, cat: these element types have no common type: cast one of them"

template <Joining how, typename... A>
auto join_along(const A&... arguments) {
    const std::tuple<const A&...> given(arguments...);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return join_tensors<how>(std::get<sizeof...(I)>(given), std::get<I>(given)...);
    }
    (std::make_index_sequence<sizeof...(A) - 1>{});
}

#define PURVIEW_NO_CONCAT                                                                     \
 "concat takes tensors, then an axis: concat(x, y, 0); of one type, also concat({x, y}, i); " \
 "a number is joined as a tensor of it: concat(x, tensor({1.0}))"
/// `concat(x, y, …)` or `concat(x, y, …, axis)`: concatenates tensors along an axis (default 0),
/// which may count from the end and in which the shapes may differ. Types are promoted as in
/// arithmetic. Also `concat({x, y}, axis)` and `concat(vector, axis)`, for tensors of one type.
/// With Dims: over the union of dims, along a positional axis; or along a Dim, which becomes the
/// first axis of the result, as its size changes. (`cat` makes a new Dim of it.)
///
/// Lazy, O(number of tensors); nothing is copied until it is read. Throws `ShapeError` if other
/// axes differ or there are no tensors, `IndexError` for the axis, `DimError`; for AnyTensors,
/// `DtypeError`.
struct ConcatFunction : RefusedKeywords {
    using RefusedKeywords::operator();
    template <typename... A>
        requires JoinedTensors<TensorOf<A>...>
    auto operator()(A&&... arrays) const {
        return join_tensors<Joining::concat>(0, lasting_tensor(std::forward<A>(arrays))...);
    }
    template <array_like X>
    auto operator()(X&& x, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, lasting_tensor(std::forward<X>(x)));
    }
    template <array_like X, array_like Y>
        requires(can_be_joined<TensorOf<X>, TensorOf<Y>, int>())
    auto operator()(X&& x, Y&& y, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, lasting_tensor(std::forward<X>(x)),
                                             lasting_tensor(std::forward<Y>(y)));
    }
    template <array_like X, array_like Y, array_like Z>
        requires(can_be_joined<TensorOf<X>, TensorOf<Y>, TensorOf<Z>, int>())
    auto operator()(X&& x, Y&& y, Z&& z, AxisValue axis) const {
        return join_tensors<Joining::concat>(axis, lasting_tensor(std::forward<X>(x)),
                                             lasting_tensor(std::forward<Y>(y)),
                                             lasting_tensor(std::forward<Z>(z)));
    }
    template <typename... A>
        requires JoinedAlong<TensorOf<A>...>
    auto operator()(A&&... arguments) const {
        return join_along<Joining::concat>(lasting_tensor(std::forward<A>(arguments))...);
    }
    template <typename... A>
        requires NotJoined<TensorOf<A>...>
        PURVIEW_REFUSED(PURVIEW_NOT_JOINED, operator()(const A&...) const);
    template <TensorLike X, AxisOfJoined<X> A = index_t>
    auto operator()(std::initializer_list<X> tensors, const A& axis = 0) const {
        return join_list<Joining::concat>(tensors, axis);
    }
    /// For lists of both writable and read-only tensors.
    template <ElementType T, JoiningAxis A = index_t>
    auto operator()(std::initializer_list<Tensor<T>> tensors, const A& axis = 0) const {
        return join_list<Joining::concat>(tensors, axis);
    }
    template <TensorLike X, AxisOfJoined<X> A = index_t>
    auto operator()(const std::vector<X>& tensors, const A& axis = 0) const {
        return join_list<Joining::concat>(tensors, axis);
    }

    /// For arrays that are not tensors.
    template <ForeignArray X, AxisOfJoined<X> A = index_t>
    auto operator()(std::initializer_list<X> arrays, const A& axis = 0) const {
        return join_arrays<Joining::concat>(arrays, axis);
    }

    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    /// All other calls. (A template, so that lists in braces are tensors.)
    template <typename L = void>
    PURVIEW_REFUSED(PURVIEW_NO_CONCAT, operator()(AnyArgument, AnyArgument = {}, AnyArgument = {},
                                                  AnyArgument = {}, AnyArgument = {},
                                                  AnyArgument = {}) const);
};
#undef PURVIEW_NO_CONCAT
inline constexpr ConcatFunction concat;

/// `stack({x, y}, axis)`: joins tensors of one type and shape along a new axis (default 0), in
/// [-rank - 1, rank]: the first is at index 0, the second at 1. Lazy, O(number of tensors). Throws
/// as `concat` does. (`stack({x, y}, n)` makes a new Dim.)
template <TensorLike X, std::size_t N>
auto stack(const X (&tensors)[N], index_t axis = 0) {
    return join_list<Joining::stack>(std::vector<X>(tensors, tensors + N), axis);
}
template <TensorLike X>
auto stack(const std::vector<X>& tensors, index_t axis = 0) {
    return join_list<Joining::stack>(tensors, axis);
}
/// `stack(x, y, …, axis)`: for tensors of several types, promoted as in arithmetic, of any handles,
/// and for other arrays. Along a new Dim, `stack(x, y, …, n)`, it is `stack({x, y}, n)`: a copy.
template <typename... A>
    requires(JoinedTensors<TensorOf<A>...> && sizeof...(A) > 1)
auto stack(A&&... arrays) {
    return join_tensors<Joining::stack>(0, lasting_tensor(std::forward<A>(arrays))...);
}
template <typename... A>
    requires JoinedAlong<TensorOf<A>...>
auto stack(A&&... arguments) {
    return join_along<Joining::stack>(lasting_tensor(std::forward<A>(arguments))...);
}
template <typename... A>
    requires NotJoined<TensorOf<A>...> PURVIEW_REFUSED(PURVIEW_NOT_JOINED, stack(const A&...));
template <ForeignArray X, std::size_t N>
auto stack(const X (&arrays)[N], index_t axis = 0) {
    return join_arrays<Joining::stack>(arrays, axis);
}
/// For lists of both writable and read-only tensors.
template <ElementType T, std::size_t N>
auto stack(const Tensor<T> (&tensors)[N], index_t axis = 0) {
    return join_list<Joining::stack>(std::vector<Tensor<T>>(tensors, tensors + N), axis);
}

/// `cat(x, y, …, i, n)`: as `cat({x, y, …}, i, n)`, for tensors of several types, promoted as in
/// arithmetic, and of any handles.
template <TypedTensor X, typename... A>
    requires(sizeof...(A) > 1 && leading_tensors<X, A...>() + 1 >= sizeof...(A) &&
             ends_in_axis_and_dim<A...>() && first_can_be_joined<sizeof...(A) - 1, X, A...>())
auto cat(const X& x, const A&... arguments) {
    const std::tuple<const X&, const A&...> given(x, arguments...);
    constexpr std::size_t kTensors = sizeof...(A) - 1;
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        using R = typename JoinedType<std::remove_cvref_t<decltype(std::get<I>(given))>...>::type;
        return concatenated_over(std::type_identity<R>{}, Axes{std::get<kTensors>(given)},
                                 std::get<kTensors + 1>(given), std::get<I>(given)...);
    }
    (std::make_index_sequence<kTensors>{});
}
/// `cat(x, y, {i, j}, n)`: along a given axis or Dim of each tensor.
template <TypedTensor X, TypedTensor Y>
    requires kHaveJoinedType<X, Y>
auto cat(const X& x, const Y& y, const Axes& axes, const Dim& new_dim) {
    using R = typename JoinedType<X, Y>::type;
    return concatenated_over(std::type_identity<R>{}, axes, new_dim, x, y);
}
template <TypedTensor X, TypedTensor Y>
    requires(!kHaveJoinedType<X, Y>)
PURVIEW_REFUSED(PURVIEW_NOT_JOINED, cat(const X&, const Y&, const Axes&, const Dim&));
#undef PURVIEW_NOT_JOINED

} // namespace purview
