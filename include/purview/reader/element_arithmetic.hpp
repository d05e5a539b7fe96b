#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/dtype/dtype.hpp>

#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <ElementType T>
class Element;

/// Whether `X` is an element of a class type: strings, times, complex numbers, structs.
template <typename X>
inline constexpr bool kIsClassElement = false;
template <ElementType T>
inline constexpr bool kIsClassElement<Element<T>> = !std::is_arithmetic_v<T>;

/// An element of a class type, and an element or a value. Tensors have operators of their own.
template <typename X, typename Y>
concept ClassElements = (kIsClassElement<X> || kIsClassElement<Y>)&&!kIsTensor<X> && !kIsTensor<Y>;

/// What an element refers to; another value itself.
template <typename X>
const X& value_behind(const X& x) {
    return x;
}
template <ElementType T>
T value_behind(const Element<T>& element) {
    return element;
}

template <typename X>
using ValueBehind = std::remove_cvref_t<decltype(value_behind(std::declval<const X&>()))>;

/// `x(1) - x(0)` of times, `"no. " + names(0)`: the base of `Element`, by which its arithmetic is
/// found. The operators of classes are mostly templates, for whose arguments no conversion is
/// considered; numbers have the built-in ones. What an operator needs of its arguments stands in its
/// constraint: clang forms a return type before it asks for the constraint, and here without end.
struct ElementArithmetic {
    /// The value: `auto name = +names(0)` is no reference.
    template <ElementType T>
        requires kIsClassElement<Element<T>>
    friend T operator+(const Element<T>& element) { return value_behind(element); }

    template <typename X, typename Y>
        requires ClassElements<X, Y> && requires(const X& x, const Y& y) {
            value_behind(x) + value_behind(y);
        }
    friend auto operator+(const X& x, const Y& y) { return value_behind(x) + value_behind(y); }
    template <typename X, typename Y>
        requires ClassElements<X, Y> && requires(const X& x, const Y& y) {
            value_behind(x) - value_behind(y);
        }
    friend auto operator-(const X& x, const Y& y) { return value_behind(x) - value_behind(y); }
    template <typename X, typename Y>
        requires ClassElements<X, Y> && requires(const X& x, const Y& y) {
            value_behind(x) * value_behind(y);
        }
    friend auto operator*(const X& x, const Y& y) { return value_behind(x) * value_behind(y); }
    template <typename X, typename Y>
        requires ClassElements<X, Y> && requires(const X& x, const Y& y) {
            value_behind(x) / value_behind(y);
        }
    friend auto operator/(const X& x, const Y& y) { return value_behind(x) / value_behind(y); }
    template <typename X, typename Y>
        requires ClassElements<X, Y> && requires(const X& x, const Y& y) {
            value_behind(x) % value_behind(y);
        }
    friend auto operator%(const X& x, const Y& y) { return value_behind(x) % value_behind(y); }
};

} // namespace purview
