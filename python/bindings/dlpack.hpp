#pragma once

#include "array.hpp"

namespace purview_python {

/// The array in a capsule of DLPack's, in place; and an array as one, of the version asked for.
Array array_of_dlpack(nb::handle object);
nb::object to_dlpack(const Array& x, nb::handle stream, nb::handle max_version, nb::handle device,
                     nb::handle copy);

} // namespace purview_python
