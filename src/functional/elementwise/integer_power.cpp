#include "functional/elementwise/integer_power.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/functional/elementwise/number_functions.hpp>

#include <fmt/format.h>

#include <concepts>
#include <type_traits>

namespace purview::inline v0_1 {

void throw_negative_power(std::int64_t base, std::int64_t exponent) {
    throw ArithmeticError(
        fmt::format("integer_pow: {} to the power of {} is no integer", base, exponent));
}

Operand integer_power(const Operand& x, const Operand& y, DType compute) {
    return visit_dtype(compute, "integer_pow", [&]<typename T>(std::type_identity<T>) -> Operand {
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
            return map_operands<T, T, T>(
                FunctionName("integer_pow"),
                [](T base, T exponent) { return integer_power_of(base, exponent); },
                {cast_operand(x, compute, Op::cast), cast_operand(y, compute, Op::cast)});
        else
            throw_dtype_unsupported("integer_pow", compute);
    });
}

} // namespace purview
