// Times by NumPy's array interface, and columns by Arrow's capsules.

#include "array.hpp"
#include "memory.hpp"
#include "times.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/view_as.hpp>

#include <nanobind/stl/string.h>

#include <bit>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace purview_python {
namespace {

template <typename T>
T* pointer_in(nb::handle capsule, const char* name) {
    auto* const pointer = static_cast<T*>(PyCapsule_GetPointer(capsule.ptr(), name));
    if (pointer == nullptr) throw nb::python_error();
    return pointer;
}

/// A capsule that releases what it holds, unless a consumer has moved it out.
template <typename T>
nb::object capsule_with(T content, const char* name) {
    auto held = std::make_unique<T>(content);
    PyObject* const capsule = PyCapsule_New(held.get(), name, [](PyObject* self) {
        const std::unique_ptr<T> owned(
            static_cast<T*>(PyCapsule_GetPointer(self, PyCapsule_GetName(self))));
        if (owned != nullptr && owned->release != nullptr) owned->release(owned.get());
    });
    if (capsule == nullptr) throw nb::python_error();
    static_cast<void>(held.release());
    return nb::steal(capsule);
}

/// NumPy's array of objects, if all are texts.
std::optional<Array> array_of_objects(nb::handle object) {
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

/// The counts of times, in place where they are memory.
Array counts_of(const Array& times) {
    if (pv::leaf_of(times.operand()) != nullptr) try {
            return pv::view_as(times, pv::int64);
        } catch (const pv::ShapeError&) { // read element by element
        }
    return pv::view_as(realised(times), pv::int64);
}

/// Times of Arrow's in memory, and as those that NumPy has: without a zone, too.
Array ours(const Array& values) {
    const std::string name(values.dtype().name());
    if (!name.contains("64[")) return values;
    return pv::counts_as_times(counts_of(values), dtype_named(name));
}

bool has_true(const pv::Tensor<bool>& mask) {
    for (pv::index_t i = 0; i < mask.size(); ++i)
        if (mask.read(i)) return true;
    return false;
}

/// The column of an array of Arrow's. Throws `TypeError` for a table.
pv::Column column_of(nb::handle object, const char* what) {
    if (nb::hasattr(object, "column_names")) {
        std::string names;
        for (nb::handle each : object.attr("column_names"))
            if (names.size() < 80)
                names += (names.empty() ? "'" : ", '") + nb::cast<std::string>(each) + "'";
        throw nb::type_error(
            (std::string(what) + ": a table is no array: give one column, x['name'], of " + names)
                .c_str());
    }
    nb::object whole = nb::borrow(object);
    if (!nb::hasattr(object, "__arrow_c_array__"))
        whole = nb::cast<Py_ssize_t>(object.attr("num_chunks")) == 1
                    ? object.attr("chunk")(0)
                    : object.attr("combine_chunks")();
    const nb::tuple capsules = nb::cast<nb::tuple>(whole.attr("__arrow_c_array__")());
    return pv::column_from_arrow(pointer_in<pv::arrow::Array>(capsules[1], "arrow_array"),
                                 pointer_in<pv::arrow::Schema>(capsules[0], "arrow_schema"));
}

template <typename... D>
pv::DType local_type(const TimeUnit& unit) {
    pv::DType found = unit.point;
    ((unit.duration == pv::kDType<D> ? void(found = pv::kDType<std::chrono::local_time<D>>)
                                     : void()),
     ...);
    return found;
}

template <typename X>
pv::arrow::Export export_of(const X& x, pv::index_t size) {
    return computing(size, [&] { return pv::to_arrow(x); });
}

/// An array for Arrow: NaT is missing, and time points have no zone.
pv::arrow::Export exported_of(const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr || x.rank() == 0) return export_of(x, x.size());
    using namespace std::chrono;
    const pv::DType type =
        kind.is_point
            ? local_type<nanoseconds, microseconds, milliseconds, seconds, minutes, hours>(
                  *kind.unit)
            : kind.unit->duration;
    Array counts = counts_of(x);
    if (x.rank() > 1) return export_of(pv::counts_as_times(counts, type), x.size());
    const pv::Tensor<bool> missing(realised(is_nat(counts.operand())).operand());
    if (!has_true(missing)) return export_of(pv::counts_as_times(counts, type), x.size());
    counts =
        realised(pv::any_where(missing.operand(), {pv::constant_operand(std::int64_t{0}), true},
                               {counts.operand(), false}));
    return export_of(pv::Column("", pv::counts_as_times(counts, type), missing), x.size());
}

} // namespace

std::optional<Array> array_of_interface(nb::handle object) {
    const nb::dict interface = nb::cast<nb::dict>(object.attr("__array_interface__"));
    const auto type = nb::cast<std::string>(interface["typestr"]);
    if (type == "|O") return array_of_objects(object);
    const bool is_texts = type.size() > 2 && type[1] == 'U';
    if (!is_texts && (type.size() < 4 || (type[1] != 'M' && type[1] != 'm'))) return {};
    pv::MemoryDescriptor memory;
    const pv::index_t width = is_texts ? std::stoll(type.substr(2)) : 0;
    memory.dtype =
        is_texts ? pv::uint32
                 : dtype_named((type[1] == 'M' ? "datetime64" : "timedelta64") + type.substr(3));
    memory.byte_order = type[0] == '>' ? std::endian::big : std::endian::little;
    const nb::tuple data = nb::cast<nb::tuple>(interface["data"]);
    memory.pointer = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
    memory.read_only = nb::cast<bool>(data[1]);
    for (nb::handle extent : nb::cast<nb::tuple>(interface["shape"]))
        memory.shape.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(extent)));
    const nb::object strides =
        interface.contains("strides") ? nb::object(interface["strides"]) : nb::none();
    if (strides.is_none()) {
        memory.strides = pv::row_major_strides(memory.shape);
        for (pv::index_t& stride : memory.strides)
            stride *= is_texts ? 4 * width : memory.dtype.size_bytes();
    } else {
        for (nb::handle stride : strides)
            memory.strides.push_back(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(stride)));
    }
    if (is_texts)
        return array_of_code_points(memory, width, owner_of(nb::make_tuple(object, interface)));
    return pv::wrap_described(memory,
                              owner_of(nb::make_tuple(object, interface))); // which may own it
}

bool is_arrow(nb::handle object) {
    return nb::hasattr(object, "__arrow_c_array__") ||
           (nb::hasattr(object, "__arrow_c_stream__") &&
            (nb::hasattr(object, "num_chunks") || nb::hasattr(object, "column_names")));
}

Array array_of_arrow(nb::handle object) {
    const pv::Column column = column_of(object, "asarray");
    const bool has_gaps = computing(column.rows(), [&] { return has_true(column.missing); });
    if (!has_gaps) return ours(column.values);
    throw pv::FormatError(
        "asarray: the Arrow array has missing values: fill them first, or pv.from_arrow(x) for values and mask");
}

void bind_interop(nb::module_& module, nb::class_<Array>& array) {
    module.def(
        "from_arrow",
        [](nb::handle object) {
            if (!is_arrow(object))
                throw nb::type_error(
                    ("from_arrow: no array of Arrow's: " + class_name(object)).c_str());
            const pv::Column column = column_of(object, "from_arrow");
            return nb::make_tuple(ours(column.values), Array(column.missing));
        },
        nb::arg("x"),
        "The values of an array of Arrow's, in chunks or not, in place where Arrow has them so, and which of them are missing.");
    array.def(
        "__arrow_c_array__",
        [](const Array& x, nb::handle) {
            pv::arrow::Export exported = exported_of(x);
            pv::arrow::Array elements{};
            pv::arrow::Schema schema{};
            exported.move_to(&elements, &schema);
            const nb::object first = capsule_with(schema, "arrow_schema");
            return nb::make_tuple(first, capsule_with(elements, "arrow_array"));
        },
        nb::arg("requested_schema") = nb::none());
    array.def(
        "__array__",
        [](const Array& x, nb::handle dtype, nb::handle copy) {
            const nb::module_ numpy = nb::module_::import_("numpy");
            if (is_text(x.dtype())) { // with the widest text's width, unless objects are asked for
                nb::object texts = numpy.attr("array")(texts_to_python(x), nb::arg("dtype") = "O")
                                       .attr("reshape")(nb::cast(x).attr("shape"));
                return texts.attr("astype")(dtype.is_none() ? nb::object(nb::str("U"))
                                                            : nb::borrow(dtype));
            }
            const bool is_time = x.dtype().name().contains("64[");
            const nb::object memory = is_time ? nb::cast(counts_of(x)) : nb::cast(x);
            nb::object result =
                numpy.attr("asarray")(nb::steal(PyMemoryView_FromObject(memory.ptr())));
            if (is_time) result = result.attr("view")(std::string(x.dtype().name()));
            if (!dtype.is_none()) result = result.attr("astype")(dtype);
            return copy.is_none() || !nb::cast<bool>(copy) ? result
                                                           : nb::object(result.attr("copy")());
        },
        nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
}

} // namespace purview_python
