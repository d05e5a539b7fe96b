// Operators of dims and of what is over dims: of dims and integers index expressions, of all else elements. Functions of elements.

#include "dim_operators.hpp"

#include "as_array.hpp"
#include "dim_types.hpp"
#include "dims.hpp"
#include "errors.hpp"
#include "python_arithmetic.hpp"
#include "python_values.hpp"
#include "time_arithmetic.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace purview_python {
namespace {

using pv::Op;
bool is_no_operand(nb::handle x) { return x.is_none() || PyUnicode_Check(x.ptr()); }

/// A dim, an expression of dims or an integer as an index; nothing for other objects.
std::optional<pv::AffineIndex> affine_of(nb::handle x) {
    if (const pv::Dim* const dim = dim_in(x)) return pv::AffineIndex(*dim);
    if (nb::isinstance<pv::AffineIndex>(x)) return nb::cast<const pv::AffineIndex&>(x);
    if (PyBool_Check(x.ptr()) || array_in(x) != nullptr || has_dims(x)) return {};
    if (!PyLong_Check(x.ptr()) &&
        !nb::isinstance(x, nb::module_::import_("numbers").attr("Integral")))
        return {};
    return pv::AffineIndex(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(x)));
}

PyObject* applied(Binary operation, PyObject* x, PyObject* y) noexcept {
    return as_slot([&] {
        if (is_no_operand(x) || is_no_operand(y)) return nb::borrow(Py_NotImplemented);
        return over_dims(operation, x, y);
    });
}
template <Binary operation>
PyObject* binary(PyObject* x, PyObject* y) noexcept {
    return applied(operation, x, y);
}

/// x + factor·y
template <Binary operation, int factor>
PyObject* sum(PyObject* x, PyObject* y) noexcept {
    PyObject* const index = as_slot([&]() -> nb::object {
        const std::optional<pv::AffineIndex> left = affine_of(x);
        const std::optional<pv::AffineIndex> right = left ? affine_of(y) : std::nullopt;
        if (!right) return nb::borrow(Py_NotImplemented);
        return nb::cast(pv::AffineIndex::sum(*left, *right, factor));
    });
    if (index != Py_NotImplemented) return index;
    Py_DECREF(index);
    return binary<operation>(x, y);
}

/// A dim, or an expression, times an integer.
PyObject* multiply(PyObject* x, PyObject* y) noexcept {
    PyObject* const index = as_slot([&]() -> nb::object {
        const std::optional<pv::AffineIndex> left = affine_of(x);
        const std::optional<pv::AffineIndex> right = left ? affine_of(y) : std::nullopt;
        if (right && left->terms().empty())
            return nb::cast(pv::AffineIndex::scaled(*right, left->constant()));
        if (right && right->terms().empty())
            return nb::cast(pv::AffineIndex::scaled(*left, right->constant()));
        return nb::borrow(Py_NotImplemented);
    });
    if (index != Py_NotImplemented) return index;
    Py_DECREF(index);
    return binary<by_operation<Op::multiply>>(x, y);
}

template <Array (*function)(const Array&), int factor>
PyObject* unary(PyObject* x) noexcept {
    return as_slot([&] {
        if constexpr (factor != 0)
            if (const std::optional<pv::AffineIndex> index = affine_of(x))
                return nb::cast(pv::AffineIndex::scaled(*index, factor));
        return over_dims(function, x);
    });
}
PyObject* raise(PyObject* x, PyObject* y, PyObject*) noexcept { return binary<&power>(x, y); }

PyObject* compare(PyObject* x, PyObject* y, int which) noexcept {
    return applied(comparison(which), x, y);
}

} // namespace

nb::object over_dims(Array (*function)(const Array&), nb::handle x) {
    pv::DimOperand operand = bound_of(x);
    return combined(std::span(&operand, 1), [function](std::span<pv::Operand> operands) {
        return function(Array(operands[0])).operand();
    });
}

nb::object over_dims(Array (*function)(pv::WeakOperand, pv::WeakOperand), nb::handle x,
                     nb::handle y) {
    std::array<std::optional<pv::WeakOperand>, 2> numbers;
    boost::container::small_vector<pv::DimOperand, 2> operands;
    for (const int i : {0, 1}) {
        const nb::handle object = i == 0 ? x : y;
        if (is_number(object))
            numbers[i] = operand_of(object);
        else
            operands.push_back(bound_of(object));
    }
    return combined(std::span<pv::DimOperand>(operands.data(), operands.size()),
                    [function, numbers](std::span<pv::Operand> given) {
                        std::size_t next = 0;
                        const auto take = [&](int i) {
                            return numbers[i] ? *numbers[i] : pv::WeakOperand{given[next++], false};
                        };
                        pv::WeakOperand left = take(0);
                        return function(std::move(left), take(1)).operand();
                    });
}

void add_dim_operators(std::vector<PyType_Slot>& slots) {
    const auto add = [&](int slot, auto* function) {
        slots.push_back({slot, reinterpret_cast<void*>(function)});
    };
    add(Py_nb_add, &sum<by_operation<Op::add>, 1>);
    add(Py_nb_subtract, &sum<by_operation<Op::subtract>, -1>);
    add(Py_nb_multiply, &multiply);
    add(Py_nb_true_divide, &binary<&true_divide>);
    add(Py_nb_floor_divide, &binary<&floor_divide>);
    add(Py_nb_remainder, &binary<&modulo>);
    add(Py_nb_power, &raise);
    add(Py_nb_and, &binary<by_operation<Op::bit_and>>);
    add(Py_nb_or, &binary<by_operation<Op::bit_or>>);
    add(Py_nb_xor, &binary<by_operation<Op::bit_xor>>);
    add(Py_nb_lshift, &binary<by_operation<Op::shift_left>>);
    add(Py_nb_rshift, &binary<by_operation<Op::shift_right>>);
    add(Py_nb_negative, &unary<negated, -1>);
    add(Py_nb_positive, &unary<same, 1>);
    add(Py_nb_absolute, &unary<absolute, 0>);
    add(Py_nb_invert, &unary<inverted, 0>);
    add(Py_tp_richcompare, &compare);
}

} // namespace purview_python
