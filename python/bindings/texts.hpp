#pragma once

#include "array.hpp"

#include <purview/interop/descriptor.hpp>

#include <memory>
#include <string>
#include <vector>

namespace purview_python {

bool is_text(pv::DType dtype);
/// The UTF-8 of a Python text; surrogates are the bytes that os.fsdecode makes them of. Throws what Python raises for others.
std::string text_of(nb::handle object);
/// A text as a constant; an array of texts in row-major order; and one as nested lists.
pv::Operand text_operand(nb::handle text);
Array array_of_texts(pv::ShapeSpan shape, const std::vector<nb::object>& texts);
nb::object texts_to_python(const Array& x);
/// The texts in NumPy's memory of code points, `width` for each element; the type of `memory` is not looked at.
Array array_of_code_points(pv::MemoryDescriptor memory, pv::index_t width,
                           std::shared_ptr<const void> owner);

} // namespace purview_python
