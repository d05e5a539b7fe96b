#pragma once

#include "array.hpp"

#include <purview/interop/descriptor.hpp>

#include <memory>

namespace purview_python {

/// A Python object as the owner of memory: its last reference is dropped with the interpreter's lock held.
std::shared_ptr<const void> owner_of(nb::object object);

/// The memory of an object that has the buffer protocol, in place. Nothing where its elements are of no type of ours.
std::optional<Array> array_of_buffer(nb::handle object);
/// Exports an array by the buffer protocol: in place where it lies in memory, else a copy that belongs to the consumer.
int fill_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

/// The array in a capsule of DLPack's, in place; and an array as one, of the version asked for.
Array array_of_dlpack(nb::handle object);
nb::object to_dlpack(const Array& x, nb::handle stream, nb::handle max_version, nb::handle device,
                     nb::handle copy);
/// The texts in NumPy's memory of code points, `width` for each element; the type of `memory` is not looked at.
Array array_of_code_points(pv::MemoryDescriptor memory, pv::index_t width,
                           std::shared_ptr<const void> owner);

/// Throws `MemoryError` that tells the bytes and the shape.
[[noreturn]] void throw_no_memory(const char* what, pv::DType type, pv::ShapeSpan shape);
/// What `work` returns, which allocates an array of a shape.
template <typename F>
decltype(auto) allocating(const char* what, pv::DType type, pv::ShapeSpan shape, F&& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw_no_memory(what, type, shape);
    }
}

} // namespace purview_python
