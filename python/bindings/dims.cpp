// Dims, and arrays whose axes are bound to them: their classes, indexing and writing.

#include "dims.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "dim_types.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "options.hpp"
#include "python_arithmetic.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/named/index.hpp>
#include <purview/named/scatter_dims.hpp>
#include <purview/tensor/copy.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace purview_python {
namespace {

/// A tuple or a list of dims alone, which divides an axis.
bool is_joint(nb::handle object) {
    if (!nb::isinstance<nb::tuple>(object) && !nb::isinstance<nb::list>(object)) return false;
    const auto sequence = nb::borrow<nb::sequence>(object);
    if (nb::len(sequence) == 0) return false;
    return std::all_of(sequence.begin(), sequence.end(),
                       [](nb::handle x) { return dim_in(x) != nullptr; });
}

std::optional<pv::index_t> end_of(nb::handle object) {
    if (object.is_none()) return {};
    const Py_ssize_t index = PyNumber_AsSsize_t(object.ptr(), nullptr); // clips, as slices do
    if (index == -1 && PyErr_Occurred() != nullptr) throw nb::python_error();
    return index;
}

[[noreturn]] void throw_no_index(nb::handle object) {
    throw pv::IndexError(
        "an index is a Dim, a tuple of dims, an expression of dims, an array of integers or bools, an integer, a slice, ... or None, not " +
        message_text(object));
}

pv::DimIndex index_of(nb::handle object) {
    if (const pv::Dim* const dim = dim_in(object)) return *dim;
    if (Py_TYPE(object.ptr()) == index_type) return nb::cast<const pv::AffineIndex&>(object);
    if (Py_TYPE(object.ptr()) == dim_array_type) {
        const auto& x = nb::cast<const DimArray&>(object);
        if (x.dtype() == pv::boolean) return pv::mask_as_index(x.bound);
        if (!x.dtype().is_integer()) throw_no_index(object);
        return x.bound;
    }
    if (is_joint(object)) {
        pv::Joint joint;
        for (nb::handle each : nb::borrow<nb::sequence>(object)) joint.add(*dim_in(each));
        return joint;
    }
    if (object.is_none()) return pv::TensorIndex(pv::new_axis);
    if (object.ptr() == Py_Ellipsis) return pv::TensorIndex(pv::ellipsis);
    if (PySlice_Check(object.ptr()))
        return pv::TensorIndex(pv::Range(end_of(object.attr("start")), end_of(object.attr("stop")),
                                         end_of(object.attr("step")).value_or(1)));
    if (PyBool_Check(object.ptr())) throw_no_index(object);
    if (const std::optional<pv::index_t> integer = try_integer(object))
        return pv::TensorIndex(*integer);
    const std::optional<Array> array = try_array(object);
    if (!array || !(array->dtype().is_integer() || array->dtype() == pv::boolean))
        throw_no_index(object);
    return pv::tensor_as_index(*array);
}

std::vector<pv::DimIndex> indexes_of(nb::handle key) {
    std::vector<pv::DimIndex> indexes;
    if (nb::isinstance<nb::tuple>(key))
        for (nb::handle each : nb::borrow<nb::tuple>(key)) indexes.push_back(index_of(each));
    else
        indexes.push_back(index_of(key));
    return indexes;
}

bool is_writable(nb::handle x) {
    return nb::isinstance<Array>(x) ? !nb::cast<const Array&>(x).is_read_only()
                                    : nb::cast<const DimArray&>(x).writable;
}

/// Values to write: in the type of the place, but for Python's numbers, which have to fit.
pv::DimOperand values_for(nb::handle values, pv::DType dtype) {
    if (!has_dims(values))
        if (std::optional<pv::WeakOperand> number = try_values(values); number && number->weak)
            return {std::move(number->operand), {}};
    pv::DimOperand x = pv::settled(bound_of(values));
    x.operand = cast_to(Array(std::move(x.operand)), dtype).operand();
    return x;
}

/// `x op= y`: writes to the places that x names.
nb::object update(nb::handle self, pv::Op op, nb::handle y) {
    const auto& x = nb::cast<const DimArray&>(self);
    if (!x.writable) return nb::borrow(Py_NotImplemented);
    const pv::DimOperand given = bound_of(y);
    const pv::DType type = dtype_of(given);
    if (rank_of_kind(type) > rank_of_kind(x.dtype()))
        throw pv::DtypeError("an operator in place: the values are " + std::string(type.name()) +
                             ", and the array holds " + std::string(x.dtype().name()));
    const pv::DimOperand place = pv::settled(x.bound);
    if (pv::is_complex(x.dtype()) && !pv::is_writable(place.operand))
        throw pv::DtypeError("an operator in place: " + std::string(x.dtype().name()) +
                             " elements are not added at indexes that may repeat");
    const pv::DimOperand added = values_for(y, x.dtype());
    computing(std::max(place.operand.dims.size(), added.operand.dims.size()),
              [&] { pv::update_over_dims("an operator in place", op, added, place); });
    return nb::borrow(self);
}

nb::tuple tuple_of(const pv::DimVector& dims) {
    nb::list list;
    for (const pv::Dim& dim : dims) list.append(dim_object(dim));
    return nb::tuple(list);
}

template <typename T>
void remember(PyTypeObject*& type) {
    type = reinterpret_cast<PyTypeObject*>(nb::type<T>().ptr());
}

nb::object new_dim(std::string_view name, nb::handle size) {
    if (size.is_none()) return dim_object(pv::Dim(name));
    return dim_object(pv::Dim(name, integer_of("dims: a size", size)));
}

void bind_dim(nb::module_& module, const PyType_Slot* operators) {
    nb::class_<DimObject>(
        module, "Dim", nb::is_final(), nb::is_weak_referenceable(), nb::type_slots(operators),
        "A first-class dimension: an identity, a name for messages, and a size that is bound once.")
        .def(nb::new_([](const std::string& name, nb::handle size) { return new_dim(name, size); }),
             nb::arg("name") = "", nb::arg("size") = nb::none())
        .def_prop_rw(
            "size", [](const DimObject& dim) { return dim.size(); },
            [](const DimObject& dim, Py_ssize_t size) { dim.set_size(size); },
            "The size, which can be set once.")
        .def_prop_ro(
            "is_bound", [](const DimObject& dim) { return dim.has_size(); },
            "Whether there is a size.")
        .def_prop_ro(
            "name", [](const DimObject& dim) { return dim.name(); }, "The name, for messages only.")
        .def("__hash__", [](const DimObject& dim) { return dim.id(); })
        .def("__repr__", [](const DimObject& dim) { return dim.name(); });
    nb::class_<pv::AffineIndex>(
        module, "IndexExpression", nb::is_final(), nb::type_slots(operators),
        "A sum of multiples of dims, `2 * i + k - 1`: an index, or the array of its values.")
        .def("__repr__", [](const pv::AffineIndex& index) { return pv::to_string(index); });
    remember<DimObject>(dim_type);
    remember<pv::AffineIndex>(index_type);
    // As many dims as there are names, of sizes or None: one, or a tuple.
    module.def(
        "_dims",
        [](const nb::tuple& names, nb::handle sizes) -> nb::object {
            const std::size_t count = nb::len(names);
            nb::list made;
            for (std::size_t i = 0; i < count; ++i)
                made.append(new_dim(nb::cast<std::string_view>(names[i]),
                                    sizes.is_none() ? nb::none() : nb::object(sizes[i])));
            return count == 1 ? nb::object(made[0]) : nb::object(nb::tuple(made));
        },
        nb::arg(), nb::arg().none());
}

} // namespace

bool names_dims(nb::handle key) {
    if (!nb::isinstance<nb::tuple>(key)) return has_dims(key) || is_joint(key);
    const auto parts = nb::borrow<nb::tuple>(key);
    return std::any_of(parts.begin(), parts.end(),
                       [](nb::handle x) { return has_dims(x) || is_joint(x); });
}

pv::DimOperand bound_of(nb::handle object) {
    if (const Array* const array = array_in(object)) return {array->operand(), {}};
    if (Py_TYPE(object.ptr()) == dim_array_type) return nb::cast<const DimArray&>(object).bound;
    if (const pv::Dim* const dim = dim_in(object)) return pv::dim_operand(pv::AffineIndex(*dim));
    if (Py_TYPE(object.ptr()) == index_type)
        return pv::dim_operand(nb::cast<const pv::AffineIndex&>(object));
    return {as_array(object).operand(), {}};
}

nb::object to_python(pv::DimOperand x, bool writable) {
    if (!x.dims.empty() || x.is_deferred()) return nb::cast(DimArray{std::move(x), writable});
    return nb::cast(writable ? Array::writable(std::move(x.operand)) : Array(std::move(x.operand)));
}

pv::DimOperand indexed(nb::handle x, nb::handle key) {
    return pv::index_with_dims(bound_of(x), indexes_of(key));
}

pv::DimOperand index_joined_by(nb::handle x, const pv::Axes& axes, nb::handle value) {
    return pv::index_joined(bound_of(x), axes, index_of(value));
}

nb::object select_dims(nb::handle x, nb::handle key) {
    const bool writable = is_writable(x);
    nb::object result = to_python(indexed(x, key), writable);
    if (writable && nb::isinstance<DimArray>(result)) {
        auto& selected = nb::cast<DimArray&>(result);
        selected.base = nb::borrow(x);
        selected.key = nb::borrow(key);
    }
    return result;
}

void assign_dims(nb::handle x, nb::handle key, nb::handle values) {
    if (nb::isinstance<DimArray>(values)) {
        const auto& given = nb::cast<const DimArray&>(values);
        if (given.base.is(x) && given.key.is(key)) return; // x[key] op= values
    }
    if (!is_writable(x)) {
        if (nb::isinstance<Array>(x)) nb::cast<const Array&>(x).require_writable("x[...] = values");
        throw pv::ReadOnlyError("x[...] = values: x is computed from others, which only reads");
    }
    const pv::DimOperand place = indexed(x, key);
    const pv::DimOperand given = values_for(values, place.operand.dtype());
    computing(std::max(place.operand.dims.size(), given.operand.dims.size()), [&] {
        pv::scatter_over_dims("x[...] = values", pv::ScatterKind::assign, given, place);
    });
}

void bind_dims(nb::module_& module, const PyType_Slot* operators) {
    bind_dim(module, operators);
    nb::class_<DimArray>(
        module, "DimArray", nb::is_final(), nb::is_weak_referenceable(), nb::type_slots(operators),
        "An array some of whose axes are bound to dims. The others are positional.")
        .def_prop_ro(
            "ndim", [](const DimArray& x) { return pv::rank_of(x.bound); },
            "The number of positional axes.")
        .def_prop_ro("dtype", &DimArray::dtype, "The element type.")
        .def_prop_ro(
            "shape",
            [](const DimArray& x) {
                nb::list list;
                for (const pv::index_t extent : pv::AnyDimTensor(pv::DimOperand(x.bound)).shape())
                    list.append(extent);
                return nb::tuple(list);
            },
            "The sizes of the positional axes.")
        .def(
            "__getitem__", [](nb::handle x, nb::handle key) { return select_dims(x, key); },
            nb::arg("key").none())
        .def("__setitem__", &assign_dims, nb::arg("key").none(), nb::arg("values"))
        .def(
            "__iadd__", [](nb::handle x, nb::handle y) { return update(x, pv::Op::add, y); },
            nb::arg("other").none(), nb::is_operator())
        .def(
            "__isub__", [](nb::handle x, nb::handle y) { return update(x, pv::Op::subtract, y); },
            nb::arg("other").none(), nb::is_operator())
        .def(
            "__imul__", [](nb::handle x, nb::handle y) { return update(x, pv::Op::multiply, y); },
            nb::arg("other").none(), nb::is_operator());
    remember<DimArray>(dim_array_type);
    module.def("_dims_of", [](nb::handle x) { return tuple_of(bound_of(x).dims); });
}

} // namespace purview_python
