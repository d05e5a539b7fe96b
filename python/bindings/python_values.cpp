// Python's numbers and lists as arrays, and arrays as these.

#include "python_values.hpp"

#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "devices.hpp"
#include "text_caster.hpp"
#include "texts.hpp"
#include "time_values.hpp"
#include "tracing.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/reader/range_reader.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/complex.h>
#include <nanobind/stl/optional.h>

#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace purview_python {

std::optional<pv::Operand> try_number(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyFloat_Check(x)) return pv::constant_operand(PyFloat_AsDouble(x));
    if (PyBool_Check(x)) return pv::constant_operand(x == Py_True);
    if (PyLong_Check(x)) {
        int overflow = 0;
        const long long value = PyLong_AsLongLongAndOverflow(x, &overflow);
        if (overflow == 0) return pv::constant_operand(static_cast<std::int64_t>(value));
        const unsigned long long large = overflow > 0 ? PyLong_AsUnsignedLongLong(x) : 0;
        if (overflow < 0 || PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw pv::CastError("the integer " + nb::cast<std::string>(nb::str(object)) +
                                " does not fit 64 bits");
        }
        return pv::constant_operand(static_cast<std::uint64_t>(large));
    }
    if (PyComplex_Check(x))
        return pv::constant_operand(
            std::complex<double>(PyComplex_RealAsDouble(x), PyComplex_ImagAsDouble(x)));
    return {};
}

bool is_number(nb::handle x) {
    return PyBool_Check(x.ptr()) || PyLong_Check(x.ptr()) || PyFloat_Check(x.ptr()) ||
           PyComplex_Check(x.ptr());
}

bool is_sequence(nb::handle object) {
    return nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object) ||
           PyRange_Check(object.ptr());
}

namespace {

template <typename T>
PyObject* number_to_python(T x) {
    if constexpr (std::same_as<T, bool>)
        return PyBool_FromLong(x);
    else if constexpr (std::same_as<T, double>)
        return PyFloat_FromDouble(x);
    else if constexpr (std::same_as<T, std::uint64_t>)
        return PyLong_FromUnsignedLongLong(x);
    else if constexpr (std::same_as<T, std::int64_t>)
        return PyLong_FromLongLong(x);
    else
        return PyComplex_FromDoubles(x.real(), x.imag());
}

/// The next elements in row-major order as nested lists of a shape.
template <typename T>
nb::object list_of(const T*& next, pv::ShapeSpan shape) {
    if (shape.empty()) return nb::steal(number_to_python(*next++));
    nb::object list = nb::steal(PyList_New(shape[0]));
    for (pv::index_t i = 0; list.is_valid() && i < shape[0]; ++i)
        PyList_SetItem(list.ptr(), i, list_of(next, shape.subspan(1)).release().ptr());
    return list;
}

/// Calls `use` with the type of C++ that holds the elements as Python has them. False for elements that are no numbers.
template <typename F>
bool with_wide_type(pv::DType type, F use) {
    if (type == pv::boolean)
        use(std::type_identity<bool>());
    else if (type == pv::uint64)
        use(std::type_identity<std::uint64_t>());
    else if (type.is_integer())
        use(std::type_identity<std::int64_t>());
    else if (type.is_floating() || pv::is_float16(type))
        use(std::type_identity<double>());
    else if (pv::is_complex(type))
        use(std::type_identity<std::complex<double>>());
    else
        return false;
    return true;
}

} // namespace

nb::object element_to_python(const Array& given) {
    if (given.operand().node->reads(pv::Below::symbol))
        pv::throw_no_elements(*given.operand().node); // of any shape
    const Array x = given.size() == 1 ? on_host(given) : given;
    if (x.size() != 1)
        throw pv::ShapeError("only an array of one element is a number, not one of shape " +
                             pv::to_string(x.shape()));
    if (is_text(x.dtype())) return texts_to_python(Array(pv::reshape_operand(x.operand(), {})));
    nb::object result;
    const bool is_number = with_wide_type(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const pv::Tensor<T> wide(cast_to(x, pv::kDType<T>).operand());
        result = nb::steal(number_to_python<T>(computing(1, [&] { return wide.read(0); })));
    });
    return is_number ? result : time_to_python(x);
}

namespace {

/// An element of a type that has no constants in C++: the memory of one.
class HeldElement final : public pv::Constant {
public:
    explicit HeldElement(Array element)
        : Constant(element.dtype(), pv::describe(element).pointer), element_(std::move(element)) {}

private:
    Array element_;
};

} // namespace

Array element_value(const Array& element) {
    if (is_tracing() || element.operand().node->kind() == pv::NodeKind::constant) return element;
    if (is_on_device(element)) return realised(element); // there
    if (!element.dtype().is_builtin())
        return Array(pv::Operand{pv::make_node<HeldElement>(realised(element)), pv::Dimensions()});
    return pv::visit_dtype(
        element.dtype(), "an element", [&]<typename T>(std::type_identity<T>) -> Array {
            const pv::Tensor<T> typed(element.operand());
            return Array(pv::constant_operand<T>(computing(1, [&] { return typed.read(0); })));
        });
}

nb::object elements_to_list(const Array& given) {
    const Array x = on_host(given);
    if (is_text(x.dtype())) return texts_to_python(x);
    nb::object result;
    const bool is_number = with_wide_type(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const pv::Tensor<T> dense(realised(cast_to(x, pv::kDType<T>)).operand());
        const T* next = dense.size() > 0 ? dense.data() : nullptr;
        result = list_of(next, dense.shape());
    });
    if (is_number) return result;
    if (x.rank() == 0) return element_to_python(x);
    nb::list list;
    for (pv::index_t i = 0; i < x.shape()[0]; ++i) list.append(elements_to_list(x.row(i)));
    return list;
}

} // namespace purview_python
