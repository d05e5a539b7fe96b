#include "stores/store_keys.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::zarr {

void require_key(std::string_view key, const std::string& where) {
    std::string_view left = key;
    while (true) {
        const std::size_t slash = left.find('/');
        const std::string_view part = left.substr(0, slash);
        if (part.empty() || part == "." || part == ".." ||
            part.find('\0') != std::string_view::npos)
            throw FormatError(fmt::format("{}: {} is no key of a store", where, npy::quoted(key)));
        if (slash == std::string_view::npos) return;
        left.remove_prefix(slash + 1);
    }
}

void require_array_key(std::string_view key, const std::string& where) {
    require_key(key, where);
    for (std::string_view rest = key; !rest.empty();) {
        const std::string_view part = rest.substr(0, rest.find('/'));
        rest.remove_prefix(std::min(rest.size(), part.size() + 1));
        for (const std::string_view file :
             {"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata"})
            if (part == file)
                throw FormatError(fmt::format("{}: '{}' is a name of metadata", where, part));
    }
}

std::string joined_key(std::string_view folder, std::string_view name) {
    if (folder.empty()) return std::string(name);
    if (name.empty()) return std::string(folder);
    return fmt::format("{}/{}", folder, name);
}

Store::ByteRange range_within(Store::ByteRange range, index_t size) noexcept {
    const index_t begin =
        range.offset < 0 ? std::max<index_t>(0, size + range.offset) : std::min(range.offset, size);
    return {begin, std::clamp<index_t>(range.bytes, 0, size - begin)};
}

std::string_view part_below(std::string_view key, std::string_view prefix) {
    if (!prefix.empty()) {
        if (key.size() <= prefix.size() + 1 || !key.starts_with(prefix) ||
            key[prefix.size()] != '/')
            return {};
        key.remove_prefix(prefix.size() + 1);
    }
    return key.substr(0, key.find('/'));
}

} // namespace purview::zarr
