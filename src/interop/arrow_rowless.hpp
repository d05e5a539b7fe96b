#pragma once

#include <purview/interop/arrow.hpp>

namespace purview::inline v0_1::arrow {

/// An array of no rows of the type that a schema says, to be released. Where the schema contradicts itself, it is one that is refused
/// when it is imported. Throws as `parse_format` does, `FormatError` for more columns than any table has.
Array rowless_array(const Schema& schema);

} // namespace purview::arrow
