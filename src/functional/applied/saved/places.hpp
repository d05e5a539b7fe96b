#pragma once

#include <purview/expression/leaf.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace purview::inline v0_1::saved {

/// Where the elements of a tensor lie: in a file, of which the path is relative to a folder.
struct Place {
    std::string path;
    index_t offset = 0; ///< in bytes
};

/// The place of a leaf that is a mapped file in `folder`, one element behind the other; nothing for
/// others.
std::optional<Place> place_in(const std::filesystem::path& folder, const Leaf& leaf);

/// The elements of a place. Throws `FormatError` for a path that is not a file's in the folder, and for
/// elements beyond its end.
Operand opened(const std::filesystem::path& folder, std::string_view path, index_t offset,
               DType dtype, index_t count);

} // namespace purview::saved
