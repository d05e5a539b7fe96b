#pragma once

#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
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
/// A tensor of complex numbers.
template <typename X>
concept ComplexTensor = TypedTensor<X> && ComplexElement<OperandElement<X>>;

/// `real(z)`, `z | real`: the real parts of complex numbers: of memory a view, which writes through
/// where `z` can be written; else lazy. O(1).
struct RealFunction : PipelineStage {
    template <ComplexTensor X>
    auto operator()(const X& z) const {
        return part_of_elements(z, 0, [](const OperandElement<X>& one) { return one.real(); });
    }
};
inline constexpr AcceptingArrays<RealFunction> real;

/// `imag(z)`: the imaginary parts; otherwise as `real`.
struct ImagFunction : PipelineStage {
    template <ComplexTensor X>
    auto operator()(const X& z) const {
        return part_of_elements(z, sizeof(typename OperandElement<X>::value_type),
                                [](const OperandElement<X>& one) { return one.imag(); });
    }
};
inline constexpr AcceptingArrays<ImagFunction> imag;

/// `conj(z)`: the complex conjugates. Lazy.
struct ConjFunction : PipelineStage {
    template <ComplexTensor X>
    auto operator()(const X& z) const {
        using T = OperandElement<X>;
        return map_operands([](const T& one) { return T(one.real(), -one.imag()); }, z);
    }
};
inline constexpr AcceptingArrays<ConjFunction> conj;

/// `angle(z)`: the angles of complex numbers, in [-π, π]. Lazy.
struct AngleFunction : PipelineStage {
    template <ComplexTensor X>
    auto operator()(const X& z) const {
        return atan2(imag(z), real(z));
    }
};
inline constexpr AcceptingArrays<AngleFunction> angle;

} // namespace purview
