#include "functional/elementwise/float_signs.hpp"
#include "functional/elementwise/operations_in.hpp"

#include <purview/expression/library_function.hpp>

#include <array>
#include <cmath>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {
namespace {

template <typename T>
class SignBits final : public LibraryFunction {
public:
    SignBits() : LibraryFunction(FunctionName("signbit")) {}
    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const x = static_cast<const T*>(operands[0]);
        for (index_t i = 0; i < count; ++i) static_cast<bool*>(out)[i] = std::signbit(x[i]);
    }
};

template <typename T>
class WithSigns final : public LibraryFunction {
public:
    WithSigns() : LibraryFunction(FunctionName("copysign")) {}
    void apply(index_t count, void* out, const void* const* operands) const override {
        const auto* const x = static_cast<const T*>(operands[0]);
        const auto* const y = static_cast<const T*>(operands[1]);
        for (index_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = std::copysign(x[i], y[i]);
    }
};

} // namespace

Operand sign_bits(const Operand& x) {
    if (x.dtype() == float32)
        return elementwise<1>(Op::map, boolean, {x}, std::make_shared<const SignBits<float>>());
    return elementwise<1>(Op::map, boolean, {x}, std::make_shared<const SignBits<double>>());
}

Operand with_signs(const Operand& x, const Operand& y, DType compute) {
    std::array<Operand, 2> operands{cast_operand(x, compute, Op::cast),
                                    cast_operand(y, compute, Op::cast)};
    broadcast_operands(operands, "copysign");
    if (compute == float32)
        return elementwise<2>(Op::map, compute, std::move(operands),
                              std::make_shared<const WithSigns<float>>());
    return elementwise<2>(Op::map, compute, std::move(operands),
                          std::make_shared<const WithSigns<double>>());
}

Operand next_towards(const Operand& given_x, const Operand& given_y, DType compute) {
    const OperationsIn of(compute);
    const Operand x = cast_operand(given_x, compute, Op::cast);
    const Operand y = cast_operand(given_y, compute, Op::cast);
    // Of equal ones the second, as zeros have signs; of NaN a sum.
    const Operand none =
        choose_operand(of.binary(Op::equal, x, y), y, of.binary(Op::add, x, y), compute);
    const Operand down =
        choose_operand(of.binary(Op::less, y, x), of.unary(Op::next_down, x), none, compute);
    return choose_operand(of.binary(Op::less, x, y), of.unary(Op::next_up, x), down, compute);
}

} // namespace purview
