#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

namespace purview::inline v0_1 {

/// `std::complex` of floats, recognised by its members, so that <complex> need not be included here.
template <typename T>
concept ComplexElement = requires(const T& z) {
    requires std::is_floating_point_v<typename T::value_type>;
    { z.real() } -> std::same_as<typename T::value_type>;
    { z.imag() } -> std::same_as<typename T::value_type>;
    requires sizeof(T) == 2 * sizeof(typename T::value_type);
    T(z.real(), z.imag());
};

/// Complex numbers that there are kernels for: of floats and doubles.
template <typename T>
concept KernelComplex = ComplexElement<T> && sizeof(T) <= 16;

/// The type of the parts of complex numbers, and of floats; `void` for types that do not say what
/// complex type they are computed with in.
template <typename T>
struct PartOfComplex {
    using type = std::conditional_t<std::is_floating_point_v<T>, T, void>;
};
template <ComplexElement T>
struct PartOfComplex<T> {
    using type = typename T::value_type;
};
/// The complex type of other parts.
template <typename T, typename P>
struct WithParts;
template <template <typename> typename Z, typename T, typename P>
struct WithParts<Z<T>, P> {
    using type = Z<P>;
};

/// NumPy's name of a complex type, which counts the bits of both parts.
template <ComplexElement T>
constexpr std::string_view complex_name() {
    return sizeof(T) == 8 ? "complex64" : sizeof(T) == 16 ? "complex128" : "complex256";
}

} // namespace purview
