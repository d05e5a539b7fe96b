#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/base/refused.hpp>
#include <purview/dimensions/axes.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/wrap.hpp>

#include <concepts>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Whether what a view gives of an element, if it says so, is that element: `std::linalg::scaled`
/// and `conjugated` give mdspans over memory in which other numbers lie.
template <typename M>
inline constexpr bool kGivesItsElements = true;
template <typename M>
    requires requires { typename M::reference; }
inline constexpr bool kGivesItsElements<M> =
    std::same_as<typename M::reference, typename M::element_type&>;
/// Whether a view with a mapping has strides: not every layout is made of them.
template <typename Mapping>
concept MapsByStrides = requires(const Mapping& mapping) {
    mapping.stride(0);
};
template <typename M>
inline constexpr bool kHasStrides = true;
template <typename M>
    requires requires { typename M::mapping_type; }
inline constexpr bool kHasStrides<M> = M::rank() == 0 || MapsByStrides<typename M::mapping_type>;

/// A view of memory with a shape and strides, as `std::mdspan` is, and Kokkos' and `cuda::std`'s:
/// `data_handle()`, `rank()`, `extent(axis)` and `stride(axis)` in elements.
template <typename M>
concept MdspanLike = requires(const M& view, typename M::rank_type axis) {
    typename M::element_type;
    { view.data_handle() } -> std::convertible_to<const typename M::element_type*>;
    { M::rank() } -> std::convertible_to<std::size_t>;
    { view.extent(axis) } -> std::convertible_to<index_t>;
    { view.stride(axis) } -> std::convertible_to<index_t>;
    requires kGivesItsElements<M>;
    requires kHasStrides<M>;
};

/// A shared reader: `std::shared_ptr<Reader<T>>`, or one of a class that derives from it.
template <typename P>
inline constexpr bool kIsReaderPointer = false;
template <std::derived_from<AnyReader> R>
inline constexpr bool kIsReaderPointer<std::shared_ptr<R>> = true;

/// Element types of arrays that are not tensors: numbers, strings, dates, structs; but not tensors,
/// axes and stages.
template <typename V>
concept ArrayElement = ElementType<V> && !AxisLike<V> && !IndexLike<V> && !StageLike<V>;

/// Text in any form. It is one element, a `std::string`, and not an array of characters.
template <typename V>
concept TextLike = std::convertible_to<const V&, std::string_view>;

template <typename V>
consteval bool is_array_element() {
    if constexpr (std::is_arithmetic_v<V> || TextLike<V>)
        return true;
    else if constexpr (TensorLike<V>)
        return false;
    else if constexpr ((kNesting<V>) > 0)
        return std::is_arithmetic_v<typename InnermostValue<V>::type>;
    else
        return ArrayElement<V>;
}

template <typename X>
consteval bool is_foreign_array() {
    using R = std::remove_cvref_t<X>;
    if constexpr (std::is_scalar_v<R> || std::is_void_v<R> || TensorLike<R> || StageLike<R> ||
                  std::same_as<R, Shape> || std::same_as<R, AxisValues>)
        return false; // Shape and AxisValues are arguments that give one number per axis
    else if constexpr (kIsVectorOfNumbers<R>)
        return true;
    else if constexpr (kIsReaderPointer<R> || MdspanLike<R>)
        return true;
    else if constexpr (std::ranges::random_access_range<R&> && std::ranges::sized_range<R&>)
        return !TextLike<R> && is_array_element<std::ranges::range_value_t<R&>>();
    else
        return false;
}

/// An array that is not a tensor: a random-access range with a size (`std::vector`, `std::array`,
/// `std::span`, a C array, a standard view), nested ranges of numbers, an `MdspanLike`, a shared
/// reader. Text is excluded: a string is an element.
template <typename X>
concept ForeignArray = is_foreign_array<X>();

/// What functions of tensors accept: tensors of any kind (also expressions, `AnyTensor`, tensors
/// with bound dims), and `ForeignArray`s. `as_tensor` converts it to a tensor.
template <typename X>
concept array_like = TensorLike<X> || ForeignArray<X>;

/// An mdspan as a tensor over the same memory, writable if its elements are not const. No owner, as
/// with every `borrow`: the caller keeps the memory. Throws `ShapeError` where its mapping, of a
/// layout that may have strides or not, has none.
template <MdspanLike M>
auto borrow(const M& view) {
    Shape shape;
    Shape strides;
    if constexpr (requires { view.is_strided(); })
        if (!view.is_strided()) throw_without_strides("borrow");
    if constexpr (M::rank() > 0)
        for (typename M::rank_type axis = 0; axis < M::rank(); ++axis) {
            shape.push_back(static_cast<index_t>(view.extent(axis)));
            strides.push_back(static_cast<index_t>(view.stride(axis)));
        }
    typename M::element_type* const data = view.data_handle();
    return borrow(data, AxisValues(shape), AxisValues(strides));
}
/// A copy of the elements of an mdspan.
template <MdspanLike M>
auto tensor(const M& view) {
    return tensor(borrow(view));
}

/// The element type of an array that is not a tensor, in canonical form; of nested ranges that of
/// the innermost.
template <typename X>
consteval auto foreign_element() {
    if constexpr (kIsReaderPointer<X>)
        return std::type_identity<typename X::element_type::value_type>{};
    else if constexpr (kIsVectorOfNumbers<X>)
        return std::type_identity<Canonical<typename X::value_type>>{};
    else if constexpr (MdspanLike<X>)
        return std::type_identity<Canonical<typename X::element_type>>{};
    else if constexpr (TextLike<std::ranges::range_value_t<X&>>)
        return std::type_identity<std::string>{};
    else
        return std::type_identity<Canonical<typename InnermostValue<X>::type>>{};
}
template <ForeignArray X>
using ForeignElement = typename decltype(foreign_element<std::remove_cvref_t<X>>())::type;

/// The type of an argument after arrays have been converted to tensors.
template <typename A>
struct ArgumentAsTensor {
    using type = A;
};
template <ForeignArray A>
struct ArgumentAsTensor<A> {
    using type = Tensor<ForeignElement<A>>;
};
template <typename A>
using AsTensorArgument = typename ArgumentAsTensor<A>::type;

/// The tensor that an argument is or becomes.
template <typename A>
using TensorOf = std::remove_cvref_t<AsTensorArgument<A>>;
/// The element type of a tensor or an array; `void` where it is known only at run time.
template <typename X>
struct ElementOrVoidOf {
    using type = void;
};
template <TypedTensor X>
struct ElementOrVoidOf<X> {
    using type = typename X::value_type;
};
template <typename X>
using ElementOrVoid = typename ElementOrVoidOf<TensorOf<X>>::type;
/// An array of elements whose type is known to the compiler.
template <typename X>
concept typed_array = array_like<X> && TypedTensor<TensorOf<X>>;
/// Whether the library has operations on elements of a type, known now or at run time.
template <typename T>
inline constexpr bool kIsNumberOrVoid = BuiltinType<T> || std::is_void_v<T>;

/// Whether a tensor can refer to the memory of an array, without converting the elements.
template <ForeignArray X>
consteval bool can_be_borrowed() {
    if constexpr (kIsVectorOfNumbers<X>)
        return !std::same_as<X, std::vector<bool>> &&
               std::same_as<typename X::value_type, ForeignElement<X>>;
    else if constexpr (MdspanLike<X>)
        return std::same_as<std::remove_cv_t<typename X::element_type>, ForeignElement<X>>;
    else if constexpr (std::ranges::contiguous_range<const X&>)
        return std::same_as<std::ranges::range_value_t<X>, ForeignElement<X>>;
    else
        return false;
}

/// An array over writable memory that still exists after the call.
template <typename X>
concept WritableMemory = can_be_borrowed<std::remove_cvref_t<X>>() && requires(X& array) {
    { borrow(array) } -> std::same_as<MutableTensor<ForeignElement<X>>>;
} &&(OutlivesCall<X> || MdspanLike<std::remove_cvref_t<X>>);

/// An array as a tensor for the length of a call: over the array's own memory where possible, else
/// a copy.
template <ForeignArray X>
Tensor<ForeignElement<X>> tensor_for_call(const X& x) {
    if constexpr (kIsReaderPointer<X>) {
        return tensor(x);
    } else if constexpr (kIsVectorOfNumbers<X> && can_be_borrowed<X>()) {
        const index_t size = std::ssize(x);
        const index_t stride = 1;
        return wrap_memory("borrow", x.data(), size, {&size, 1}, {&stride, 1}, borrowed(x.data()));
    } else if constexpr (can_be_borrowed<X>()) {
        return borrow(x);
    } else if constexpr (std::same_as<ForeignElement<X>, std::string>) {
        return tensor(std::vector<std::string>(std::ranges::begin(x), std::ranges::end(x)));
    } else {
        return tensor(x);
    }
}

/// A tensor is used as it is.
template <TensorLike X>
const X& tensor_for_call(const X& x) {
    return x;
}

/// `as_tensor(x)`: anything array-like as a tensor, for functions that accept any of these:
/// - a tensor, an expression, an `AnyTensor`, a tensor with bound dims: returned as it is;
/// - a `std::vector` that is moved in: a tensor that owns its memory; nothing is copied;
/// - any other range, span, mdspan or nested vectors: a copy, so that nothing dangles;
/// - a shared reader: a tensor over it.
/// Arrays give a read-only `Tensor`. `borrow(x)` gives a tensor over the memory itself, `tensor(x)`
/// a writable copy. O(size) where it copies. Throws `ShapeError` for ragged nested ranges, `Error`
/// for a null reader.
template <array_like X>
auto as_tensor(X&& x) {
    using R = std::remove_cvref_t<X>;
    if constexpr (TensorLike<X>) {
        return R(std::forward<X>(x));
    } else {
        using T = ForeignElement<X>;
        if constexpr (std::same_as<X, std::vector<T>>)
            return Tensor<T>(tensor(std::move(x)));
        else if constexpr (can_be_borrowed<R>())
            return Tensor<T>(tensor(tensor_for_call<R>(x)));
        else
            return tensor_for_call<R>(x);
    }
}

/// What a result refers to that is made of `x`: `as_tensor` of an array, else `x` itself.
template <typename X>
decltype(auto) lasting_tensor(X&& x) {
    if constexpr (ForeignArray<X>)
        return as_tensor(std::forward<X>(x));
    else
        return std::forward<X>(x);
}

template <typename N>
    requires(std::is_arithmetic_v<N>)
PURVIEW_REFUSED("a number makes a tensor by tensor(number)", as_tensor(N));

/// `as_tensor<T>(x)`: anything array-like as a tensor with element type T; elements of another
/// built-in type are cast lazily, with checks. Throws `DtypeError` for other element types.
template <ElementType T, array_like X>
Tensor<T> as_tensor(X&& x) {
    if constexpr (ForeignArray<X>) {
        return as_tensor<T>(as_tensor(std::forward<X>(x)));
    } else {
        if (x.dtype() != kDType<T> && BuiltinType<T> && x.dtype().is_builtin())
            return Tensor<T>(cast_operand(x.operand(), kDType<T>, Op::cast));
        if (x.dtype() != kDType<T>) throw_dtype_mismatch("as_tensor", kDType<T>, x.dtype());
        return Tensor<T>(x.operand());
    }
}
/// `as_tensor<T>(x)` of a tensor with dims, which stay bound.
template <ElementType T, HasDims X>
auto as_tensor(X&& x) {
    using R = std::remove_cvref_t<X>;
    using Of = typename R::value_type;
    using Handle = ResultHandle<T, R>;
    if constexpr (std::same_as<Of, T>) {
        return Handle(std::forward<X>(x));
    } else {
        if constexpr (!BuiltinType<T> || !BuiltinType<Of>)
            throw_dtype_mismatch("as_tensor", kDType<T>, kDType<Of>);
        const auto cast = [](const Operand& operand) {
            return cast_operand(operand, kDType<T>, Op::cast);
        };
        return result_of<Handle>(cast, x);
    }
}

template <typename N>
    requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>)
AnyTensor::operator N() const { return static_cast<N>(as_tensor<Canonical<N>>(*this).item()); }

} // namespace purview
