#include "evaluation/numbers_only.hpp"

#include <purview/base/not_finite.hpp>

namespace purview::inline v0_1 {

Operand is_number(const Operand& x) { return binary_operand(Op::equal, x, x, x.dtype(), boolean); }

double neutral_number(Reduction reduction) {
    switch (reduction) {
    case Reduction::product:
    case Reduction::all_of: return 1;
    case Reduction::minimum: return kInfiniteNumber<double>;
    case Reduction::maximum: return -kInfiniteNumber<double>;
    default: return 0;
    }
}

Operand numbers_only(const Operand& x, double other) {
    return choose_operand(is_number(x), x, float_constant(x.dtype(), other), x.dtype());
}

Operand numbers_only(const Operand& x, Reduction reduction) {
    return numbers_only(x, neutral_number(reduction));
}

Operand nan_of_none(const Operand& any, const Operand& results, DType result) {
    return choose_operand(any, results, float_constant(result, kNotANumber<double>), result);
}

Operand results_of_numbers(const Operand& folded, const Operand& counts, bool averages,
                           DType result) {
    const DType counted = counts.dtype();
    const auto with = [&](Op op, std::int64_t count, DType dtype) {
        return binary_operand(op, counts, constant_operand(count), counted, dtype);
    };
    const Operand any = with(Op::greater, 0, boolean);
    if (!averages) return nan_of_none(any, folded, result);
    const Operand divisor = with(Op::maximum, 1, counted);
    return nan_of_none(
        any, binary_operand(Op::divide, folded, divisor, folded.dtype(), folded.dtype()), result);
}

} // namespace purview
