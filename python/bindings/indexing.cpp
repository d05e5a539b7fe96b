// t[…], t[…] = values.

#include "array.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
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

/// The parts of a key, one for each axis that they index, and new axes.
struct Key {
    std::vector<pv::TensorIndex> indexes;
    std::vector<std::optional<Array>>
        lists; ///< integers of any rank, beside the `all` that stands for them
    std::vector<std::optional<Array>> masks; ///< beside the indexes that they are, too
    int axes = 0;                            ///< how many axes of the array are indexed
    bool has_ellipsis = false;

    void add(pv::TensorIndex index, std::optional<Array> list = {}) {
        axes += index.axes_consumed();
        has_ellipsis = has_ellipsis || index.is_ellipsis();
        indexes.push_back(std::move(index));
        lists.push_back(std::move(list));
        masks.emplace_back();
    }
    bool is_integer(std::size_t part) const {
        return std::holds_alternative<pv::index_t>(indexes[part].argument());
    }
};

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
    if (array && array->dtype() == pv::boolean) return add_mask(key, *array);
    if (array && array->rank() == 0 && array->dtype().is_integer())
        return key.add(static_cast<pv::index_t>(
            pv::Tensor<std::int64_t>(cast_to(*array, pv::int64).operand()).read(0)));
    if (array && array->dtype().is_integer()) return key.add(pv::all, *array);
    if (array && array->size() == 0 && array->rank() == 1) // an empty list is of floats
        return key.add(pv::all, realised(cast_to(*array, pv::int64)));
    if (!array && PyIndex_Check(object.ptr())) return key.add(index_of(object));
    throw pv::IndexError(
        "an index is an integer, a slice, ..., None, a list of integers or a mask, not " +
        told(object));
}

Array basic(const Array& x, std::span<const pv::TensorIndex> indexes) {
    return Array::view_of(x, pv::select_operand(x.operand(), indexes));
}

/// Whether the lists and masks of a key, and the integers beside them, follow one another.
bool are_adjacent(const Key& key) {
    int first = -1;
    int last = -1;
    int count = 0;
    for (int i = 0; i < static_cast<int>(key.indexes.size()); ++i)
        if (key.lists[i] || key.masks[i] || key.is_integer(i)) {
            first = first < 0 ? i : first;
            last = i;
            ++count;
        }
    return count == last - first + 1;
}

/// Throws `IndexError` unless a mask has the extents of its axes, or no elements: then it selects none, whatever they have.
void require_fit(const Array& mask, pv::ShapeSpan extents) {
    const pv::Shape shape = pv::to_shape(mask.shape());
    for (std::size_t a = 0; mask.size() > 0 && a < shape.size(); ++a)
        if (shape[a] != extents[a])
            throw pv::IndexError("a mask of shape " + pv::to_string(mask.shape()) +
                                 " does not fit axes of shape " + pv::to_string(extents));
}

/// Elements at the true ones of a mask of the first axes, which become one: a view.
Array masked_rows(const Array& x, const Array& mask) {
    const auto rank = static_cast<std::size_t>(mask.rank());
    const pv::ShapeSpan extents = x.dimensions().max_shape();
    require_fit(mask, extents.first(rank));
    pv::Shape shape = {mask.size()};
    for (const pv::index_t extent : extents.subspan(rank)) shape.push_back(extent);
    const pv::Shape all = {-1};
    const Array flat(pv::reshape_operand(mask.operand(), all));
    const pv::TensorIndex rows[] = {static_cast<const pv::TensorHandle&>(flat)};
    return basic(Array::view_of(x, pv::reshape_operand(x.operand(), shape)), rows);
}

/// The indexes of true elements: a list for each axis.
std::vector<Array> lists_of(const Array& mask, pv::ShapeSpan extents) {
    require_fit(mask, extents);
    const pv::Shape shape = pv::to_shape(mask.shape());
    const pv::Shape all = {-1};
    const Array flat = realised(computing(mask.size(), [&]() -> Array {
        return pv::true_indexes(pv::reshape_operand(mask.operand(), all));
    }));
    const pv::Tensor<std::int64_t> given(flat.operand());
    const pv::Shape counts = {flat.size()};
    std::vector<Array> lists;
    std::int64_t step = mask.size();
    for (const pv::index_t extent : shape) {
        const pv::MutableTensor<std::int64_t> list =
            pv::empty<std::int64_t>(pv::AxisValues(counts));
        if (flat.size() > 0) {
            step /= extent;
            for (pv::index_t i = 0; i < flat.size(); ++i)
                list.data()[i] = given.data()[i] / step % extent;
        }
        lists.emplace_back(list);
    }
    return lists;
}

/// A key with lists in place of its masks.
Key without_masks(const Array& x, const Key& key) {
    if (key.axes > x.rank())
        throw pv::IndexError("an index of " + std::to_string(key.axes) +
                             " axes for an array of rank " + std::to_string(x.rank()));
    const pv::ShapeSpan shape = x.dimensions().max_shape();
    Key result;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < key.indexes.size(); ++i) {
        if (!key.masks[i]) {
            result.add(key.indexes[i], key.lists[i]);
            axis += key.indexes[i].is_ellipsis() ? static_cast<std::size_t>(x.rank() - key.axes)
                                                 : key.indexes[i].axes_consumed();
            continue;
        }
        const auto rank = static_cast<std::size_t>(key.masks[i]->rank());
        for (Array& list : lists_of(*key.masks[i], shape.subspan(axis, rank)))
            result.add(pv::all, std::move(list));
        axis += rank;
    }
    return result;
}

/// Elements at lists of integers that are broadcast together, as are the integers beside them: their axes take the place of those that
/// they index, or come first where other axes lie between.
Array gathered(const Array& x, Key key) {
    if (!key.has_ellipsis) key.add(pv::ellipsis);
    std::vector<pv::TensorIndex> views;
    std::vector<pv::Operand> indexes;
    pv::Shape axes;
    pv::index_t axis = 0; // of the view
    for (std::size_t i = 0; i < key.indexes.size(); ++i) {
        const pv::IndexArgument argument = key.indexes[i].argument();
        if (const auto* const integer = std::get_if<pv::index_t>(&argument)) {
            views.emplace_back(pv::all);
            indexes.push_back(pv::constant_operand(static_cast<std::int64_t>(*integer)));
            axes.push_back(axis++);
            continue;
        }
        views.push_back(key.indexes[i]);
        if (key.lists[i]) {
            indexes.push_back(cast_to(*key.lists[i], pv::int64).operand());
            axes.push_back(axis);
        }
        if (key.indexes[i].is_ellipsis())
            axis += x.rank() - key.axes;
        else
            ++axis;
    }
    std::vector<pv::Operand> broadcast = indexes;
    try {
        pv::broadcast_operands(broadcast, "index");
    } catch (const pv::ShapeError& error) { // NumPy's kind of error
        throw pv::IndexError(error.what());
    }
    const pv::index_t rank = broadcast[0].dims.rank();
    const Array view = basic(x, views);
    pv::Operand result = pv::take_operand(view.operand(), axes, indexes);
    if (are_adjacent(key) && axes[0] > 0) { // the axes of the lists, now first, back to their place
        pv::Shape order;
        for (pv::index_t a = 0; a < axes[0]; ++a) order.push_back(rank + a);
        for (pv::index_t a = 0; a < rank; ++a) order.push_back(a);
        for (pv::index_t a = rank + axes[0]; a < result.dims.rank(); ++a) order.push_back(a);
        result = pv::transpose_operand(result, order);
    }
    return Array::view_of(x, std::move(result));
}

/// Whether an index is one bool: an array of rank 0, or Python's.
std::optional<bool> as_bool(nb::handle object) {
    if (PyBool_Check(object.ptr())) return object.ptr() == Py_True;
    if (!nb::isinstance<Array>(object)) return {};
    const auto& mask = nb::cast<const Array&>(object);
    if (mask.rank() > 0 || mask.dtype() != pv::boolean) return {};
    return pv::Tensor<bool>(mask.operand()).read(0);
}

Array selected(const Array& x, nb::handle object) {
    if (const std::optional<bool> mask = as_bool(object)) { // a new axis, of one element or none
        const pv::TensorIndex indexes[] = {pv::new_axis};
        const Array all = basic(x, indexes);
        const pv::TensorIndex chosen[] = {pv::Range(0, *mask ? 1 : 0)};
        return basic(all, chosen);
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
    if (lists == 0) return basic(x, key.indexes);
    const bool is_view = lists == 1 && are_adjacent(key);
    if (mask) {
        const bool is_whole = key.indexes.size() == 1 && mask->rank() == x.rank();
        if (is_view && (is_whole || mask->rank() == 1) && mask->size() > 0)
            return basic(x, key.indexes);
        if (key.indexes.size() == 1 && mask->rank() < x.rank() && mask->size() > 0)
            return masked_rows(x, *mask);
        key = without_masks(x, key);
    } else if (is_view && key.lists[list]->rank() == 1) {
        key.indexes[list] = static_cast<const pv::TensorHandle&>(*key.lists[list]);
        return basic(x, key.indexes);
    }
    return gathered(x, std::move(key));
}

/// The parts of a key without arrays and dims.
struct PlainKey {
    static constexpr Py_ssize_t kMost = 6;
    std::array<pv::IndexArgument, kMost> parts;
    std::size_t count = 0;
    bool is_plain = false; ///< false for other keys

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
        if (part) parts[count++] = *std::move(part);
        return part.has_value();
    }
};

nb::object element(nb::handle self, nb::handle key) {
    const Array& x = self_in(self);
    if (const PlainKey plain(key); plain.is_plain) return object_made([&] { return plain.of(x); });
    if (names_dims(key)) return select_dims(self, key);
    return object_of(selected(x, key));
}

/// Writes a number of Python to one float64 or int64 that holds it. False, and nothing is done, elsewhere.
bool write_number(const Array& place, nb::handle number) {
    if (place.rank() != 0) return false;
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
    std::optional<pv::WeakOperand> given = try_operand(values);
    if (!given && has_dims(values)) given = {as_array(values).operand(), false};
    if (!given) throw nb::type_error("the values are an array, or a number");
    x.require_writable("x[...] = values");
    const Array place = plain.is_plain ? plain.of(x) : selected(x, key);
    const pv::Operand cast =
        given->weak ? given->operand : cast_to(Array(given->operand), x.dtype()).operand();
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
