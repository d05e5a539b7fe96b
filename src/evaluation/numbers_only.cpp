#include "evaluation/numbers_only.hpp"

#include <purview/base/not_finite.hpp>
#include <purview/expression/constant.hpp>

namespace purview::inline v0_1 {

Operand is_number(const Operand& x) { return binary_operand(Op::equal, x, x, x.dtype(), boolean); }

Operand numbers_only(const Operand& x, double other) {
    return choose_operand(is_number(x), x,
                          x.dtype() == float32 ? constant_operand(static_cast<float>(other))
                                               : constant_operand(other),
                          x.dtype());
}

Operand numbers_only(const Operand& x, Reduction reduction) {
    switch (reduction) {
    case Reduction::product:
    case Reduction::all_of: return numbers_only(x, 1.);
    case Reduction::minimum: return numbers_only(x, kInfiniteNumber<double>);
    case Reduction::maximum: return numbers_only(x, -kInfiniteNumber<double>);
    default: return numbers_only(x, 0.);
    }
}

} // namespace purview
