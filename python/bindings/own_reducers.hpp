#pragma once

#include "array.hpp"

#include <purview/functional/reductions/reduce_by.hpp>

#include <memory>
#include <vector>

namespace purview_python {

/// A reducer that is an object: one's own, made of functions of Python, or one of the library's sketches.
struct OwnReducer {
    std::shared_ptr<const pv::FunctionReducer> functions;
    std::vector<double> quantiles{}; ///< that a sketch estimates
    bool list = false;
};
/// Null for other objects.
const OwnReducer* own_reducer_in(nb::handle object);

void bind_own_reducers(nb::module_& module);

} // namespace purview_python
