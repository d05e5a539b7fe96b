#pragma once

#include <purview/dtype/cast.hpp>
#include <purview/dtype/promote.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The element type that values of `V` are stored as: the built-in integer of the same width and
/// sign for every integer of C++ (`long long`, `char`), else `V`.
template <typename V>
struct CanonicalType {
    using type = V;
};
template <std::integral V>
    requires(!BuiltinType<V>)
struct CanonicalType<V> {
    using type = typename IntegerOfWidth<std::is_signed_v<V>, sizeof(V)>::type;
};
template <typename V>
using Canonical = typename CanonicalType<std::remove_cv_t<V>>::type;

/// Types that convert implicitly to a number: arithmetic types and unscoped enumerations.
template <typename V>
concept ConvertsAsNumber = std::is_arithmetic_v<V> ||
    (std::is_enum_v<V>&& std::is_convertible_v<V, long long>);

/// Values of type `V` that are converted when they are stored in elements of type `T`; the
/// conversion is checked and may throw `CastError`.
template <typename V, typename T>
concept ConvertedTo = BuiltinType<T> && ConvertsAsNumber<V> && !std::same_as<V, T>;

/// `value` converted to the element type T. Numbers are checked as by `checked_cast`: throws
/// `CastError` naming the value, `index` (if not negative) and the type where the value does not
/// fit. Other types convert as C++ does.
template <ElementType T, typename V>
constexpr T converted(V&& value, index_t index = -1) {
    using From = std::remove_cvref_t<V>;
    if constexpr (ConvertedTo<From, T>) {
        if constexpr (std::is_enum_v<From>)
            return converted<T>(static_cast<std::underlying_type_t<From>>(value), index);
        else if constexpr (std::same_as<From, long double>)
            return checked_cast<T>(static_cast<double>(value), index);
        else
            return checked_cast<T>(static_cast<Canonical<From>>(value), index);
    } else {
        return static_cast<T>(std::forward<V>(value));
    }
}

} // namespace purview
