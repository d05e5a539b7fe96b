// t[…], t[…] = values.

#include "indexing.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "devices.hpp"
#include "dim_types.hpp"
#include "dims.hpp"
#include "errors.hpp"
#include "index_key.hpp"
#include "python_arithmetic.hpp"
#include "python_values.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/tensor_index.hpp>
#include <purview/tensor/views.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace purview_python {
namespace {

pv::index_t index_of(nb::handle object) {
    const Py_ssize_t index = PyNumber_AsSsize_t(object.ptr(), PyExc_IndexError);
    if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return index;
}
/// What selects without reading an array: an integer, a slice, `None`, `...`. Nothing for other objects.
std::optional<pv::IndexArgument> plain_part(nb::handle object) {
    PyObject* const x = object.ptr();
    if (PyLong_Check(x)) {
        if (PyBool_Check(x)) return {};
        return index_of(object);
    }
    if (PySlice_Check(x)) {
        Py_ssize_t begin = 0;
        Py_ssize_t end = 0;
        Py_ssize_t step = 0;
        if (PySlice_Unpack(x, &begin, &end, &step) < 0) throw nb::python_error();
        return pv::Range(begin, end, step); // clips, as slices do
    }
    if (object.is_none()) return pv::new_axis;
    if (x == Py_Ellipsis) return pv::ellipsis;
    return {};
}

void add_mask(Key& key, const Array& mask) {
    if (mask.rank() > 0) {
        key.add(static_cast<const pv::TensorHandle&>(mask));
        key.masks.back() = mask;
        return;
    }
    throw pv::IndexError("a mask of rank 0 is the only index, or none");
}

void add_part(Key& key, nb::handle object) {
    if (const std::optional<pv::IndexArgument> part = plain_part(object))
        return std::visit([&](const auto& index) { key.add(index); }, *part);
    if (nb::isinstance<pv::IndexSet>(object)) return key.add(nb::cast<const pv::IndexSet&>(object));
    const std::optional<Array> array =
        PyBool_Check(object.ptr()) ? std::optional<Array>(as_array(object)) : try_array(object);
    if (array && array->dtype() == pv::boolean) return add_mask(key, on_host(*array));
    if (array && array->rank() == 0 && array->dtype().is_integer())
        return key.add(static_cast<pv::index_t>(computing(1, [&] {
            return pv::Tensor<std::int64_t>(cast_to(on_host(*array), pv::int64).operand()).read(0);
        })));
    if (array && array->dtype().is_integer()) return key.add(pv::all, *array);
    if (array && array->size() == 0 && array->rank() == 1) // an empty list is of floats
        return key.add(pv::all, realised(cast_to(*array, pv::int64)));
    if (!array && PyIndex_Check(object.ptr())) return key.add(index_of(object));
    throw pv::IndexError(
        "an index is an integer, a slice, ..., None, a list of integers or a mask, not " +
        message_text(object));
}

bool has_length(nb::handle object) {
    if (PyObject_Size(object.ptr()) >= 0) return true;
    PyErr_Clear();
    return false;
}

/// Whether an index is one bool: an array of rank 0, Python's, or NumPy's.
std::optional<bool> as_bool(nb::handle object) {
    if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
    std::optional<Array> mask;
    if (nb::isinstance<Array>(object))
        mask = nb::cast<const Array&>(object);
    else if (!has_length(object)) // others are converted once, where they are used
        mask = try_array(object);
    if (!mask || mask->rank() > 0 || mask->dtype() != pv::boolean) return {};
    return computing(1, [&] { return pv::Tensor<bool>(on_host(*mask).operand()).read(0); });
}

/// Whether a key of integers alone selects one element: NumPy's then is a scalar.
bool is_element(const Key& key, const Array& x) {
    if (key.axes != x.rank()) return false;
    for (std::size_t i = 0; i < key.indexes.size(); ++i)
        if (!key.is_integer(i)) return false;
    return true;
}

/// A view or elements, as a key says; `as_value`: one element as a value of its own.
Array selected(const Array& x, nb::handle object, bool as_value) {
    if (const std::optional<bool> mask = as_bool(object)) { // a new axis, of one element or none
        const pv::TensorIndex indexes[] = {pv::new_axis};
        const Array all = basic_view(x, indexes);
        const pv::TensorIndex chosen[] = {pv::Range(0, *mask ? 1 : 0)};
        return basic_view(all, chosen);
    }
    Key key;
    if (nb::isinstance<nb::tuple>(object))
        for (nb::handle each : nb::borrow<nb::tuple>(object)) add_part(key, each);
    else
        add_part(key, object);
    std::size_t list = 0;
    int lists = 0;
    std::optional<Array> mask;
    for (std::size_t i = 0; i < key.lists.size(); ++i) {
        if (key.masks[i]) mask = key.masks[i];
        if (key.lists[i]) list = i;
        lists += key.lists[i] || key.masks[i] ? 1 : 0;
    }
    if (lists == 0) {
        const Array view = basic_view(x, key.indexes);
        return as_value && is_element(key, x) ? element_value(view) : view;
    }
    const bool is_view = lists == 1 && are_adjacent(key);
    if (mask) {
        const bool is_whole = key.indexes.size() == 1 && mask->rank() == x.rank();
        if (is_view && (is_whole || mask->rank() == 1) && mask->size() > 0)
            return basic_view(x, key.indexes);
        if (key.indexes.size() == 1 && mask->rank() < x.rank() && mask->size() > 0)
            return masked_rows(x, *mask);
        key = without_masks(x, key);
    } else if (is_view && key.lists[list]->rank() == 1) {
        const Array here = on_host(*key.lists[list]);
        key.indexes[list] = static_cast<const pv::TensorHandle&>(here);
        return basic_view(x, key.indexes);
    }
    return gathered(x, std::move(key));
}

/// The parts of a key without arrays and dims.
struct PlainKey {
    static constexpr Py_ssize_t kMost = 6;
    std::array<pv::IndexArgument, kMost> parts;
    std::size_t count = 0;
    bool is_plain = false;   ///< false for other keys
    bool is_integers = true; ///< and nothing else

    explicit PlainKey(nb::handle key) {
        if (!PyTuple_Check(key.ptr())) {
            is_plain = add(key);
            return;
        }
        const Py_ssize_t size = PyTuple_Size(key.ptr());
        is_plain = size <= kMost;
        for (Py_ssize_t i = 0; is_plain && i < size; ++i)
            is_plain = add(PyTuple_GetItem(key.ptr(), i));
    }

    Array of(const Array& x) const {
        return Array::view_of(
            x, {x.operand().node, pv::dimensions::select(x.dimensions(), {parts.data(), count})});
    }

private:
    bool add(nb::handle object) {
        std::optional<pv::IndexArgument> part = plain_part(object);
        is_integers = is_integers && part && std::holds_alternative<pv::index_t>(*part);
        if (part) parts[count++] = *std::move(part);
        return part.has_value();
    }
};

nb::object element(nb::handle self, nb::handle key) {
    const Array& x = self_in(self);
    if (const PlainKey plain(key); plain.is_plain) {
        if (plain.is_integers && static_cast<int>(plain.count) == x.rank())
            return object_made([&] { return element_value(plain.of(x)); });
        return object_made([&] { return plain.of(x); });
    }
    if (names_dims(key)) return select_dims(self, key);
    return object_of(selected(x, key, true));
}

/// Writes a number of Python to one float64 or int64 that holds it. False, and nothing is done, elsewhere.
bool write_number(const Array& place, nb::handle number) {
    if (place.rank() != 0 || is_on_device(place)) return false;
    const bool is_float = place.dtype() == pv::float64;
    if (is_float && PyFloat_CheckExact(number.ptr())) {
        place.as_mutable<double>()() = PyFloat_AsDouble(number.ptr());
        return true;
    }
    if (!PyLong_CheckExact(number.ptr())) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) return false;
    if (is_float && std::abs(value) < 1LL << 53)
        place.as_mutable<double>()() = static_cast<double>(value);
    else if (place.dtype() == pv::int64)
        place.as_mutable<std::int64_t>()() = value;
    else
        return false;
    return true;
}

void assign(nb::handle self, nb::handle key, nb::handle values) {
    const Array& x = self_in(self);
    const PlainKey plain(key);
    if ((!plain.is_plain || has_dims(values)) && names_dims(key))
        return assign_dims(self, key, values);
    if (plain.is_plain && !x.is_read_only() && write_number(plain.of(x), values)) return;
    std::optional<pv::WeakOperand> given = try_values(values);
    if (!given && has_dims(values)) given = {as_array(values).operand(), false};
    if (!given) throw nb::type_error("the values are an array, or a number");
    x.require_writable("x[...] = values");
    const Array place = plain.is_plain ? plain.of(x) : selected(x, key, false);
    pv::Operand cast =
        given->weak ? given->operand : cast_to(Array(given->operand), x.dtype()).operand();
    if (is_on_device(place) && !given->weak && !cast.node->reads(pv::Below::device))
        cast = realised(Array(cast)).operand(); // computed here, then copied
    computing(place.size(), [&] { pv::write_values(cast, place.operand()); });
}

PyObject* get_element(PyObject* x, PyObject* key) noexcept {
    return as_slot([&] { return element(x, key); });
}
PyObject* get_row(PyObject* x, Py_ssize_t index) noexcept {
    return as_slot([&]() -> nb::object {
        const Array& array = self_in(x);
        if (array.rank() > 0 &&
            index >= array.shape()[0]) { // the end, which an exception would make slow
            PyErr_SetString(PyExc_IndexError, "the index is out of range");
            return {};
        }
        if (array.rank() == 1) return object_made([&] { return element_value(array.row(index)); });
        return object_made([&] { return array.row(index); });
    });
}
/// Rank 0 has none: what asks for a size or a list of them then takes the array for an integer.
PyObject* get_iterator(PyObject* x) noexcept {
    return as_slot([&] {
        if (self_in(x).rank() == 0) throw nb::type_error("iteration over an array of rank 0");
        return nb::steal(PySeqIter_New(x));
    });
}
int set_element(PyObject* x, PyObject* key, PyObject* values) noexcept {
    PyObject* const done = as_slot([&] {
        if (values == nullptr) throw nb::type_error("elements of an array cannot be deleted");
        assign(x, key, values);
        return nb::none();
    });
    Py_XDECREF(done);
    return done == nullptr ? -1 : 0;
}

} // namespace

void add_indexing(std::vector<PyType_Slot>& slots) {
    slots.push_back({Py_mp_subscript, reinterpret_cast<void*>(&get_element)});
    slots.push_back({Py_mp_ass_subscript, reinterpret_cast<void*>(&set_element)});
    slots.push_back({Py_sq_item, reinterpret_cast<void*>(&get_row)}); // what iterators call
    slots.push_back({Py_tp_iter, reinterpret_cast<void*>(&get_iterator)});
}

} // namespace purview_python
