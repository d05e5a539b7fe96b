#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <cstdint>

namespace purview {

/// The significand of a float64, as `get_significand`. Throws `ArithmeticError` for infinities and
/// NaN.
PURVIEW_EXPORT std::int64_t significand_of(double x);
/// The same for the elements of an operand. Throws `DtypeError` for elements that are not numbers.
PURVIEW_EXPORT Operand significand_operand(const Operand& x);

/// `get_significand(x)`, or a stage: the 53-bit significand of each element, converted to float64,
/// as an int64 without the sign: in [2^52, 2^53) for a normal number, and twice the stored bits for
/// a subnormal one; as in dtype-next. Lazy. For a number, a number. Throws `DtypeError`; reading
/// throws `ArithmeticError` for infinities and NaN.
struct GetSignificandFunction : PipelineStage {
    template <TensorLike X>
    auto operator()(const X& x) const {
        if constexpr (!TypedTensor<X>) {
            return AnyTensor(significand_operand(x.operand()));
        } else {
            using T = typename X::value_type;
            static_assert(BuiltinType<T>, "get_significand is defined for tensors of numbers");
            return result_of<ResultHandle<std::int64_t, X>>(
                [](const Operand& operand) { return significand_operand(operand); },
                operand_as<T>(x));
        }
    }
    template <NumberLike X>
    std::int64_t operator()(const X& x) const {
        return significand_of(static_cast<double>(static_cast<Scalar<X>>(x)));
    }
};
inline constexpr AcceptingArrays<GetSignificandFunction> get_significand;

} // namespace purview
