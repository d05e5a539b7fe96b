// Arrays and groups in files and stores of any format.

#include "stored_files.hpp"

#include "array_class.hpp"
#include "interpreter_lock.hpp"

#include <purview/io/stored_group.hpp>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <new>
#include <string>

namespace purview_python {
namespace {

/// Without the interpreter's lock: where names are many, or far away, it takes long.
template <typename F>
decltype(auto) looking_up(F&& work) {
    const Unlocked unlocked;
    return work();
}

} // namespace

nb::tuple stored_to_python(const pv::StoredArray& stored) {
    return nb::make_tuple(stored.values, to_tuple(stored.chunk_shape), to_tuple(stored.shard_shape),
                          stored.dimension_names, stored.attributes.json(), stored.codecs);
}

void bind_stored_files(nb::module_& module) {
    // An array as one of a class of Python that derives from Array.
    module.def("_array_of_class", [](nb::handle type, const Array& values) {
        nb::object made = nb::inst_alloc(type);
        new (nb::inst_ptr<Array>(made)) Array(values);
        nb::inst_mark_ready(made);
        return made;
    });
    nb::class_<pv::StoredGroup>(module, "_StoredGroup")
        .def("attributes",
             [](const pv::StoredGroup& group) {
                 return looking_up([&] { return group.attributes().json(); });
             })
        .def(
            "arrays",
            [](const pv::StoredGroup& group) { return looking_up([&] { return group.arrays(); }); })
        .def(
            "groups",
            [](const pv::StoredGroup& group) { return looking_up([&] { return group.groups(); }); })
        .def("array",
             [](const pv::StoredGroup& group, const std::string& name) {
                 return stored_to_python(looking_up([&] { return group.array(name); }));
             })
        .def("group", [](const pv::StoredGroup& group, const std::string& name) {
            return looking_up([&] { return group.group(name); });
        });
}

} // namespace purview_python
