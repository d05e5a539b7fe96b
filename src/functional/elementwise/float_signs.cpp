#include "functional/elementwise/float_signs.hpp"
#include "functional/elementwise/operations_in.hpp"

#include <purview/expression/element_function.hpp>

#include <cmath>
#include <type_traits>

namespace purview::inline v0_1 {
Operand sign_bits(const Operand& x) {
    const auto of = [&]<typename T>(std::type_identity<T>) {
        return map_operands<bool, T>(FunctionName("signbit"),
                                     [](T each) { return std::signbit(each); }, {x});
    };
    return x.dtype() == float32 ? of(std::type_identity<float>())
                                : of(std::type_identity<double>());
}

Operand with_signs(const Operand& x, const Operand& y, DType compute) {
    const auto of = [&]<typename T>(std::type_identity<T>) {
        return map_operands<T, T, T>(
            FunctionName("copysign"), [](T of_x, T of_y) { return std::copysign(of_x, of_y); },
            {cast_operand(x, compute, Op::cast), cast_operand(y, compute, Op::cast)});
    };
    return compute == float32 ? of(std::type_identity<float>()) : of(std::type_identity<double>());
}

Operand next_towards(const Operand& given_x, const Operand& given_y, DType compute) {
    const OperationsIn of(compute);
    const auto [x, y] = of.cast(given_x, given_y);
    // Of equal ones the second, as zeros have signs; of NaN a sum.
    const Operand none =
        choose_operand(of.binary(Op::equal, x, y), y, of.binary(Op::add, x, y), compute);
    const Operand down =
        choose_operand(of.binary(Op::less, y, x), of.unary(Op::next_down, x), none, compute);
    return choose_operand(of.binary(Op::less, x, y), of.unary(Op::next_up, x), down, compute);
}

} // namespace purview
