// What traced functions return.

#include "outputs.hpp"

#include "as_array.hpp"
#include "interpreter_lock.hpp"

#include <utility>

namespace purview_python {
namespace {

nb::handle list_type() { return reinterpret_cast<PyObject*>(&PyList_Type); }
nb::handle tuple_type() { return reinterpret_cast<PyObject*>(&PyTuple_Type); }

/// Whether a list has arrays in it, or is one of numbers.
bool is_tree(nb::handle returned) {
    return nb::isinstance<nb::list>(returned) &&
           nb::cast<bool>(nb::module_::import_("purview._trees").attr("holds_arrays")(returned));
}

} // namespace

Outputs::Outputs(nb::handle returned) { add(returned); }

void Outputs::add(nb::handle returned) {
    const bool is_list = is_tree(returned);
    if (nb::isinstance<nb::dict>(returned)) {
        const auto dict = nb::borrow<nb::dict>(returned);
        parts_.push_back({dict.size(), nb::tuple(dict.keys())});
        for (nb::handle each : dict.values()) add_within(each);
    } else if (is_list || nb::isinstance<nb::tuple>(returned)) {
        const bool has_names = !is_list && has_attribute(returned.type(), "_make");
        parts_.push_back({nb::len(returned), has_names ? nb::borrow(returned.type())
                                             : is_list ? nb::borrow(list_type())
                                                       : nb::borrow(tuple_type())});
        for (nb::handle each : returned) add_within(each);
    } else {
        parts_.push_back({1, {}});
        arrays_.push_back(as_array(returned));
        ++count_;
    }
}

void Outputs::add_within(nb::handle returned) {
    if (returned.is_none())
        parts_.push_back({0, nb::none()});
    else
        add(returned);
}

nb::object Outputs::next_of(std::span<const Part>& parts, std::span<const Array>& arrays) {
    const Part& part = parts.front();
    parts = parts.subspan(1);
    if (!part.kind.is_valid()) {
        nb::object array = nb::cast(arrays.front());
        arrays = arrays.subspan(1);
        return array;
    }
    if (part.kind.is_none()) return nb::none();
    if (nb::isinstance<nb::tuple>(part.kind)) {
        nb::dict dict;
        for (nb::handle key : part.kind) dict[key] = next_of(parts, arrays);
        return dict;
    }
    nb::list list;
    for (std::size_t i = 0; i < part.length; ++i) list.append(next_of(parts, arrays));
    if (part.kind.is(list_type())) return list;
    return part.kind.is(tuple_type()) ? nb::object(nb::tuple(list)) : part.kind.attr("_make")(list);
}

nb::object Outputs::with(std::span<const Array> arrays) const {
    std::span<const Part> parts = parts_;
    return next_of(parts, arrays);
}

int Outputs::traverse(visitproc visit, void* arg) const {
    for (const Part& each : parts_) Py_VISIT(each.kind.ptr());
    return 0;
}

} // namespace purview_python
