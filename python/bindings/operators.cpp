// The operators of an array, with Python's meaning of division.

#include "array.hpp"

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/compound_assignment.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/product.hpp>

#include "python_arithmetic.hpp"
#include "times.hpp"

#include <utility>

namespace purview_python {
namespace {

using Binary = Array (*)(pv::WeakOperand, pv::WeakOperand);

template <pv::Op op>
Array by_operation(pv::WeakOperand x, pv::WeakOperand y) {
    return binary_of(op, std::move(x), std::move(y));
}

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }

/// `x op y`, and `y op x`, of an array and whatever may be an operand.
template <Binary operation>
nb::object forward(const Array& x, nb::handle y) {
    std::optional<pv::WeakOperand> other = try_operand(y);
    if (!other) return not_implemented();
    return nb::cast(operation({x.operand(), false}, std::move(*other)));
}
template <Binary operation>
nb::object backward(const Array& x, nb::handle y) {
    std::optional<pv::WeakOperand> other = try_operand(y);
    if (!other) return not_implemented();
    return nb::cast(operation(std::move(*other), {x.operand(), false}));
}
/// `x op= y`: writes where x can be written, and names the result elsewhere.
template <Binary operation>
nb::object in_place(nb::handle self, nb::handle y) {
    const auto& x = nb::cast<const Array&>(self);
    std::optional<pv::WeakOperand> other = try_operand(y);
    if (!other && has_dims(y) && !x.is_read_only()) // throws, naming the dims that are bound
        other = pv::WeakOperand{as_array(y).operand(), false};
    if (!other) return not_implemented();
    const Array result = operation({x.operand(), false}, std::move(*other));
    if (x.is_read_only()) {
        if (pv::leaf_of(x.operand()) != nullptr) x.require_writable("an operator in place");
        return nb::cast(result);
    }
    if (rank_of_kind(result.dtype()) > rank_of_kind(x.dtype()))
        throw pv::DtypeError("an operator in place: the result is " +
                             std::string(result.dtype().name()) + ", and the array holds " +
                             std::string(x.dtype().name()));
    computing(x.size(),
              [&] { pv::write_values(cast_to(result, x.dtype()).operand(), x.operand()); });
    return nb::borrow(self);
}

struct Names {
    const char* forward;
    const char* backward;
    const char* in_place;
};
template <Binary operation>
void bind_operator(nb::class_<Array>& array, const Names& names) {
    array.def(names.forward, &forward<operation>, nb::arg("other").none(), nb::is_operator());
    array.def(names.backward, &backward<operation>, nb::arg("other").none(), nb::is_operator());
    array.def(names.in_place, &in_place<operation>, nb::arg("other").none(), nb::is_operator());
}

template <pv::Op op>
void bind_comparison(nb::class_<Array>& array, const char* name) {
    array.def(name, &forward<by_operation<op>>, nb::arg("other").none(), nb::is_operator());
}

nb::object multiply_matrices(const Array& x, nb::handle y) {
    const std::optional<pv::WeakOperand> other = try_operand(y);
    if (!other || other->weak) return not_implemented();
    const pv::DType type = pv::is_complex(x.dtype()) || pv::is_complex(other->operand.dtype())
                               ? pv::computed_complex({x.operand()}, *other)
                               : pv::promote(x.dtype(), other->operand.dtype(), "matmul");
    return nb::cast(computing(
        1 << 20, [&] { return cast_to(Array(pv::matmul(x, Array(other->operand))), type); }));
}

} // namespace

void bind_operators(nb::class_<Array>& array) {
    using pv::Op;
    bind_operator<by_operation<Op::add>>(array, {"__add__", "__radd__", "__iadd__"});
    bind_operator<by_operation<Op::subtract>>(array, {"__sub__", "__rsub__", "__isub__"});
    bind_operator<by_operation<Op::multiply>>(array, {"__mul__", "__rmul__", "__imul__"});
    bind_operator<&true_divide>(array, {"__truediv__", "__rtruediv__", "__itruediv__"});
    bind_operator<&floor_divide>(array, {"__floordiv__", "__rfloordiv__", "__ifloordiv__"});
    bind_operator<&modulo>(array, {"__mod__", "__rmod__", "__imod__"});
    bind_operator<&power>(array, {"__pow__", "__rpow__", "__ipow__"});
    bind_operator<by_operation<Op::bit_and>>(array, {"__and__", "__rand__", "__iand__"});
    bind_operator<by_operation<Op::bit_or>>(array, {"__or__", "__ror__", "__ior__"});
    bind_operator<by_operation<Op::bit_xor>>(array, {"__xor__", "__rxor__", "__ixor__"});
    bind_operator<by_operation<Op::shift_left>>(array,
                                                {"__lshift__", "__rlshift__", "__ilshift__"});
    bind_operator<by_operation<Op::shift_right>>(array,
                                                 {"__rshift__", "__rrshift__", "__irshift__"});
    bind_comparison<Op::equal>(array, "__eq__");
    bind_comparison<Op::not_equal>(array, "__ne__");
    bind_comparison<Op::less>(array, "__lt__");
    bind_comparison<Op::less_equal>(array, "__le__");
    bind_comparison<Op::greater>(array, "__gt__");
    bind_comparison<Op::greater_equal>(array, "__ge__");
    array.attr("__hash__") = nb::none(); // == is of elements
    array.def("__matmul__", &multiply_matrices, nb::arg("other").none(), nb::is_operator());
    array.def("__neg__", [](const Array& x) { return negated(x); });
    array.def("__pos__", [](const Array& x) { return x; });
    array.def("__abs__", [](const Array& x) { return absolute(x); });
    array.def("__invert__", [](const Array& x) {
        return pv::any_unary(x.dtype() == pv::boolean ? Op::logical_not : Op::bit_not, x.operand());
    });
}

} // namespace purview_python
