#pragma once

#include "array.hpp"
#include "cycles.hpp"
#include "interpreter_lock.hpp"

#include <purview/expression/leaf.hpp>
#include <purview/interop/descriptor.hpp>

#include <memory>
#include <optional>
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
/// Told by `__array_interface__`: who had no buffer asks for one again.
void interface_is_asked(const PyObject* self);

} // namespace purview_python
