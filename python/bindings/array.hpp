#pragma once

#include <purview/evaluation/progress.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/tensor/any_tensor.hpp>

#include <nanobind/nanobind.h>

#include "interpreter_lock.hpp"
#include "truth.hpp"

#include <limits>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {

namespace nb = nanobind;
namespace pv = purview;

/// What Python calls `Array`: a tensor whose element type is known at run time.
using Array = pv::AnyTensor;

/// The class `Array` of Python, from when the module is made until the interpreter ends.
extern PyTypeObject* array_type;

/// The array in an object of the class; null for another object, and for `Array.__new__(Array)`.
inline const Array* array_in(nb::handle object) noexcept {
    PyTypeObject* const type = Py_TYPE(object.ptr());
    if (type != array_type && PyType_IsSubtype(type, array_type) == 0) return nullptr;
    return nb::inst_ready(object) ? nb::inst_ptr<Array>(object) : nullptr;
}
/// The array whose slot is called.
inline const Array& self_in(nb::handle object) {
    if (const Array* const array = array_in(object)) return *array;
    throw nb::type_error("an Array is made by a function: asarray");
}
/// A new object of the class, with the array that `make` returns, which is not moved.
template <typename Make>
nb::object object_made(Make&& make) {
    nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(array_type));
    new (nb::inst_ptr<Array>(object)) Array(std::forward<Make>(make)());
    nb::inst_mark_ready(object);
    return object;
}
/// The same with an array: what `nb::cast` makes, without a look-up of the class.
inline nb::object object_of(Array&& array) {
    return object_made([&]() -> Array&& { return std::move(array); });
}

enum class Copying : std::uint8_t { never, if_needed, always };

/// An array of any Python object: see `asarray`. Throws `TypeError` naming its type.
Array as_array(nb::handle object, std::optional<pv::DType> dtype = {},
               Copying copy = Copying::if_needed);
/// The same, or nothing for an object that is no array.
std::optional<Array> try_array(nb::handle object);
/// Values to write, among which a number, Python's or NumPy's, is weak: it has to fit. Nothing for what are none.
std::optional<pv::WeakOperand> try_values(nb::handle object);
/// An operand of an operation: a Python number is weak, one of NumPy's has its type. Nothing for what is no operand.
std::optional<pv::WeakOperand> try_operand(nb::handle object);
/// The same. Throws `TypeError` naming the type of what is no operand.
pv::WeakOperand operand_of(nb::handle object);

/// Whether an object is a Dim, an expression of dims, or an array with bound dims.
bool has_dims(nb::handle object);
/// Whether dims are in a key, which then selects and writes elements over dims.
bool names_dims(nb::handle key);
nb::object select_dims(nb::handle x, nb::handle key);
/// `function(arguments)`, lazy, of elements over the union of the dims of the arguments.
nb::object map_over_dims(const nb::object& function, const nb::tuple& arguments);
/// A reduction of an array over dims and positional axes.
nb::object reduce_over_dims(const char* name, const pv::BuiltInReduction& reduction, nb::handle x,
                            nb::handle axis, bool keep);
void assign_dims(nb::handle x, nb::handle key, nb::handle values);

/// The element type that a Python object names: one of ours, a string, a Python type, NumPy's.
pv::DType dtype_of(nb::handle object);
/// The element type of a name, NumPy's. Throws `DtypeError`.
pv::DType dtype_named(std::string_view name);

/// The name of the class of an object.
std::string class_name(nb::handle object);
/// A Python number as a constant; nothing for another object.
std::optional<pv::Operand> try_number(nb::handle object);
/// A list, a tuple or a range.
bool is_sequence(nb::handle object);
/// An array of nested sequences. Throws `ShapeError`, `TypeError`.
Array array_of_sequence(nb::handle object);
/// The only element. Throws `ShapeError`.
nb::object element_to_python(const Array& x);
nb::object elements_to_list(const Array& x);

bool is_text(pv::DType dtype);
/// A text as a constant; an array of texts in row-major order; and one as nested lists.
pv::Operand text_operand(nb::handle text);
Array array_of_texts(pv::ShapeSpan shape, const std::vector<nb::object>& texts);
nb::object texts_to_python(const Array& x);
/// Whether the elements are computed in time proportional to what is stored.
bool is_sparse(const Array& x);
/// Copies the elements to new memory, in row-major order. Throws `KindError` for a sparse array of more than 2³⁰ elements.
Array realised(const Array& x);
/// The same; a sparse array gives sparse pairs.
Array copied(const Array& x);
/// Memory that a function has made, which may be written.
inline Array owned(const pv::Operand& made) { return Array::writable(made); }
inline Array owned(const pv::TensorHandle& made) { return owned(made.operand()); }
/// An array of rank 0 as a value of its own, which nothing writes to: no view, and read now, unless a function is traced.
Array element_value(const Array& element);
/// The elements of another type: lazy.
Array cast_to(const Array& x, pv::DType dtype);

/// Ends work of this thread that takes long where Python has a signal to handle, Ctrl-C for one.
class Interruptible {
public:
    Interruptible();
    /// Throws what the handler of the signal has raised, after the work was cancelled.
    [[noreturn]] static void rethrow();

private:
    pv::ProgressRegistration registration_;
};

/// What Python shows of an object, for a message: in one line.
std::string told(nb::handle object);

/// In a handler of a slot: the exception that is being handled becomes Python's error.
void set_python_error();
/// What `work` returns, as a slot of a type returns it.
template <typename F>
PyObject* as_slot(F&& work) noexcept {
    try {
        return std::forward<F>(work)().release().ptr();
    } catch (...) {
        set_python_error();
        return nullptr;
    }
}

/// Whether some array calls functions of Python, for which the thread that computes may need the interpreter's lock.
bool calls_python() noexcept;

/// Whether this thread traces a function, in which reductions are recorded instead of computed.
bool is_tracing() noexcept;
/// New memory of indeterminate elements.
Array new_array(pv::DType type, pv::ShapeSpan shape);

/// What so many steps for each element come to, at most as much as can be counted: a broadcast array may have 1e18 elements.
constexpr pv::index_t steps(pv::index_t elements, pv::index_t of_each) noexcept {
    constexpr pv::index_t kMost = std::numeric_limits<pv::index_t>::max();
    return elements > kMost / of_each ? kMost : elements * of_each;
}
/// Runs `work` without the interpreter's lock, where it takes long enough.
template <typename F>
decltype(auto) computing(pv::index_t elements, F&& work) {
    constexpr pv::index_t kShort = 4096;
    constexpr pv::index_t kLong = 1 << 22;
    if (elements < kShort && !calls_python()) return work();
    if (elements < kLong && !calls_python()) { // a function of Python may take any time
        const Unlocked unlocked;
        return work();
    }
    try {
        const Unlocked unlocked;
        const Interruptible interruptible;
        return work();
    } catch (const pv::Cancelled&) {
        Interruptible::rethrow();
    }
}

/// The memory that `__array_interface__` or `__array_struct__` describes, in place. Nothing where there is none, or for types that are not ours.
std::optional<Array> array_of_interface(nb::handle object);
/// What `__array_interface__` of an array is. Throws `AttributeError` where NumPy has no such type.
nb::object interface_of(const Array& x);
/// The counts of times, in place where they are memory.
Array counts_of(const Array& times);
/// Whether an object is an array of Arrow's, in chunks or not, or a table.
bool is_arrow(nb::handle object);
/// The values of one. Throws `TypeError` for a table, `FormatError` where some are missing.
Array array_of_arrow(nb::handle object);

void bind_errors(nb::module_& module);
void bind_dtypes(nb::module_& module);
void bind_array(nb::module_& module, nb::class_<Array>& array);
void bind_interop(nb::module_& module, nb::class_<Array>& array);
void bind_callbacks(nb::module_& module);
void bind_compile(nb::module_& module);
/// Slots of the class, which Python calls without a look-up of a method.
void add_operators(std::vector<PyType_Slot>& slots);
void add_indexing(std::vector<PyType_Slot>& slots);
void add_properties(std::vector<PyType_Slot>& slots);
void bind_elementwise(nb::module_& module);
void bind_manipulation(nb::module_& module);
void bind_creation(nb::module_& module);
void bind_along(nb::module_& module);
void bind_dims(nb::module_& module);
void bind_files(nb::module_& module);
void bind_reductions(nb::module_& module, nb::class_<Array>& array);
void bind_sparse(nb::module_& module, nb::class_<Array>& array);
void bind_sparse_files(nb::module_& module);
void bind_images(nb::module_& module);
void bind_strings(nb::module_& module);
void bind_times(nb::module_& module);
void bind_statistics(nb::module_& module);
void bind_whole_arrays(nb::module_& module);
void bind_lanes(nb::module_& module);
void bind_windows(nb::module_& module);
void bind_groups(nb::module_& module);
void bind_catalogue(nb::module_& module);
void bind_index_sets(nb::module_& module);

} // namespace purview_python
