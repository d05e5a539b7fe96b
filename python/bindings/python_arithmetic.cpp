
#include "python_arithmetic.hpp"

#include "casts.hpp"
#include "python_values.hpp"
#include "time_arithmetic.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/elementwise/composed.hpp>

#include <utility>

namespace purview_python {
namespace {

using pv::Op;
using pv::Operand;
using pv::WeakOperand;

bool is_float(pv::DType type) {
    return type.is_floating() || pv::is_float16(type) || pv::is_complex(type);
}

/// Two bools as int8, in which Python computes with them.
void count_bools(WeakOperand& x, WeakOperand& y) {
    if (x.operand.dtype() != pv::boolean || y.operand.dtype() != pv::boolean) return;
    x.operand = cast_to(Array(x.operand), pv::int8).operand();
    y.operand = cast_to(Array(y.operand), pv::int8).operand();
}
Array composed(pv::ComposedOfTwo what, WeakOperand x, WeakOperand y) {
    count_bools(x, y);
    return pv::any_composed(what, std::move(x), std::move(y));
}

/// Whether a scalar that has become a constant is a number.
bool is_number(const Operand& scalar, int number) {
    const void* const value = static_cast<const pv::Constant&>(*scalar.node).value();
    if (scalar.dtype() == pv::int64) return *static_cast<const std::int64_t*>(value) == number;
    return scalar.dtype() == pv::float64 && *static_cast<const double*>(value) == number;
}

} // namespace

int rank_of_kind(pv::DType dtype) {
    if (dtype == pv::boolean) return 0;
    if (dtype.is_integer()) return 1;
    return pv::is_complex(dtype) ? 3 : 2;
}

Array true_divide(WeakOperand x, WeakOperand y) {
    if (const auto times = divided_times(Division::exact, &true_divide, x, y)) return *times;
    if (!is_float(x.operand.dtype()) && !is_float(y.operand.dtype())) {
        x.operand = cast_to(Array(x.operand), pv::float64).operand();
        y.operand = cast_to(Array(y.operand), pv::float64).operand();
        x.weak = y.weak = false;
    }
    return pv::any_binary(Op::divide, std::move(x), std::move(y));
}

Array floor_divide(WeakOperand first, WeakOperand second) {
    if (const auto times = divided_times(Division::floor, &floor_divide, first, second))
        return *times;
    return composed(pv::ComposedOfTwo::floor_divide, std::move(first), std::move(second));
}

Array modulo(WeakOperand first, WeakOperand second) {
    if (const auto times = divided_times(Division::remainder, &modulo, first, second))
        return *times;
    return composed(pv::ComposedOfTwo::mod, std::move(first), std::move(second));
}

Array power(WeakOperand first, WeakOperand second) {
    if (second.weak && !first.weak && is_number(second.operand, 2))
        return first.operand.dtype() == pv::boolean
                   ? power({cast_to(Array(first.operand), pv::int8).operand()}, second)
                   : pv::any_unary(Op::square, first.operand);
    if (is_float(first.operand.dtype()) || is_float(second.operand.dtype()))
        return pv::any_binary(Op::pow, std::move(first), std::move(second));
    return composed(pv::ComposedOfTwo::integer_pow, std::move(first), std::move(second));
}

Array absolute(const Array& x) {
    if (x.dtype() == pv::boolean || x.dtype().name().starts_with('u')) return x;
    if (const auto times = absolute_times(x)) return *times;
    return pv::any_unary(Op::absolute, x.operand());
}

Array inverted(const Array& x) {
    return pv::any_unary(x.dtype() == pv::boolean ? pv::Op::logical_not : pv::Op::bit_not,
                         x.operand());
}

Array truth_of(const Array& x) {
    return x.dtype() == pv::boolean ? x
                                    : binary_of(Op::not_equal, {x.operand()},
                                                {pv::constant_operand(std::int64_t{0}), true});
}

Binary comparison(int which) {
    switch (which) {
    case Py_EQ: return &by_operation<Op::equal>;
    case Py_NE: return &by_operation<Op::not_equal>;
    case Py_LT: return &by_operation<Op::less>;
    case Py_LE: return &by_operation<Op::less_equal>;
    case Py_GT: return &by_operation<Op::greater>;
    default: return &by_operation<Op::greater_equal>;
    }
}

} // namespace purview_python
