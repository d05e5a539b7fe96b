// The operators of an array, with Python's meaning of division.

#include "operators.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "dim_types.hpp"
#include "errors.hpp"
#include "python_arithmetic.hpp"
#include "python_values.hpp"
#include "time_arithmetic.hpp"

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/compound_assignment.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/product.hpp>

#include <utility>

namespace purview_python {
namespace {

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// Whether an operand is one number, as the elements of an array are by themselves. What is computed of these is one, too: a sum
/// over a loop is no expression of all its terms.
bool is_value(const pv::Operand& operand) {
    return operand.dims.rank() == 0 && operand.node->kind() == pv::NodeKind::constant;
}

/// `x op y`, one of which is an array, and the other whatever may be an operand.
PyObject* applied(Binary operation, PyObject* x, PyObject* y) noexcept {
    return as_slot([&]() -> nb::object {
        std::optional<pv::WeakOperand> left = try_operand(x);
        if (!left) return not_implemented();
        std::optional<pv::WeakOperand> right = try_operand(y);
        if (!right) return not_implemented();
        const bool is_of_values = is_value(left->operand) && is_value(right->operand);
        return object_made([&] {
            Array result = operation(*std::move(left), *std::move(right));
            return is_of_values ? element_value(result) : result;
        });
    });
}
template <Binary operation>
PyObject* binary(PyObject* x, PyObject* y) noexcept {
    return applied(operation, x, y);
}
/// `x op= y`: writes where x can be written, and names the result elsewhere.
nb::object written(Binary operation, nb::handle self, nb::handle y) {
    const Array& x = self_in(self);
    std::optional<pv::WeakOperand> other = try_operand(y);
    if (!other && has_dims(y) && !x.is_read_only()) // throws, naming the dims that are bound
        other = pv::WeakOperand{as_array(y).operand(), false};
    if (!other) return not_implemented();
    const Array result = operation({x.operand(), false}, std::move(*other));
    if (x.is_read_only()) {
        if (pv::leaf_of(x.operand()) != nullptr) x.require_writable("an operator in place");
        return object_of(x.rank() == 0 && result.rank() == 0 ? element_value(result)
                                                             : Array(result));
    }
    if (rank_of_kind(result.dtype()) > rank_of_kind(x.dtype()))
        throw pv::DtypeError("an operator in place: the result is " +
                             std::string(result.dtype().name()) + ", and the array holds " +
                             std::string(x.dtype().name()));
    computing(x.size(),
              [&] { pv::write_values(cast_to(result, x.dtype()).operand(), x.operand()); });
    return nb::borrow(self);
}

template <Binary operation>
PyObject* in_place(PyObject* self, PyObject* y) noexcept {
    return as_slot([&] { return written(operation, self, y); });
}

PyObject* raise(PyObject* x, PyObject* y, PyObject*) noexcept { return binary<&power>(x, y); }
PyObject* raise_in_place(PyObject* x, PyObject* y, PyObject*) noexcept {
    return in_place<&power>(x, y);
}

PyObject* compare(PyObject* x, PyObject* y, int which) noexcept {
    return applied(comparison(which), x, y);
}

PyObject* multiply_matrices(PyObject* left, PyObject* right) noexcept {
    return as_slot([&]() -> nb::object {
        const std::optional<pv::WeakOperand> x = try_operand(left);
        if (!x || x->weak) return not_implemented();
        const std::optional<pv::WeakOperand> y = try_operand(right);
        if (!y || y->weak) return not_implemented();
        const pv::DType types[] = {x->operand.dtype(), y->operand.dtype()};
        const pv::DType type = pv::is_complex(types[0]) || pv::is_complex(types[1])
                                   ? pv::computed_complex(*x, *y)
                                   : pv::promote(types[0], types[1], "matmul");
        return object_of(computing(1 << 20, [&] {
            return cast_to(Array(pv::matmul(Array(x->operand), Array(y->operand))), type);
        }));
    });
}

template <Array (*function)(const Array&)>
PyObject* unary(PyObject* x) noexcept {
    return as_slot([&] { return object_made([&] { return function(self_in(x)); }); });
}
} // namespace

void add_operators(std::vector<PyType_Slot>& slots) {
    using pv::Op;
    const auto add = [&](int slot, auto* function) {
        slots.push_back({slot, reinterpret_cast<void*>(function)});
    };
#define PURVIEW_OPERATOR(slot, operation) \
 add(Py_nb_##slot, &binary<operation>);   \
 add(Py_nb_inplace_##slot, &in_place<operation>);
    PURVIEW_OPERATOR(add, by_operation<Op::add>)
    PURVIEW_OPERATOR(subtract, by_operation<Op::subtract>)
    PURVIEW_OPERATOR(multiply, by_operation<Op::multiply>)
    PURVIEW_OPERATOR(true_divide, &true_divide)
    PURVIEW_OPERATOR(floor_divide, &floor_divide)
    PURVIEW_OPERATOR(remainder, &modulo)
    PURVIEW_OPERATOR(and, by_operation<Op::bit_and>)
    PURVIEW_OPERATOR(or, by_operation<Op::bit_or>)
    PURVIEW_OPERATOR(xor, by_operation<Op::bit_xor>)
    PURVIEW_OPERATOR(lshift, by_operation<Op::shift_left>)
    PURVIEW_OPERATOR(rshift, by_operation<Op::shift_right>)
#undef PURVIEW_OPERATOR
    add(Py_nb_power, &raise);
    add(Py_nb_inplace_power, &raise_in_place);
    add(Py_nb_matrix_multiply, &multiply_matrices);
    add(Py_nb_negative, &unary<negated>);
    add(Py_nb_positive, &unary<same>);
    add(Py_nb_absolute, &unary<absolute>);
    add(Py_nb_invert, &unary<inverted>);
    add(Py_tp_richcompare, &compare);
    add(Py_tp_hash, &PyObject_HashNotImplemented); // == is of elements
}

} // namespace purview_python
