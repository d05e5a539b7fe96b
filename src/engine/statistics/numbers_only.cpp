#include "engine/statistics/numbers_only.hpp"

#include <purview/base/not_finite.hpp>
#include <purview/expression/constant.hpp>

namespace purview::inline v0_1::engine {
namespace {

double unseen(Reduction reduction) {
    switch (reduction) {
    case Reduction::product:
    case Reduction::all_of: return 1;
    case Reduction::minimum: return kInfiniteNumber<double>;
    case Reduction::maximum: return -kInfiniteNumber<double>;
    default: return 0;
    }
}

} // namespace

Operand is_number(const Operand& x) { return binary_operand(Op::equal, x, x, x.dtype(), boolean); }

Operand numbers_only(const Operand& x, Reduction reduction) {
    const double other = unseen(reduction);
    return choose_operand(is_number(x), x,
                          x.dtype() == float32 ? constant_operand(static_cast<float>(other))
                                               : constant_operand(other),
                          x.dtype());
}

} // namespace purview::engine
