#include "metadata/array_keys.hpp"

#include "stores/store_keys.hpp"
#include "text/json.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::zarr {
namespace {

/// Whether the first part of a key below an array is that of a chunk: `c`, `c.1.2`, `1`, `1.2`.
bool begins_chunk_key(std::string_view part, const ArrayMetadata& array) {
    if (array.keys.begins_with_c) {
        if (part == "c") return array.keys.separator == '/' || array.shape.empty();
        if (array.keys.separator == '/' || !part.starts_with("c.")) return false;
        part.remove_prefix(2);
    }
    const auto separators = std::count(part.begin(), part.end(), '.');
    const auto most =
        array.keys.separator == '/' ? 0 : std::max<index_t>(std::ssize(array.shape), 1) - 1;
    return separators == most && !part.empty() && part.front() != '.' && part.back() != '.' &&
           part.find("..") == part.npos && part.find_first_not_of("0123456789.") == part.npos;
}

std::vector<std::string> chunk_keys(const Store& store, const std::string& path,
                                    const ArrayMetadata& array) {
    std::vector<std::string> keys = store.list(path);
    std::erase_if(keys, [&](const std::string& part) { return !begins_chunk_key(part, array); });
    return keys;
}

/// Of a writer that was killed.
bool is_left_over(std::string_view part) {
    return part.starts_with(".purview-") || part.ends_with(".partial");
}

/// Throws unless below `key` lie chunks alone. However deep: what was left may be of an array of more axes.
void require_chunks_below(const Store& store, const std::string& key, const std::string& where) {
    for (const std::string& part : store.list(key)) {
        if (is_left_over(part)) continue;
        const std::string below = joined_key(key, part);
        if (part.find_first_not_of("0123456789") != part.npos)
            throw FormatError(fmt::format("{}: '{}' is no chunk of the array, and would be removed "
                                          "with those",
                                          where, below));
        require_chunks_below(store, below, where);
    }
}

void put_text(Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

} // namespace

bool has_chunks(const Store& store, const std::string& path, const ArrayMetadata& array) {
    return !chunk_keys(store, path, array).empty();
}

void require_chunks_alone(const Store& store, const std::string& path, const ArrayMetadata& array,
                          const std::string& where) {
    for (const std::string& key : chunk_keys(store, path, array))
        require_chunks_below(store, joined_key(path, key), where);
}

void erase_array(Store& store, const std::string& path, const ArrayMetadata& array) {
    // First what makes it an array, so that a process that is killed meanwhile leaves no damaged one.
    for (const char* const file : {"zarr.json", ".zarray", ".zattrs"})
        store.erase(joined_key(path, file));
    for (const std::string& key : chunk_keys(store, path, array))
        store.erase_all(joined_key(path, key));
}

void update_groups(Store& store, const std::string& path, int format, const std::string& what) {
    for (std::string group = path; !group.empty();) {
        group.resize(group.find('/') == group.npos ? 0 : group.rfind('/'));
        const std::string where = group.empty() ? what : fmt::format("{}, '{}'", what, group);
        const std::string key = joined_key(group, "zarr.json");
        std::optional<Json::Value> node;
        if (const auto text = store.get(key)) node = parse_json(*text, where);
        if ((node && (*node)["node_type"] == "array") || store.size(joined_key(group, ".zarray")))
            throw FormatError(fmt::format("{}: is an array and no group", where));
        if (node && node->isMember("consolidated_metadata")) {
            node->removeMember("consolidated_metadata");
            put_text(store, key, json_text(*node));
        }
        store.erase(joined_key(group, ".zmetadata"));
        if (format == 3 && !node)
            put_text(store, key, R"({"zarr_format": 3, "node_type": "group", "attributes": {}})");
        if (format == 2 && !store.size(joined_key(group, ".zgroup")))
            put_text(store, joined_key(group, ".zgroup"), R"({"zarr_format": 2})");
    }
}

} // namespace purview::zarr
