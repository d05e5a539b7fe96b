// Compressed sets of indexes.

#include "index_sets.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "options.hpp"

#include <purview/functional/assembly/index_sets.hpp>
#include <purview/reader/index_set.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace purview_python {
namespace {

using pv::IndexSet;

/// The indexes of what is true in a mask, of a range, or of any integers.
IndexSet index_set_of(nb::handle given) {
    if (nb::isinstance<IndexSet>(given)) return nb::cast<IndexSet>(given);
    if (PyRange_Check(given.ptr()) && nb::cast<Py_ssize_t>(given.attr("step")) == 1)
        return IndexSet::interval(nb::cast<Py_ssize_t>(given.attr("start")),
                                  nb::cast<Py_ssize_t>(given.attr("stop")));
    const std::optional<Array> array = try_array(given);
    const Array indexes = array ? *array : as_array(nb::list(nb::borrow(given)));
    if (indexes.size() == 0) return {};
    return computing(indexes.size(), [&] { return pv::index_set_of(indexes.operand()); });
}

/// Whether an integer of any size is in a set.
bool contains(const IndexSet& set, nb::handle index) {
    if (PyIndex_Check(index.ptr()) == 0) return false;
    const nb::object integer = nb::steal(PyNumber_Index(index.ptr()));
    std::int64_t value = 0;
    return integer.is_valid() ? nb::try_cast(integer, value) && set.contains(value)
                              : throw nb::python_error();
}

nb::bytes bytes_of(const IndexSet& set) {
    const std::vector<std::byte> bytes = set.serialize();
    return nb::bytes(bytes.data(), bytes.size());
}

template <typename F>
void bind_operator(nb::class_<IndexSet>& type, const char* name, F operation) {
    type.def(
        name,
        [operation](const IndexSet& a, nb::handle b) -> nb::object {
            if (!nb::isinstance<IndexSet>(b)) return nb::borrow(Py_NotImplemented);
            return nb::cast(operation(a, nb::cast<const IndexSet&>(b)));
        },
        nb::arg("other").none(), nb::is_operator());
}

} // namespace

void bind_index_sets(nb::module_& module) {
    nb::class_<IndexSet> type(
        module, "IndexSet",
        "An immutable, compressed set of indexes, of a range, of integers in any order, or of what is true in a mask (row-major "
        "indexes). Ascending. t[set] is a view. IndexError of negative indexes, DtypeError of what are no integers.");
    type.def(
            "__init__",
            [](IndexSet* self, nb::handle indexes) { new (self) IndexSet(index_set_of(indexes)); },
            nb::arg("indexes") = nb::make_tuple())
        .def("__len__", &IndexSet::size)
        .def("__contains__", &contains, nb::arg("index").none())
        .def("__hash__", [](const IndexSet& set) { return nb::hash(bytes_of(set)); })
        .def("__reduce__",
             [](nb::handle set) {
                 return nb::make_tuple(nb::module_::import_("purview._core").attr("_index_set"),
                                       nb::make_tuple(bytes_of(nb::cast<const IndexSet&>(set))));
             })
        .def("min", &IndexSet::min, "The least index. IndexError of the empty set.")
        .def("max", &IndexSet::max, "The greatest index. IndexError of the empty set.")
        .def("rank", &IndexSet::rank, nb::arg("index"),
             "How many indexes of the set are less than an index.")
        .def(
            "select", [](const IndexSet& set, Py_ssize_t position) { return set.select(position); },
            nb::arg("position"),
            "The index at a position in ascending order. IndexError outside of [0, len).")
        .def("complement", &IndexSet::complement, nb::arg("begin"), nb::arg("end"),
             "The indexes of [begin, end) that are not in the set.")
        .def(
            "isdisjoint",
            [](const IndexSet& a, const IndexSet& b) { return !pv::intersects(a, b); },
            nb::arg("other"), "Whether no index is in both sets.")
        .def(
            "to_array", [](const IndexSet& set) { return owned(pv::indexes_of(set)); },
            "The indexes, ascending, int64 in memory.")
        .def(
            "to_mask",
            [](const IndexSet& set, nb::handle shape) {
                return Array(pv::mask_of(set, pv::AxisValues(integers_of(shape))));
            },
            nb::arg("shape"),
            "Bools of a shape, true at the row-major indexes of the set: lazy. IndexError of larger ones.")
        .def("_part", [](const IndexSet& set, pv::index_t begin, pv::index_t count) {
            std::vector<pv::index_t> part(
                static_cast<std::size_t>(std::clamp<pv::index_t>(set.size() - begin, 0, count)));
            set.read(begin, part);
            nb::list list;
            for (const pv::index_t index : part) list.append(index);
            return list;
        });
    bind_operator(type, "__or__", [](const IndexSet& a, const IndexSet& b) { return a | b; });
    bind_operator(type, "__and__", [](const IndexSet& a, const IndexSet& b) { return a & b; });
    bind_operator(type, "__sub__", [](const IndexSet& a, const IndexSet& b) { return a - b; });
    bind_operator(type, "__xor__", [](const IndexSet& a, const IndexSet& b) { return a ^ b; });
    bind_operator(type, "__eq__", [](const IndexSet& a, const IndexSet& b) { return a == b; });
    bind_operator(type, "__le__",
                  [](const IndexSet& a, const IndexSet& b) { return is_subset(a, b); });
    bind_operator(type, "__ge__",
                  [](const IndexSet& a, const IndexSet& b) { return is_subset(b, a); });
    bind_operator(type, "__lt__", [](const IndexSet& a, const IndexSet& b) {
        return a.size() < b.size() && is_subset(a, b);
    });
    bind_operator(type, "__gt__", [](const IndexSet& a, const IndexSet& b) {
        return b.size() < a.size() && is_subset(b, a);
    });
    module.def("_index_set", [](nb::bytes bytes) {
        return IndexSet::deserialize(
            {static_cast<const std::byte*>(static_cast<const void*>(bytes.c_str())), bytes.size()});
    });
}

} // namespace purview_python
