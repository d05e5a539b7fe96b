// The buffer protocol, in both directions (PEP 3118).

#include "memory.hpp"

#include "copies.hpp"
#include "devices.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"

#include <cstdio>

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/tensor/views.hpp>

#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

struct Format {
    pv::DType dtype;
    std::endian order = std::endian::native;
};

/// The element type of a format string of the struct module, of one item.
std::optional<Format> parse_format(std::string_view text, Py_ssize_t item_size) {
    Format format{pv::uint8};
    if (!text.empty() && std::string_view("@=<>!").contains(text.front())) {
        if (text.front() == '<') format.order = std::endian::little;
        if (text.front() == '>' || text.front() == '!') format.order = std::endian::big;
        text.remove_prefix(1);
    }
    // The size of an item says what a long is.
    const auto integer = [&](bool is_signed) -> std::optional<pv::DType> {
        switch (item_size) {
        case 1: return is_signed ? pv::int8 : pv::uint8;
        case 2: return is_signed ? pv::int16 : pv::uint16;
        case 4: return is_signed ? pv::int32 : pv::uint32;
        case 8: return is_signed ? pv::int64 : pv::uint64;
        default: return {};
        }
    };
    std::optional<pv::DType> type;
    if (text == "?")
        type = pv::boolean;
    else if (text == "e")
        type = pv::float16;
    else if (text == "f")
        type = pv::float32;
    else if (text == "d")
        type = pv::float64;
    else if (text == "Zf")
        type = pv::complex_dtype(pv::float32);
    else if (text == "Zd")
        type = pv::complex_dtype(pv::float64);
    else if (text.size() == 1 && std::string_view("bhilqn").contains(text))
        type = integer(true);
    else if (text.size() == 1 && std::string_view("BHILQNc").contains(text))
        type = integer(false);
    if (!type || type->size_bytes() != item_size) return {};
    format.dtype = *type;
    return format;
}

const char* format_of(pv::DType type) {
    switch (type.id()) {
    case pv::TypeId::boolean: return "?";
    case pv::TypeId::int8: return "b";
    case pv::TypeId::int16: return "h";
    case pv::TypeId::int32: return "i";
    case pv::TypeId::int64: return sizeof(long) == 8 ? "l" : "q"; // of its two, NumPy's int64
    case pv::TypeId::uint8: return "B";
    case pv::TypeId::uint16: return "H";
    case pv::TypeId::uint32: return "I";
    case pv::TypeId::uint64: return sizeof(long) == 8 ? "L" : "Q";
    case pv::TypeId::float32: return "f";
    case pv::TypeId::float64: return "d";
    case pv::TypeId::other: break;
    }
    if (type == pv::float16) return "e";
    if (type == pv::complex_dtype(pv::float32)) return "Zf";
    if (type == pv::complex_dtype(pv::float64)) return "Zd";
    return nullptr;
}

/// What memory is not like that a consumer asks for, as a message; null if it is.
const char* missing_order(const Array& x, int flags) {
    const auto asks = [flags](int what) { return (flags & what) == what; };
    const bool wants_rows = !asks(PyBUF_STRIDES) || asks(PyBUF_C_CONTIGUOUS);
    const bool wants_columns = asks(PyBUF_F_CONTIGUOUS);
    if (!wants_rows && !wants_columns && !asks(PyBUF_ANY_CONTIGUOUS)) return nullptr;
    const bool is_in_rows = x.is_contiguous();
    if (wants_rows)
        return is_in_rows
                   ? nullptr
                   : "the array is not contiguous in row-major order, and its strides are not "
                     "asked for: x.copy() is";
    if (is_in_rows && (!wants_columns || x.rank() < 2)) return nullptr;
    const Array columns(
        pv::transpose_operand(x.operand(), pv::reversed_axes(x.dimensions().max_shape())));
    return columns.is_contiguous() ? nullptr : "the array is not contiguous: x.copy() is";
}

/// What an exported buffer refers to.
struct Exported {
    Array array;
    std::vector<Py_ssize_t> shape;
    std::vector<Py_ssize_t> strides;
};

} // namespace

OwnedObject::~OwnedObject() {
    if (!nb::is_alive()) {
        static_cast<void>(object.release());
        return;
    }
    const Locked locked;
    member.unlist();
    object.reset();
}

pv::Shape strides_of_rows(pv::ShapeSpan shape, pv::index_t item_size) {
    pv::Shape strides = pv::row_major_strides(shape);
    for (pv::index_t& stride : strides) stride *= item_size;
    return strides;
}

std::optional<pv::MemoryDescriptor> memory_in_place(const Array& x) {
    if (pv::leaf_of(x.operand()) == nullptr) return {};
    try {
        pv::MemoryDescriptor memory = pv::describe(x);
        if (memory.byte_order == std::endian::native) return memory;
    } catch (const pv::ShapeError&) { // rotated, or a list of indexes
    }
    return {};
}

std::optional<Array> array_of_buffer(nb::handle object) {
    auto taken = std::make_shared<TakenBuffer>();
    Py_buffer& view = taken->view;
    bool writable = true;
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS) != 0) {
        PyErr_Clear();
        writable = false;
        if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_RECORDS_RO) != 0) {
            PyErr_Clear(); // elements without a format, datetime64
            return {};
        }
    }
    if (view.ndim > 0 && view.strides == nullptr &&
        (view.shape == nullptr || has_attribute(object, "dtype")))
        return {}; // the bytes of NumPy's scalars of times
    const std::optional<Format> format =
        parse_format(view.format != nullptr ? view.format : "B", view.itemsize);
    if (!format) return {};
    pv::MemoryDescriptor memory;
    memory.pointer = view.buf;
    memory.dtype = format->dtype;
    memory.byte_order = format->order;
    memory.read_only = !writable || view.readonly != 0;
    for (int axis = 0; axis < view.ndim; ++axis) memory.shape.push_back(view.shape[axis]);
    if (view.strides != nullptr)
        for (int axis = 0; axis < view.ndim; ++axis) memory.strides.push_back(view.strides[axis]);
    else
        memory.strides = strides_of_rows(memory.shape, view.itemsize); // of ctypes
    if (PyMemoryView_Check(object.ptr()) == 0) return array_over(memory, taken, view.obj);
    // Python ends when a memoryview dies that the collector of cycles has cleared while its buffer was taken. So another one is held, over what this one has.
    const auto owner =
        std::make_shared<OwnedObject>(nb::steal(PyMemoryView_FromObject(object.ptr())));
    if (!owner->object.is_valid()) throw nb::python_error();
    return array_over(memory, owner, owner->object);
}

namespace {

/// What the last buffer that this thread did not get has raised. NumPy clears it, an interrupt too, asks for `__array_interface__`, and then for a buffer without a
/// format, to write and to read: these raise it instead of computing once more.
struct Refused {
    PyObject* array = nullptr; ///< never followed
    bool is_asked_again = false;
    PyObject* error = nullptr;

    void forget() {
        array = nullptr;
        is_asked_again = false;
        Py_CLEAR(error);
    }
    void remember(PyObject* self) {
        PyObject *type = nullptr, *trace = nullptr;
        PyErr_Fetch(&type, &error, &trace);
        PyErr_NormalizeException(&type, &error, &trace);
        array = self;
        PyErr_Restore(type, Py_NewRef(error), trace);
    }
};
thread_local Refused refused;

} // namespace

void interface_is_asked(const PyObject* self) { refused.is_asked_again = refused.array == self; }

int fill_buffer(PyObject* self, Py_buffer* view, int flags) {
    view->obj = nullptr;
    if (refused.is_asked_again && refused.array == self && (flags & PyBUF_FORMAT) == 0) {
        PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(refused.error)), refused.error);
        return -1;
    }
    refused.forget();
    try {
        auto exported = std::make_unique<Exported>(nb::cast<const Array&>(nb::handle(self)));
        refuse_device("a buffer", exported->array);
        const char* const format = format_of(exported->array.dtype());
        if (format == nullptr) {
            PyErr_Format(PyExc_BufferError, "there is no buffer of %s",
                         std::string(exported->array.dtype().name()).c_str());
            return -1;
        }
        const bool wants_rows = (flags & PyBUF_STRIDES) != PyBUF_STRIDES;
        std::optional<pv::MemoryDescriptor> memory = memory_in_place(exported->array);
        const bool is_copy = !memory;
        // Of a copy, what is written would be lost.
        if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && (is_copy || memory->read_only)) {
            PyErr_SetString(PyExc_BufferError, "the array is read-only");
            return -1;
        }
        if (is_copy) {
            exported->array = realised(exported->array);
            memory = pv::describe(exported->array);
        }
        if (const char* const lacking = missing_order(exported->array, flags)) {
            PyErr_SetString(PyExc_BufferError, lacking);
            return -1;
        }
        for (const pv::index_t extent : memory->shape) exported->shape.push_back(extent);
        for (const pv::index_t stride : memory->strides) exported->strides.push_back(stride);
        view->buf = memory->pointer;
        view->len = exported->array.size_bytes();
        view->itemsize = exported->array.dtype().size_bytes();
        view->readonly = memory->read_only ? 1 : 0;
        view->ndim = exported->array.rank();
        view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format) : nullptr;
        view->shape = (flags & PyBUF_ND) != 0 ? exported->shape.data() : nullptr;
        view->strides = wants_rows ? nullptr : exported->strides.data();
        view->suboffsets = nullptr;
        view->internal = exported.release();
        view->obj = Py_NewRef(self);
        return 0;
    } catch (...) {
        set_python_error();
        refused.remember(self);
        return -1;
    }
}

void release_buffer(PyObject*, Py_buffer* view) { delete static_cast<Exported*>(view->internal); }

} // namespace purview_python
