// Columns by Arrow's capsules.

#include "interop.hpp"

#include "array_interface.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "devices.hpp"
#include "dtypes.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "memory.hpp"
#include "text_caster.hpp"
#include "texts.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/dtype/half.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/interop/arrow.hpp>
#include <purview/interop/arrow_stream.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/view_as.hpp>

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

bool has_true(const pv::Tensor<bool>& mask) {
    for (pv::index_t i = 0; i < mask.size(); ++i)
        if (mask.read(i)) return true;
    return false;
}

/// Throws `TypeError` that names the columns, where a schema is that of a table.
void refuse_table(const char* what, const pv::arrow::Schema& schema) {
    if (schema.release == nullptr || schema.format == nullptr ||
        std::string_view(schema.format) != "+s")
        return;
    std::string names;
    for (std::int64_t c = 0; c < schema.n_children && names.size() < 80; ++c) {
        const char* const name = schema.children[c]->name;
        names += (names.empty() ? "'" : ", '") + std::string(name == nullptr ? "" : name) + "'";
    }
    throw nb::type_error(
        (std::string(what) + ": a table is no array: give one column, x['name'], of " + names)
            .c_str());
}

/// The column in what has one of Arrow's protocols. Throws `TypeError` for a table.
pv::Column column_of(nb::handle object, const char* what) {
    if (has_attribute(object, "__arrow_c_array__")) {
        const nb::object capsules = object.attr("__arrow_c_array__")();
        if (!nb::isinstance<nb::tuple>(capsules) || nb::len(capsules) != 2)
            throw nb::type_error((std::string(what) +
                                  ": __arrow_c_array__ gives two capsules, not " +
                                  message_text(capsules))
                                     .c_str());
        auto* const schema = pointer_in<pv::arrow::Schema>(capsules[0], "arrow_schema");
        refuse_table(what, *schema);
        return pv::column_from_arrow(pointer_in<pv::arrow::Array>(capsules[1], "arrow_array"),
                                     schema);
    }
    const nb::object capsule = object.attr("__arrow_c_stream__")();
    auto* const stream = pointer_in<pv::arrow::Stream>(capsule, "arrow_array_stream");
    if (stream->release != nullptr && stream->get_schema != nullptr) {
        pv::arrow::Schema schema{};
        const int failure = stream->get_schema(stream, &schema);
        const std::unique_ptr<pv::arrow::Schema, void (*)(pv::arrow::Schema*)> held(
            &schema, [](pv::arrow::Schema* s) {
                if (s->release != nullptr) s->release(s);
            });
        if (failure == 0) refuse_table(what, schema);
    }
    return pv::column_from_arrow_stream(stream);
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

pv::arrow::Export exported_of(const Array& x) {
    if (kind_of(x.dtype()).unit == nullptr || x.rank() == 0) return export_of(x, x.size());
    return export_of(column_for_arrow("", x), x.size());
}

/// NumPy's array of bfloat16: by the package ml_dtypes, else, if another type is asked for, of float32.
nb::object of_bfloat16(const Array& x, nb::handle dtype) {
    const nb::module_ numpy = nb::module_::import_("numpy");
    const auto in_numpy = [&](Array numbers) {
        const nb::object memory = nb::cast(std::move(numbers));
        return numpy.attr("asarray")(nb::steal(PyMemoryView_FromObject(memory.ptr())));
    };
    const bool keeps =
        dtype.is_none() ||
        nb::cast<std::string>(nb::str(numpy.attr("dtype")(dtype).attr("name"))) == "bfloat16";
    if (!keeps) return in_numpy(cast_to(x, pv::float32));
    nb::object type;
    try {
        type = nb::module_::import_("ml_dtypes").attr("bfloat16");
    } catch (const nb::python_error&) {
        throw nb::type_error(
            "NumPy has no bfloat16: np.asarray(x, 'float32'), or install the package ml_dtypes");
    }
    const bool in_place = memory_in_place(x).has_value();
    return in_numpy(pv::view_as(in_place ? x : realised(x), pv::uint16)).attr("view")(type);
}

/// The numbers that a format of Arrow's names.
std::optional<pv::DType> numbers_named(std::string_view format) {
    constexpr std::pair<std::string_view, std::string_view> kFormats[] = {
        {"c", "int8"},    {"C", "uint8"},   {"s", "int16"},  {"S", "uint16"},
        {"i", "int32"},   {"I", "uint32"},  {"l", "int64"},  {"L", "uint64"},
        {"e", "float16"}, {"f", "float32"}, {"g", "float64"}};
    for (const auto& [known, name] : kFormats)
        if (known == format) return dtype_named(name);
    return {};
}

/// The numbers of an array as those that a consumer asks for; other elements as they are. Throws `CastError` where integers change.
Array as_requested(const Array& x, nb::handle requested) {
    if (requested.is_none()) return x;
    const auto* const schema = pointer_in<pv::arrow::Schema>(requested, "arrow_schema");
    const auto type = numbers_named(schema->format == nullptr ? "" : schema->format);
    const auto is_number = [](pv::DType t) {
        return t.is_integer() || t.is_floating() || t == pv::float16;
    };
    if (!type || *type == x.dtype() || !is_number(x.dtype())) return x;
    Array numbers = realised(cast_to(x, *type));
    const bool are_floats = !type->is_integer() && !x.dtype().is_integer();
    const Array back = cast_to(numbers, x.dtype());
    if (!are_floats &&
        has_true(pv::Tensor<bool>(realised(pv::any_binary(pv::Op::not_equal, {x.operand(), false},
                                                          {back.operand(), false}))
                                      .operand())))
        throw pv::CastError("__arrow_c_array__: not all of these " + std::string(x.dtype().name()) +
                            " are " + std::string(type->name()));
    return numbers;
}

} // namespace

Array in_numpys_times(const Array& values) {
    const std::string name(values.dtype().name());
    if (!name.contains("64[")) return values;
    return pv::counts_as_times(counts_of(values), dtype_named(name));
}

pv::Column column_for_arrow(std::string name, const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr || x.rank() == 0) return pv::Column(std::move(name), x);
    using namespace std::chrono;
    const pv::DType type =
        kind.is_point
            ? local_type<nanoseconds, microseconds, milliseconds, seconds, minutes, hours>(
                  *kind.unit)
            : kind.unit->duration;
    Array counts = counts_of(x);
    if (x.rank() > 1) return pv::Column(std::move(name), pv::counts_as_times(counts, type));
    const pv::Tensor<bool> missing(realised(is_nat(counts.operand())).operand());
    if (!has_true(missing)) return pv::Column(std::move(name), pv::counts_as_times(counts, type));
    counts =
        realised(pv::any_where(missing.operand(), {pv::constant_operand(std::int64_t{0}), true},
                               {counts.operand(), false}));
    return pv::Column(std::move(name), pv::counts_as_times(counts, type), missing);
}

bool is_arrow(nb::handle object) {
    return PyType_Check(object.ptr()) == 0 && (has_attribute(object, "__arrow_c_array__") ||
                                               has_attribute(object, "__arrow_c_stream__"));
}

Array array_of_arrow(nb::handle object) {
    const pv::Column column = column_of(object, "asarray");
    const bool has_gaps = computing(column.rows(), [&] { return has_true(column.missing); });
    if (!has_gaps) return in_numpys_times(column.values);
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
            return nb::make_tuple(in_numpys_times(column.values), Array(column.missing));
        },
        nb::arg("x"),
        "The values of one column that has a protocol of Arrow's (of pyarrow, Polars, pandas), in chunks or not, in place where Arrow has them so, and which of them are missing.");
    array.def(
        "__arrow_c_array__",
        [](const Array& x, nb::handle requested) {
            refuse_device("__arrow_c_array__", x);
            pv::arrow::Export exported = exported_of(as_requested(x, requested));
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
            refuse_device("__array__", x);
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
                x.dtype() == pv::bfloat16
                    ? of_bfloat16(x, dtype)
                    : numpy.attr("asarray")(nb::steal(PyMemoryView_FromObject(memory.ptr())));
            if (is_time) result = result.attr("view")(std::string(x.dtype().name()));
            if (!dtype.is_none()) result = result.attr("astype")(dtype);
            return copy.is_none() || !nb::cast<bool>(copy) ? result
                                                           : nb::object(result.attr("copy")());
        },
        nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none());
}

} // namespace purview_python
