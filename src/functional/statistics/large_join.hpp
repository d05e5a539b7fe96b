#pragma once

#include <purview/functional/statistics/join.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// The join of keys over arrays of chunks that are larger than half of what the memory limit leaves; nothing for others, and for
/// strings. Each chunk is read once. What is held counts towards the limit. Where the right side fits, the left is joined to it
/// block by block; otherwise rows of both sides go to temporary files, parted by a hash of their keys, and pairs of the parts come
/// to their places by a merge. Results larger than the limit are arrays of chunks in a temporary file.
std::optional<JoinedRows> large_join(const KeyColumns& left, const KeyColumns& right,
                                     JoinKind kind);

} // namespace purview
