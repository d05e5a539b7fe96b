#pragma once

#include "array.hpp"

#include <memory>

namespace purview_python {

/// A Python object as the owner of memory: its last reference is dropped with the interpreter's lock held.
std::shared_ptr<const void> owner_of(nb::object object);

/// The memory of an object that has the buffer protocol, in place. Nothing where its elements are of no type of ours.
std::optional<Array> array_of_buffer(nb::handle object);
/// Exports an array by the buffer protocol: in place where it lies in memory, else a copy that belongs to the consumer.
int fill_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

} // namespace purview_python
