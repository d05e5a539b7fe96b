#pragma once

#include "array.hpp"

#include <purview/functional/reductions/chosen_reducer.hpp>

#include <span>
#include <vector>

namespace purview_python {

/// `function(arguments)`, lazy, of elements over the union of the dims of the arguments.
nb::object map_over_dims(const nb::object& function, const nb::tuple& arguments);
/// A reduction of an array over dims and positional axes.
nb::object reduce_over_dims(const char* name, const pv::BuiltInReduction& reduction, nb::handle x,
                            nb::handle axis, bool keep);
/// Several in one pass, one's own too, with their policies for NaN; `name` is named in errors.
std::vector<nb::object> reduce_each_over_dims(const char* name,
                                              std::span<const pv::ChosenReducer> reducers,
                                              nb::handle x, nb::handle axis, bool keep);
void bind_dim_functions(nb::module_& module);

} // namespace purview_python
