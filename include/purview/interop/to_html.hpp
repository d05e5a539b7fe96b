#pragma once

#include <purview/tensor/any_tensor.hpp>

#include <string>

namespace purview::inline v0_1 {

/// A tensor as an HTML table with a caption, for notebooks and reports: `float64 [2 3]` above its
/// rows and columns, which are headed by their indexes. A tensor of rank 1 is a row; those of more
/// than two axes are tables of tables. Elements are written as `operator<<` writes them, and of
/// more than 1000 elements, axes longer than 6 are shown without their middle, as `…`. What HTML
/// would understand otherwise is escaped; the tables have the class `purview`. Reads the elements
/// that are shown.
PURVIEW_EXPORT std::string to_html(const AnyTensor& tensor);

} // namespace purview
