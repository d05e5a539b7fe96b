#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

namespace purview::inline v0_1 {

template <typename R, Op op>
struct Casts {
    template <typename T>
    static constexpr bool kIsDefinedFor = true; // what is no number throws
    template <typename X>
    static ResultHandle<R, X> of(const X& x) {
        return result_of<ResultHandle<R, X>>(
            [](const Operand& operand) { return convert_operand(operand, kDType<R>, op); },
            operand_as<R>(x));
    }
};

/// `cast<T>(x)`, `x | cast<T>`: every element converted to T. Lazy. Fractions are cut off;
/// evaluation throws `CastError` naming value and index for an element that does not fit (of
/// floats of 16 bits, what is too large becomes infinite, and other numbers are rounded to float32
/// first). Composing throws `DtypeError` for elements that are not numbers.
template <typename T>
    requires(BuiltinType<Widened<T>> || KernelComplex<T>)
inline constexpr ElementsFunction<Casts<T, Op::cast>> cast;

/// `unchecked_cast<T>(x)`, `x | unchecked_cast<T>`: every element converted to T, without checks.
/// Lazy. Integers wrap; a floating value is truncated to 64 bits first (NaN and values outside of
/// int64 become the lowest int64).
template <typename T>
    requires BuiltinType<Widened<T>>
inline constexpr ElementsFunction<Casts<T, Op::wrapping_cast>> unchecked_cast;

} // namespace purview
