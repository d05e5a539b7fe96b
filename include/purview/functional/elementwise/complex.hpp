#pragma once

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/maths.hpp>

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>

namespace purview::inline v0_1 {

/// The base of function objects of complex numbers.
struct OfComplex {
    template <typename T>
    static constexpr bool kIsDefinedFor = ComplexElement<T>;
};

/// A part of each of complex numbers: a view if they are in memory, else by a kernel.
template <typename X>
auto part_by_kernel(const X& z, std::ptrdiff_t offset_bytes, Operand (*part)(const Operand&)) {
    using S = OperandElement<X>;
    using M = typename S::value_type;
    return result_of<PartOf<X, M>>(
        [offset_bytes, part](const Operand& operand) {
            if (std::optional<Operand> view = part_of_memory<M>(operand, offset_bytes))
                return *std::move(view);
            return part(operand);
        },
        operand_as<S>(z));
}

struct RealParts : OfComplex {
    template <typename X>
    static auto of(const X& z) {
        if constexpr (KernelComplex<OperandElement<X>>)
            return part_by_kernel(z, 0, real_part);
        else
            return part_of_elements("real", z, 0,
                                    [](const OperandElement<X>& one) { return one.real(); });
    }
};
/// `real(z)`, `z | real`: the real parts of complex numbers: of memory a view, which writes through
/// where `z` can be written; else lazy. O(1).
inline constexpr ElementsFunction<RealParts> real;

struct ImaginaryParts : OfComplex {
    template <typename X>
    static auto of(const X& z) {
        constexpr auto kOffset = sizeof(typename OperandElement<X>::value_type);
        if constexpr (KernelComplex<OperandElement<X>>)
            return part_by_kernel(z, kOffset, imaginary_part);
        else
            return part_of_elements("imag", z, kOffset,
                                    [](const OperandElement<X>& one) { return one.imag(); });
    }
};
/// `imag(z)`: the imaginary parts; otherwise as `real`.
inline constexpr ElementsFunction<ImaginaryParts> imag;

struct Conjugates : OfComplex {
    template <typename X>
    static auto of(const X& z) {
        using T = OperandElement<X>;
        if constexpr (KernelComplex<T>)
            return result_of<ResultHandle<T, X>>(complex_conjugate, operand_as<T>(z));
        else
            return map_elements(
                FunctionName("conj"), [](const T& one) { return T(one.real(), -one.imag()); }, z);
    }
};
/// `conj(z)`: the complex conjugates. Lazy.
inline constexpr ElementsFunction<Conjugates> conj;

struct Angles : OfComplex {
    template <typename X>
    static auto of(const X& z) {
        return atan2(imag(z), real(z));
    }
};
/// `angle(z)`: the angles of complex numbers, in [-π, π]. Lazy.
inline constexpr ElementsFunction<Angles> angle;

} // namespace purview
