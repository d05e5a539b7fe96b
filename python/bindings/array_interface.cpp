// NumPy's array interface, the dict and the structure, in both directions.

#include "array_interface.hpp"

#include "copies.hpp"
#include "devices.hpp"
#include "dtypes.hpp"
#include "interpreter_lock.hpp"
#include "memory.hpp"
#include "text_caster.hpp"
#include "texts.hpp"
#include "time_units.hpp"

#include <purview/dtype/half.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/view_as.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

/// What a code of a type says: '<f4', '>M8[ns]', '|V2'.
struct TypeCode {
    std::endian order = std::endian::native;
    char kind = 0;
    pv::index_t size = 0;    ///< of an element, in bytes; of texts in code points
    std::string_view unit{}; ///< of times, with its brackets
};

std::optional<TypeCode> parsed_code(std::string_view text) {
    if (text.size() < 2) return {};
    TypeCode code;
    if (text[0] == '<') code.order = std::endian::little;
    if (text[0] == '>') code.order = std::endian::big;
    code.kind = text[1];
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + 2, end, code.size);
    code.unit = std::string_view(rest, static_cast<std::size_t>(end - rest));
    return code;
}

/// The type of ours that a code names: of numbers, or of times.
std::optional<pv::DType> type_of(const TypeCode& code, nb::handle object) {
    const bool is_time = code.kind == 'M' || code.kind == 'm';
    if (is_time && code.size == 8 && code.unit.size() > 2)
        return dtype_named((code.kind == 'M' ? "datetime64" : "timedelta64") +
                           std::string(code.unit));
    if (code.kind == 'V' && code.size == 2 && has_attribute(object, "dtype") &&
        has_attribute(object.attr("dtype"), "name")) // a type that was added to NumPy's
        return nb::cast<std::string>(nb::str(object.attr("dtype").attr("name"))) == "bfloat16"
                   ? std::optional(pv::bfloat16)
                   : std::nullopt;
    constexpr std::string_view kKnown[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2",
                                           "u4", "u8", "f2", "f4", "f8", "c8", "c16"};
    const std::string name = code.kind + std::to_string(code.size);
    if (std::ranges::find(kKnown, name) == std::ranges::end(kKnown)) return {};
    return dtype_named(name);
}

/// Whether times of ours have the unit that stands in brackets.
bool is_of_ours(std::string_view unit) {
    return std::ranges::any_of(time_units(), [&](const TimeUnit& each) {
        return unit.substr(1, unit.size() - 2) == each.name;
    });
}

/// NumPy's array of objects, if all are texts.
std::optional<Array> array_of_objects(nb::handle object) {
    if (!has_attribute(object, "ravel")) return {};
    std::vector<nb::object> texts;
    for (nb::handle each : object.attr("ravel")().attr("tolist")()) {
        if (!nb::isinstance<nb::str>(each)) return {};
        texts.push_back(nb::borrow(each));
    }
    if (texts.empty()) return {};
    pv::Shape shape;
    for (nb::handle extent : object.attr("shape"))
        shape.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(extent)));
    return array_of_texts(shape, texts);
}

pv::Shape shape_in(nb::handle extents) {
    pv::Shape shape;
    for (nb::handle extent : extents)
        shape.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(extent)));
    return shape;
}

/// Puts the place of the elements into `memory`, and returns what keeps them alive where that is no buffer: data is an address, a buffer, or the
/// object is one.
std::shared_ptr<OwnedObject> place_elements(pv::MemoryDescriptor& memory, pv::index_t item_size,
                                            nb::handle object, const nb::dict& interface) {
    const nb::object data = interface.contains("data") ? nb::object(interface["data"]) : nb::none();
    if (nb::isinstance<nb::tuple>(data)) {
        memory.pointer = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
        memory.read_only = nb::cast<bool>(data[1]);
        return std::make_shared<OwnedObject>(nb::make_tuple(object, interface)); // which may own it
    }
    const nb::object bytes =
        nb::steal(PyMemoryView_FromObject(data.is_none() ? object.ptr() : data.ptr()));
    if (!bytes.is_valid()) throw nb::python_error();
    Py_buffer view{};
    memory.read_only = nb::cast<bool>(bytes.attr("readonly"));
    if (PyObject_GetBuffer(bytes.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
    const pv::index_t length = view.len;
    auto* const begin = static_cast<std::byte*>(view.buf);
    PyBuffer_Release(&view); // the memoryview has it still
    const auto offset = static_cast<pv::index_t>(
        interface.contains("offset") ? nb::cast<Py_ssize_t>(interface["offset"]) : 0);
    pv::index_t first = offset;
    pv::index_t last = offset + item_size;
    for (std::size_t axis = 0; axis < memory.shape.size(); ++axis) {
        const pv::index_t extent = memory.shape[axis];
        if (extent == 0) first = last = 0;
        pv::index_t reach = 0;
        if (__builtin_mul_overflow(std::max<pv::index_t>(extent - 1, 0), memory.strides[axis],
                                   &reach) ||
            __builtin_add_overflow(reach < 0 ? first : last, reach, reach < 0 ? &first : &last))
            first = -1;
        if (extent <= 0 || first < 0) break;
    }
    if (first < 0 || last > length)
        throw nb::value_error(("__array_interface__: shape " + pv::to_string(memory.shape) +
                               " does not fit the " + std::to_string(length) + " bytes of its data")
                                  .c_str());
    memory.pointer = begin + offset;
    return std::make_shared<OwnedObject>(bytes);
}

std::optional<Array> array_of_dict(nb::handle object, const nb::dict& interface) {
    const auto text = nb::cast<std::string>(nb::str(interface["typestr"]));
    const std::optional<TypeCode> code = parsed_code(text);
    if (!code) return {};
    if (code->kind == 'O') return array_of_objects(object);
    if (interface.contains("mask") && !nb::object(interface["mask"]).is_none())
        throw nb::type_error("asarray: an array with a mask: give its values that are not masked");
    if ((code->kind == 'M' || code->kind == 'm') && code->unit.size() > 2 &&
        !is_of_ours(code->unit))
        return array_of_interface(
            nb::module_::import_("purview._times").attr("in_unit_of_ours")(object));
    const bool is_texts = code->kind == 'U' && code->size > 0;
    const std::optional<pv::DType> type =
        is_texts ? std::optional<pv::DType>(pv::uint32) : type_of(*code, object);
    if (!type) return {};
    const pv::index_t item_size = is_texts ? 4 * code->size : type->size_bytes();
    pv::MemoryDescriptor memory;
    memory.dtype = *type;
    memory.byte_order = code->order;
    memory.shape = shape_in(interface["shape"]);
    const nb::object strides =
        interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
    memory.strides =
        strides.is_none() ? strides_of_rows(memory.shape, item_size) : shape_in(strides);
    const std::shared_ptr<OwnedObject> owner = place_elements(memory, item_size, object, interface);
    if (is_texts) return array_of_code_points(memory, code->size, owner);
    return array_over(memory, owner, owner->object);
}

/// The structure that `__array_struct__` has in a capsule: PyArrayInterface of NumPy's headers.
struct InterfaceStruct {
    static constexpr int kIsWritable = 0x400;
    static constexpr int kIsInNativeOrder = 0x200;

    int two;
    int rank;
    char kind;
    int item_size;
    int flags;
    const std::intptr_t* shape;
    const std::intptr_t* strides;
    void* data;
    PyObject* description;
};

std::optional<Array> array_of_struct(nb::handle object, nb::object capsule) {
    const auto* const interface =
        static_cast<const InterfaceStruct*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (interface == nullptr) throw nb::python_error();
    if (interface->two != 2 || interface->rank < 0)
        throw nb::value_error("__array_struct__: the structure is not one of version 2");
    const std::optional<pv::DType> type =
        type_of({.kind = interface->kind, .size = interface->item_size}, object);
    if (!type) return {};
    constexpr std::endian kOther =
        std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    pv::MemoryDescriptor memory;
    memory.dtype = *type;
    memory.byte_order =
        (interface->flags & InterfaceStruct::kIsInNativeOrder) != 0 || type->size_bytes() == 1
            ? std::endian::native
            : kOther;
    memory.read_only = (interface->flags & InterfaceStruct::kIsWritable) == 0;
    memory.pointer = interface->data;
    for (int axis = 0; axis < interface->rank; ++axis)
        memory.shape.push_back(interface->shape[axis]);
    if (interface->strides == nullptr)
        memory.strides = strides_of_rows(memory.shape, type->size_bytes());
    else
        for (int axis = 0; axis < interface->rank; ++axis)
            memory.strides.push_back(interface->strides[axis]);
    const auto owner = std::make_shared<OwnedObject>(nb::make_tuple(object, capsule));
    return array_over(memory, owner, owner->object);
}

/// The code of a type for NumPy, in this machine's order of bytes.
std::string code_of(pv::DType type) {
    const std::string name(type.name());
    const std::string order = std::endian::native == std::endian::little ? "<" : ">";
    if (const std::size_t unit = name.find("64["); unit != std::string::npos)
        return order + (name[0] == 'd' ? "M8" : "m8") + name.substr(unit + 2);
    const char kind = type == pv::boolean                             ? 'b'
                      : pv::is_complex(type)                          ? 'c'
                      : type.is_floating() || type == pv::float16     ? 'f'
                      : type.is_integer() && name.starts_with("uint") ? 'u'
                                                                      : 'i';
    return (type.size_bytes() == 1 ? "|" : order) + kind + std::to_string(type.size_bytes());
}

} // namespace

Array counts_of(const Array& times) {
    if (pv::leaf_of(times.operand()) != nullptr) try {
            return pv::view_as(times, pv::int64);
        } catch (const pv::ShapeError&) { // read element by element
        }
    return pv::view_as(realised(times), pv::int64);
}

std::optional<Array> array_of_interface(nb::handle object) {
    if (PyType_Check(object.ptr())) return {}; // a class describes its objects
    if (has_attribute(object, "__array_interface__")) {
        const nb::object interface = object.attr("__array_interface__");
        if (nb::isinstance<nb::dict>(interface))
            if (std::optional<Array> array = array_of_dict(object, nb::borrow<nb::dict>(interface)))
                return array;
    }
    if (!has_attribute(object, "__array_struct__")) return {};
    nb::object capsule = object.attr("__array_struct__");
    if (PyCapsule_CheckExact(capsule.ptr()) == 0) return {};
    return array_of_struct(object, std::move(capsule));
}

nb::object interface_of(const Array& x) {
    if (is_text(x.dtype()) || x.dtype() == pv::bfloat16) {
        PyErr_SetString(
            PyExc_AttributeError,
            ("__array_interface__: NumPy's has no " + std::string(x.dtype().name())).c_str());
        throw nb::python_error(); // for NumPy, which then asks for __array__
    }
    if (is_on_device(x)) { // as for those: hasattr is asked, too
        PyErr_SetString(
            PyExc_AttributeError,
            "__array_interface__: the array lies on a device: x.to_device(\"cpu\") is a copy here");
        throw nb::python_error();
    }
    nb::dict interface;
    interface["version"] = 3;
    interface["typestr"] = code_of(x.dtype());
    nb::list shape;
    for (const pv::index_t extent : x.shape()) shape.append(extent);
    interface["shape"] = nb::tuple(shape);
    const std::optional<pv::MemoryDescriptor> memory = memory_in_place(x);
    if (memory) {
        interface["data"] =
            nb::make_tuple(reinterpret_cast<std::uintptr_t>(memory->pointer), memory->read_only);
        nb::list strides;
        for (const pv::index_t stride : memory->strides) strides.append(stride);
        interface["strides"] = x.is_contiguous() ? nb::object(nb::none()) : nb::tuple(strides);
    } else if (kind_of(x.dtype()).unit != nullptr) { // of which there are no buffers
        interface["data"] = nb::cast(counts_of(realised(x)));
    } else { // whoever asks the array for a buffer gets one of new memory
        interface["data"] = nb::none();
    }
    return interface;
}

} // namespace purview_python
