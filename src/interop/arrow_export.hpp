#pragma once

#include <purview/interop/arrow.hpp>

#include <string_view>

namespace purview::inline v0_1::arrow {

/// What `to_arrow` gives of one column, with strings in the format `text`, or in the one that they need for kAnyText. `CastError` naming the column
/// where they do not fit it.
Export exported_column(const Column& column, char text);
/// The same of a table, with one format for each column; those behind the end of `texts` are kAnyText.
Export exported_batch(const Columns& columns, std::string_view texts);

} // namespace purview::arrow
