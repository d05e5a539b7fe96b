// The library's exceptions as Python's: classes of purview._errors, each of which is also the builtin one that users would expect.

#include "errors.hpp"

#include "raised.hpp"
#include "text_caster.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/explained_call.hpp>
#include <purview/linalg/matrix_function.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <typeinfo>
#include <utility>

namespace purview_python {
namespace {

const char* name_of(const pv::Error& error) {
    if (dynamic_cast<const pv::ShapeError*>(&error) != nullptr) return "ShapeError";
    if (dynamic_cast<const pv::IndexError*>(&error) != nullptr) return "IndexError";
    if (dynamic_cast<const pv::CastError*>(&error) != nullptr) return "CastError";
    if (dynamic_cast<const pv::DtypeError*>(&error) != nullptr) return "DtypeError";
    if (dynamic_cast<const pv::KindError*>(&error) != nullptr) return "KindError";
    if (dynamic_cast<const pv::ReadOnlyError*>(&error) != nullptr) return "ReadOnlyError";
    if (dynamic_cast<const pv::LinearAlgebraError*>(&error) != nullptr) return "LinAlgError";
    if (dynamic_cast<const pv::ArithmeticError*>(&error) != nullptr) return "ArithmeticError";
    if (dynamic_cast<const pv::DimError*>(&error) != nullptr) return "DimError";
    if (dynamic_cast<const pv::SymbolError*>(&error) != nullptr) return "SymbolError";
    if (dynamic_cast<const pv::FormatError*>(&error) != nullptr) return "FormatError";
    if (dynamic_cast<const pv::DeviceError*>(&error) != nullptr) return "DeviceError";
    if (dynamic_cast<const pv::MemoryLimitError*>(&error) != nullptr) return "MemoryLimitError";
    return "ArgumentError";
}

using Word = std::pair<std::string_view, std::string_view>;
/// Names that begin messages, and Python's; of some there is none that tells more.
constexpr Word kNames[] = {{"all_of", "all"},
                           {"any_of", "any"},
                           {"bit_and", "bitwise_and"},
                           {"bit_not", "bitwise_invert"},
                           {"bit_or", "bitwise_or"},
                           {"bit_xor", "bitwise_xor"},
                           {"cast", "astype"},
                           {"close_to", "isclose"},
                           {"diff1d", "diff"},
                           {"dtype_from_name", "dtype"},
                           {"new_axis", "expand_dims"},
                           {"product", "prod"},
                           {"rotate", "roll"},
                           {"search", "binary_search"},
                           {"shift_left", "bitwise_left_shift"},
                           {"shift_right", "bitwise_right_shift"},
                           {"signum", "sign"},
                           {"sq", "square"},
                           {"square_root", "sqrt"},
                           {"to_arrow", "from_arrow"},
                           {"transpose", "permute_dims"},
                           {"assign", ""},
                           {"operation", ""},
                           {"row_major", ""},
                           {"select", ""},
                           {"SparseBuffer", ""},
                           {"sparse_pairs", ""},
                           {"strided", ""}};
constexpr Word kWords[] = {{"which throw_nan refuses", "which nan=\"raise\" refuses"},
                           {"call set_size with a smaller one", "give it a smaller size"},
                           {"call set_size", "set its size"},
                           {"where(is_nat(t), another, t)", "where(isnat(x), another, x)"},
                           {"keep_dims", "keepdims"},
                           {"assign and add_to write there", "x[...] = values writes there"},
                           {"read: it is computed", "read: it is computed, realise() it first"},
                           {"a tensor", "an array"},
                           {"tensor", "array"}};

/// The same of purview::gpu, which are replaced wherever they stand.
constexpr Word kCalls[] = {
    {"to_device(x) or to_host(x)", "x.to_device(name) or x.to_device(\"cpu\")"},
    {"use purview::to_dlpack, or gpu::to_device", "use __dlpack__, or x.to_device(name)"},
    {"gpu::to_dlpack", "__dlpack__"},
    {"gpu::from_dlpack", "from_dlpack"},
    {"gpu::to_host(x)", "x.to_device(\"cpu\")"},
    {"to_host(x)", "x.to_device(\"cpu\")"}};

/// The message of an error in words of Python.
std::string in_python(std::string text) {
    const std::size_t colon = text.find(": ");
    for (const auto& [ours, python] : kNames)
        if (colon == ours.size() && text.starts_with(ours))
            text.replace(0, colon + (python.empty() ? 2 : 0), python);
    for (const auto& [ours, python] : kCalls)
        if (const std::size_t at = text.find(ours); at != std::string::npos)
            text.replace(at, ours.size(), python);
    const auto is_name = [&](std::size_t at) { // of a function, or in quotes: of a file or a dim
        return (at > 0 && text[at - 1] == '_') ||
               std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\'') % 2;
    };
    for (const auto& [ours, python] : kWords)
        for (std::size_t at = 0; (at = text.find(ours, at)) != std::string::npos;) {
            if (!is_name(at)) text.replace(at, ours.size(), python);
            ++at;
        }
    return text;
}

void set_error_of(const pv::Error& error) {
    const nb::object type = nb::module_::import_("purview._errors").attr(name_of(error));
    const nb::object message =
        nb::steal(text_of_bytes(in_python(error.what()))); // names of files may be no UTF-8
    if (message.is_valid()) PyErr_SetObject(type.ptr(), message.ptr());
}

void translate(const std::exception_ptr& thrown, void*) {
    if (thrown == nullptr)
        wait_for_the_end(); // the thread is unwound, as the interpreter has ended
    try {
        std::rethrow_exception(thrown);
    } catch (const Raised& error) {
        error.set();
    } catch (const pv::Error& error) {
        set_error_of(error);
    } catch (const pv::ExplainedCall& call) {
        PyErr_SetString(nb::module_::import_("purview._core").attr("_ExplainedCall").ptr(),
                        call.how.c_str());
    } catch (
        const std::bad_cast&) { // of an argument's part: nanobind would make a RuntimeError of it
        PyErr_SetString(PyExc_TypeError,
                        "an argument, or a part of it, has another type than the function takes");
    }
}

} // namespace

std::string class_name(nb::handle object) {
    return nb::cast<std::string>(
        nb::handle(reinterpret_cast<PyObject*>(Py_TYPE(object.ptr()))).attr("__name__"));
}

std::string message_text(nb::handle object) {
    return nb::cast<std::string>(nb::str(" ").attr("join")(nb::repr(object).attr("split")()));
}

namespace {

void set_error_of_thrown() {
    try {
        throw;
    } catch (nb::python_error& error) {
        error.restore();
    } catch (const Raised& error) {
        error.set();
    } catch (const pv::Error& error) {
        set_error_of(error);
    } catch (const nb::builtin_exception& error) {
        const bool is_of_type = error.type() == nb::exception_type::type_error;
        PyErr_SetString(is_of_type ? PyExc_TypeError : PyExc_ValueError, error.what());
    } catch (const nb::cast_error&) {
        PyErr_SetString(PyExc_TypeError, "an argument is of the wrong type");
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
}

} // namespace

void set_python_error() { running_python(set_error_of_thrown); }

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

} // namespace purview_python
