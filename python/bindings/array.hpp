#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <nanobind/nanobind.h>

#include <new>
#include <utility>

namespace purview_python {

namespace nb = nanobind;
namespace pv = purview;

/// What Python calls `Array`: a tensor whose element type is known at run time.
using Array = pv::AnyTensor;

/// The class `Array` of Python, from when the module is made until the interpreter ends.
inline PyTypeObject* array_type = nullptr;

/// The array in an object of the class; null for another object, and for `Array.__new__(Array)`.
inline const Array* array_in(nb::handle object) noexcept {
    PyTypeObject* const type = Py_TYPE(object.ptr());
    if (type != array_type && PyType_IsSubtype(type, array_type) == 0) return nullptr;
    return nb::inst_ready(object) ? nb::inst_ptr<Array>(object) : nullptr;
}
/// The array whose slot is called.
inline const Array& self_in(nb::handle object) {
    if (const Array* const array = array_in(object)) return *array;
    throw nb::type_error("an Array is made by a function: asarray");
}
/// A new object of the class, with the array that `make` returns, which is not moved.
template <typename Make>
nb::object object_made(Make&& make) {
    nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(array_type));
    new (nb::inst_ptr<Array>(object)) Array(std::forward<Make>(make)());
    nb::inst_mark_ready(object);
    return object;
}
/// The same with an array: what `nb::cast` makes, without a look-up of the class.
inline nb::object object_of(Array&& array) {
    return object_made([&]() -> Array&& { return std::move(array); });
}

/// Memory that a function has made, which may be written.
inline Array owned(const pv::Operand& made) { return Array::writable(made); }
inline Array owned(const pv::TensorHandle& made) { return owned(made.operand()); }

} // namespace purview_python
