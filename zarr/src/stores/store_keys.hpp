#pragma once

#include <purview/zarr/store.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::zarr {

/// Throws `FormatError` beginning with `where` unless `key` is a path that stays in its store: no
/// part of it is empty, `.` or `..`, and it has no zero byte.
void require_key(std::string_view key, const std::string& where);

/// The same for the name of an array, of which no part is called as metadata is.
void require_array_key(std::string_view key, const std::string& where);

/// `name` behind `folder`, with a slash between them unless one is empty.
std::string joined_key(std::string_view folder, std::string_view name);

/// The part of `value` that a range asks for.
Store::ByteRange range_within(Store::ByteRange range, index_t size) noexcept;

/// The next part behind `prefix` of a key, empty where it does not lie below it.
std::string_view part_below(std::string_view key, std::string_view prefix);

} // namespace purview::zarr
