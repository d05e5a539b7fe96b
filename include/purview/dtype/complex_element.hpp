#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

namespace purview {

/// `std::complex` of floats, recognised by its members, so that <complex> need not be included here.
template <typename T>
concept ComplexElement = requires(const T& z) {
    requires std::is_floating_point_v<typename T::value_type>;
    { z.real() } -> std::same_as<typename T::value_type>;
    { z.imag() } -> std::same_as<typename T::value_type>;
    requires sizeof(T) == 2 * sizeof(typename T::value_type);
    T(z.real(), z.imag());
};

/// NumPy's name of a complex type, which counts the bits of both parts.
template <ComplexElement T>
constexpr std::string_view complex_name() {
    return sizeof(T) == 8 ? "complex64" : sizeof(T) == 16 ? "complex128" : "complex256";
}

} // namespace purview
