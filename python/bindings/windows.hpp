#pragma once

#include "array.hpp"

#include <purview/functional/reductions/built_in_reduction.hpp>

#include <cstddef>
#include <span>

namespace purview_python {

/// What a function makes of the elements [begins[i], ends[i]) of memory of rank 1, behind other results; and these as an array. With
/// the interpreter's lock held.
void append_results(nb::handle function, const pv::Operand& values,
                    std::span<const pv::index_t> begins, std::span<const pv::index_t> ends,
                    nb::list& results);
Array array_of_results(const char* what, const nb::list& results);
/// New memory for the results of a reduction of elements of a type, and where it begins, null if it
/// is empty. Throws `DtypeError`.
pv::Operand memory_of_results(const char* what, const pv::BuiltInReduction& reduction,
                              pv::DType element, pv::ShapeSpan shape, std::byte*& out);
/// Reduces the elements [begins[i], ends[i]) of memory of rank 1, one range after the other.
void write_reductions(const pv::BuiltInReduction& reduction, pv::NanRule nan,
                      const pv::Operand& values, std::span<const pv::index_t> begins,
                      std::span<const pv::index_t> ends, std::byte* out);
void bind_windows(nb::module_& module);

} // namespace purview_python
