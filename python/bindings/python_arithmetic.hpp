#pragma once

#include "array.hpp"
#include "time_arithmetic.hpp"

#include <utility>

namespace purview_python {

// What Python means by its operators, where C++ means something else. All lazy.

using Binary = Array (*)(pv::WeakOperand, pv::WeakOperand);

/// An operation of the library, of times too.
template <pv::Op op>
Array by_operation(pv::WeakOperand x, pv::WeakOperand y) {
    return binary_of(op, std::move(x), std::move(y));
}
/// The comparison that Python numbers so: `Py_EQ` and so on.
Binary comparison(int which);
inline Array same(const Array& x) { return x; }

/// `x / y`: of integers and bools, float64.
Array true_divide(pv::WeakOperand x, pv::WeakOperand y);
/// `x // y`: rounded towards minus infinity.
Array floor_divide(pv::WeakOperand x, pv::WeakOperand y);
/// `x % y`: with the sign of y.
Array modulo(pv::WeakOperand x, pv::WeakOperand y);
/// `x ** y`: of integers an integer. Throws `ArithmeticError` when read for a negative exponent of integers.
Array power(pv::WeakOperand x, pv::WeakOperand y);
/// `abs(x)`: of unsigned integers and bools themselves.
Array absolute(const Array& x);
/// `~x`: of bools whether they are false, of integers bit by bit.
Array inverted(const Array& x);
/// `x != 0`; bools themselves.
Array truth_of(const Array& x);

/// bool, integer, float, complex: where a result may be written.
int rank_of_kind(pv::DType dtype);

} // namespace purview_python
