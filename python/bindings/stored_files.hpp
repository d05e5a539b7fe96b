#pragma once

#include "array.hpp"

#include <purview/io/stored_array.hpp>

namespace purview_python {

/// What `purview._stored` makes an array of: the values, the shapes of chunks and shards, the names of axes, the attributes as JSON,
/// the codecs, and what a missing element is beside `_FillValue`.
nb::tuple stored_to_python(const pv::StoredArray& stored);
void bind_stored_files(nb::module_& module);

} // namespace purview_python
