#pragma once

#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <cstdint>

namespace purview {

/// Of a float64. Throws `ArithmeticError` for infinities and NaN.
PURVIEW_EXPORT std::int64_t significand_of(double x);
/// Of elements that are numbers. Throws `DtypeError` for others.
PURVIEW_EXPORT Operand significand_operand(const Operand& x);

/// `get_significand(x)`: the 53 bits of the fraction of each element as a float64, as an integer, without the sign: in [2^52, 2^53) of a normal
/// number, and the stored bits twice of a subnormal one; dtype-next's. int64. Lazy. Of a number, a number. Or a stage. Throws `DtypeError`,
/// and `ArithmeticError` for infinities and NaN when it is read.
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
