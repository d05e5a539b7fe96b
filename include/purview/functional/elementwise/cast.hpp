#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

namespace purview {

/// Lazily converts every element.
template <BuiltinType T, Op op>
struct CastFunction : PipelineStage {
    template <TensorLike X>
    ResultHandle<T, X> operator()(const X& x) const {
        return result_of<ResultHandle<T, X>>(
            [](Operand operand) { return cast_operand(std::move(operand), kDType<T>, op); },
            operand_as<T>(x));
    }
};

/// `cast<T>(x)`, `x | cast<T>`: every element converted to T. Lazy. Fractions are cut off;
/// evaluation throws `CastError` naming value and index for an element that does not fit. Composing
/// throws `DtypeError` for elements that are not numbers.
template <BuiltinType T>
inline constexpr AcceptingArrays<CastFunction<T, Op::cast>> cast;

/// The same without checks: integers wrap; a floating value is truncated to 64 bits first (NaN and
/// values outside of int64 become the lowest int64).
template <BuiltinType T>
inline constexpr AcceptingArrays<CastFunction<T, Op::wrapping_cast>> unchecked_cast;

} // namespace purview
