#pragma once

#include <purview/functional/elementwise/operation_functions.hpp>

namespace purview {

template <BuiltinType R, Op op>
struct Casts {
    template <typename T>
    static constexpr bool kIsDefinedFor = true; // what is no number throws
    template <typename X>
    static ResultHandle<R, X> of(const X& x) {
        return result_of<ResultHandle<R, X>>(
            [](Operand operand) { return cast_operand(std::move(operand), kDType<R>, op); },
            operand_as<R>(x));
    }
};

/// `cast<T>(x)`, `x | cast<T>`: every element converted to T. Lazy. Fractions are cut off;
/// evaluation throws `CastError` naming value and index for an element that does not fit. Composing
/// throws `DtypeError` for elements that are not numbers.
template <BuiltinType T>
inline constexpr ElementsFunction<Casts<T, Op::cast>> cast;

/// The same without checks: integers wrap; a floating value is truncated to 64 bits first (NaN and
/// values outside of int64 become the lowest int64).
template <BuiltinType T>
inline constexpr ElementsFunction<Casts<T, Op::wrapping_cast>> unchecked_cast;

} // namespace purview
