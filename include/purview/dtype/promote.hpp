#pragma once

#include <purview/dtype/dtype.hpp>

namespace purview::inline v0_1 {

/// The built-in signed (or unsigned) integer of a width in bytes.
template <bool Signed, std::size_t Bytes>
struct IntegerOfWidth;
template <>
struct IntegerOfWidth<true, 1> {
    using type = std::int8_t;
};
template <>
struct IntegerOfWidth<true, 2> {
    using type = std::int16_t;
};
template <>
struct IntegerOfWidth<true, 4> {
    using type = std::int32_t;
};
template <>
struct IntegerOfWidth<true, 8> {
    using type = std::int64_t;
};
template <>
struct IntegerOfWidth<false, 1> {
    using type = std::uint8_t;
};
template <>
struct IntegerOfWidth<false, 2> {
    using type = std::uint16_t;
};
template <>
struct IntegerOfWidth<false, 4> {
    using type = std::uint32_t;
};
template <>
struct IntegerOfWidth<false, 8> {
    using type = std::uint64_t;
};

/// The common type of two tensors' elements: the Array API table, plus: bool gives way to any
/// number, and an integer with a float gives the float. `void` where there is none (a signed
/// integer with uint64).
template <typename A, typename B>
struct Promotion {
    static constexpr auto pick() {
        if constexpr (std::same_as<A, B>) {
            return std::type_identity<A>{};
        } else if constexpr (!BuiltinType<A> || !BuiltinType<B>) {
            if constexpr (requires { typename std::common_type_t<A, B>; })
                return std::type_identity<std::common_type_t<A, B>>{};
            else
                return std::type_identity<void>{};
        } else if constexpr (std::same_as<A, bool>) {
            return std::type_identity<B>{};
        } else if constexpr (std::same_as<B, bool>) {
            return std::type_identity<A>{};
        } else if constexpr (std::floating_point<A> && std::floating_point<B>) {
            return std::type_identity<double>{};
        } else if constexpr (std::floating_point<A>) {
            return std::type_identity<A>{};
        } else if constexpr (std::floating_point<B>) {
            return std::type_identity<B>{};
        } else if constexpr (std::is_signed_v<A> == std::is_signed_v<B>) {
            return std::type_identity<std::conditional_t<(sizeof(A) > sizeof(B)), A, B>>{};
        } else {
            using Signed = std::conditional_t<std::is_signed_v<A>, A, B>;
            using Unsigned = std::conditional_t<std::is_signed_v<A>, B, A>;
            if constexpr (sizeof(Signed) > sizeof(Unsigned))
                return std::type_identity<Signed>{};
            else if constexpr (sizeof(Unsigned) < 8)
                return std::type_identity<
                    typename IntegerOfWidth<true, 2 * sizeof(Unsigned)>::type>{};
            else
                return std::type_identity<void>{};
        }
    }
    using type = typename decltype(pick())::type;
};

template <typename A, typename B>
using Promoted = typename Promotion<A, B>::type;

/// A C++ scalar beside a tensor is weak: it takes the tensor's type, except that a floating scalar
/// with an integer tensor, and any number with a bool tensor, give the scalar's own type.
template <typename T, typename Scalar>
struct WeakPromotion {
    static constexpr auto pick() {
        if constexpr (!BuiltinType<T>)
            return std::type_identity<T>{};
        else if constexpr (std::floating_point<Scalar> && !std::floating_point<T>)
            return std::type_identity<
                std::conditional_t<std::same_as<Scalar, float>, float, double>>{};
        else if constexpr (std::same_as<T, bool> && std::integral<Scalar> &&
                           !std::same_as<Scalar, bool>)
            return std::type_identity<
                typename IntegerOfWidth<std::is_signed_v<Scalar>, sizeof(Scalar)>::type>{};
        else
            return std::type_identity<T>{};
    }
    using type = typename decltype(pick())::type;
};

template <typename T, typename Scalar>
using WeaklyPromoted = typename WeakPromotion<T, Scalar>::type;

/// The type that two types promote to at run time, by the table of `Promotion`. Throws `DtypeError`
/// naming `what` and both types where they have no common type.
PURVIEW_EXPORT DType promote(DType a, DType b, const char* what);

/// What sums and products of a type accumulate in and return: 64 bits for integers and bool.
/// A class, so that its name stands in those of functions: compilers mangle concepts differently.
template <typename T>
struct Accumulator {
    using type =
        std::conditional_t<!BuiltinType<T> || std::floating_point<T>, T,
                           std::conditional_t<std::is_unsigned_v<T> && !std::same_as<T, bool>,
                                              std::uint64_t, std::int64_t>>;
};
template <typename T>
using Accumulated = typename Accumulator<T>::type;

/// The type of a mean: float64 for integers and bool, else `T`.
template <typename T>
using Averaged = std::conditional_t<BuiltinType<T> && !std::floating_point<T>, double, T>;

} // namespace purview
