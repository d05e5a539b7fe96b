#include "functional/applied/saved/places.hpp"

#include <purview/base/errors.hpp>
#include <purview/reader/mapped_file.hpp>

#include "dtype/stored_types.hpp"
#include "reader/file_mappings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace purview::inline v0_1::saved {
namespace {

namespace fs = std::filesystem;

/// The path of a file below a folder, without links; nothing if it does not lie there.
std::optional<fs::path> below(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const fs::path root = fs::canonical(folder, error);
    if (error) return std::nullopt;
    const fs::path whole = fs::canonical(file, error);
    if (error || !fs::is_regular_file(whole, error) || error) return std::nullopt;
    const auto [in_root, in_file] = std::ranges::mismatch(root, whole);
    if (in_root != root.end() || in_file == whole.end()) return std::nullopt;
    return whole.lexically_relative(root);
}

} // namespace

std::optional<Place> place_in(const fs::path& folder, const Leaf& leaf) {
    if (folder.empty() || !leaf.memory() || leaf.size() == 0 ||
        leaf.memory().stride_bytes != leaf.dtype().size_bytes())
        return std::nullopt;
    const std::optional<FileMapping> mapping = mapping_at(leaf.memory().data);
    if (!mapping || mapping->is_private) return std::nullopt;
    const std::optional<fs::path> path = below(folder, mapping->path);
    if (!path) return std::nullopt;
    return Place{path->generic_string(),
                 static_cast<const std::byte*>(leaf.memory().data) - mapping->first};
}

Operand opened(const fs::path& folder, std::string_view given, index_t offset, DType dtype,
               index_t count) {
    if (folder.empty())
        throw FormatError(fmt::format(
            "computation: elements lie in the file '{}': say in which folder, by LoadOptions::places",
            given));
    const fs::path path(given);
    // The system would read the path up to a zero byte.
    const bool leads_out = path.is_absolute() || given.empty() || given.contains('\0') ||
                           std::ranges::find(path, fs::path("..")) != path.end();
    const std::optional<fs::path> found = leads_out ? std::nullopt : below(folder, folder / path);
    if (!found)
        throw FormatError(
            fmt::format("computation: '{}' is no file in the folder '{}'", given, folder.string()));
    const MappedFile file((folder / *found).string());
    return visit_stored_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
        return Operand{make_node<Leaf>(mapped_const_buffer<T>(file, offset, count)),
                       Dimensions::row_major(ShapeSpan(&count, 1))};
    });
}

} // namespace purview::saved
