#include "functional/elementwise/integer_power.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/functional/elementwise/number_functions.hpp>

#include <fmt/format.h>

#include <array>
#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

template <typename T>
class IntegerPowers final : public LibraryFunction {
public:
    IntegerPowers() : LibraryFunction(FunctionName("integer_pow")) {}
    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const x = static_cast<const T*>(operands[0]);
        const auto* const y = static_cast<const T*>(operands[1]);
        for (index_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = integer_power_of(x[i], y[i]);
    }
};

} // namespace

void throw_negative_power(std::int64_t base, std::int64_t exponent) {
    throw ArithmeticError(
        fmt::format("integer_pow: {} to the power of {} is no integer", base, exponent));
}

Operand integer_power(const Operand& x, const Operand& y, DType compute) {
    std::array<Operand, 2> operands{cast_operand(x, compute, Op::cast),
                                    cast_operand(y, compute, Op::cast)};
    broadcast_operands(operands, "integer_pow");
    return visit_dtype(compute, "integer_pow", [&]<typename T>(std::type_identity<T>) -> Operand {
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
            return elementwise<2>(Op::map, compute, std::move(operands),
                                  std::make_shared<const IntegerPowers<T>>());
        else
            throw_dtype_unsupported("integer_pow", compute);
    });
}

} // namespace purview
