// Defines purview/expression/elementwise.hpp.

#include <purview/expression/elementwise.hpp>

#include <utility>

namespace purview {

std::string_view name_of(Op op) noexcept {
    switch (op) {
    case Op::cast: return "cast";
    case Op::wrapping_cast: return "unchecked_cast";
    case Op::negative: return "negative";
    case Op::absolute: return "abs";
    case Op::square_root: return "sqrt";
    case Op::square: return "sq";
    case Op::logical_not: return "logical_not";
    case Op::bit_not: return "bit_not";
    case Op::floor: return "floor";
    case Op::ceil: return "ceil";
    case Op::round: return "round";
    case Op::rint: return "rint";
    case Op::trunc: return "trunc";
    case Op::signum: return "signum";
    case Op::next_up: return "next_up";
    case Op::next_down: return "next_down";
    case Op::ulp: return "ulp";
    case Op::cbrt: return "cbrt";
    case Op::exp: return "exp";
    case Op::exp2: return "exp2";
    case Op::expm1: return "expm1";
    case Op::log: return "log";
    case Op::log2: return "log2";
    case Op::log10: return "log10";
    case Op::log1p: return "log1p";
    case Op::sin: return "sin";
    case Op::cos: return "cos";
    case Op::tan: return "tan";
    case Op::asin: return "asin";
    case Op::acos: return "acos";
    case Op::atan: return "atan";
    case Op::sinh: return "sinh";
    case Op::cosh: return "cosh";
    case Op::tanh: return "tanh";
    case Op::power: return "pow";
    case Op::hypot: return "hypot";
    case Op::atan2: return "atan2";
    case Op::ieee_remainder: return "ieee_remainder";
    case Op::add: return "add";
    case Op::subtract: return "subtract";
    case Op::multiply: return "multiply";
    case Op::divide: return "divide";
    case Op::remainder: return "remainder";
    case Op::minimum: return "minimum";
    case Op::maximum: return "maximum";
    case Op::bit_and: return "bit_and";
    case Op::bit_or: return "bit_or";
    case Op::bit_xor: return "bit_xor";
    case Op::shift_left: return "shift_left";
    case Op::shift_right: return "shift_right";
    case Op::equal: return "equal";
    case Op::not_equal: return "not_equal";
    case Op::less: return "less";
    case Op::less_equal: return "less_equal";
    case Op::greater: return "greater";
    case Op::greater_equal: return "greater_equal";
    case Op::logical_and: return "logical_and";
    case Op::logical_or: return "logical_or";
    case Op::choose: return "where";
    case Op::map: return "emap";
    }
    std::unreachable();
}

} // namespace purview
