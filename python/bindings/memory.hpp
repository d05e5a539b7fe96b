#pragma once

#include "array.hpp"
#include "cycles.hpp"

#include <purview/expression/leaf.hpp>
#include <purview/interop/descriptor.hpp>

#include <memory>
#include <utility>

namespace purview_python {

/// A Python object as the owner of memory: its reference is dropped with the interpreter's lock held.
struct OwnedObject {
    nb::object object;
    CycleMember member{};

    explicit OwnedObject(nb::object held) : object(std::move(held)) {}
    OwnedObject(const OwnedObject&) = delete;
    OwnedObject& operator=(const OwnedObject&) = delete;
    ~OwnedObject();
};
/// An array of memory that `owner` keeps alive, which holds a reference to `object`: a cycle through both is collected.
template <typename Owner>
Array array_over(const pv::MemoryDescriptor& memory, const std::shared_ptr<Owner>& owner,
                 nb::handle object) {
    Array array = pv::wrap_described(memory, owner);
    if (const pv::Leaf* const leaf = pv::leaf_of(array.operand()))
        owner->member.list(object, leaf->shared_reader(), owner);
    return array;
}

/// Releases a buffer that was taken, with the interpreter's lock.
struct TakenBuffer {
    Py_buffer view{};
    CycleMember member{};

    TakenBuffer() = default;
    TakenBuffer(const TakenBuffer&) = delete;
    TakenBuffer& operator=(const TakenBuffer&) = delete;
    ~TakenBuffer() {
        if (view.obj == nullptr || !nb::is_alive()) return;
        const Locked locked;
        member.unlist();
        PyBuffer_Release(&view);
    }
};

/// The strides, in bytes, of elements in row-major order without gaps.
pv::Shape strides_of_rows(pv::ShapeSpan shape, pv::index_t item_size);
/// Where the elements of an array lie, in this machine's order of bytes; nothing where they do not: a copy has them so.
std::optional<pv::MemoryDescriptor> memory_in_place(const Array& x);

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
