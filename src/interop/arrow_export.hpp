#pragma once

#include <purview/interop/arrow_stream.hpp>

#include <string_view>

namespace purview::inline v0_1::arrow {

/// What `to_arrow` gives of one column, with strings in the format `text`, or in the one that they need for kAnyText. `CastError` naming the column
/// where they do not fit it.
Export exported_column(const Column& column, char text);
/// The same of a table, with one format for each column; those behind the end of `texts` are kAnyText.
PURVIEW_EXPORT Export exported_batch(const Columns& columns, std::string_view texts);

/// The format of strings that is asked for.
PURVIEW_EXPORT char text_format(ArrowText text);
/// The format of a column, or of what lies in its lists, if it is one of texts, else kAnyText.
PURVIEW_EXPORT char text_format(const Schema& column);

} // namespace purview::arrow
