#include "metadata/store_metadata.hpp"

#include "stores/store_keys.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::zarr {

StoreMetadata::StoreMetadata(std::shared_ptr<const Store> store, std::string root)
    : store_(std::move(store)), root_(std::move(root)) {
    if (!root_.empty()) require_key(root_, fmt::format("open_zarr: {}", store_->name()));
    const std::string place = where(root_);
    const std::string key = joined_key(root_, "zarr.json");
    std::optional<Json::Value> own = read(key);
    std::string file;
    Json::Value all;
    if (own) {
        own->removeMember("consolidated_metadata", &all);
        object_of(all, "consolidated_metadata", place);
        file = "/zarr.json";
    } else if (std::optional<Json::Value> old = read(joined_key(root_, ".zmetadata"))) {
        all = *std::move(old);
    }
    known_[key] = own ? *std::move(own) : Json::Value();
    if (!all.isObject()) return;
    is_consolidated_ = true;
    object_of(all["metadata"], "metadata", place);
    // Moved, as of a thousand arrays copying takes as long as reading.
    Json::Value& metadata = all["metadata"];
    for (const std::string& path : metadata.getMemberNames())
        known_.emplace(joined_key(root_, path + file), std::move(metadata[path]));
}

std::string StoreMetadata::where(const std::string& path) const {
    if (path.empty()) return fmt::format("open_zarr: {}", store_->name());
    return fmt::format("open_zarr: {}, '{}'", store_->name(), path);
}

std::optional<Json::Value> StoreMetadata::read(const std::string& key) const {
    const std::optional<Store::Bytes> text = store_->get(key, {0, kMaxMetadataBytes + 1});
    if (!text) return std::nullopt;
    const std::string place = where(key);
    if (std::ssize(*text) > kMaxMetadataBytes)
        throw FormatError(
            fmt::format("{}: has more than {} bytes of metadata", place, kMaxMetadataBytes));
    return parse_json(*text, place);
}

std::optional<Json::Value> StoreMetadata::known(const std::string& path, const char* file) const {
    const std::string key = joined_key(path, file);
    const auto found = known_.find(key);
    if (found == known_.end()) return is_consolidated_ ? std::nullopt : read(key);
    if (found->second.isNull()) return std::nullopt;
    return object_of(found->second, file, where(path));
}

std::optional<StoreMetadata::Node> StoreMetadata::node(const std::string& path) const {
    const std::string place = where(path);
    if (!path.empty()) require_key(path, where(""));
    Node result;
    if (std::optional<Json::Value> value = known(path, "zarr.json")) {
        integer_of(member(*value, "zarr_format", place), "zarr_format", 3, 3, place);
        const std::string type = text_of(member(*value, "node_type", place), "node_type", place);
        if (type != "array" && type != "group")
            throw FormatError(fmt::format("{}: node_type is neither 'array' nor 'group'", place));
        result.is_array = type == "array";
        result.attributes = object_of((*value)["attributes"], "attributes", place);
        result.value = *std::move(value);
        return result;
    }
    result.format = 2;
    std::optional<Json::Value> value = known(path, ".zarray");
    result.is_array = value.has_value();
    if (!value) value = known(path, ".zgroup");
    if (!value) return std::nullopt;
    result.value = *std::move(value);
    if (std::optional<Json::Value> attributes = known(path, ".zattrs"))
        result.attributes = *std::move(attributes);
    return result;
}

std::optional<bool> StoreMetadata::is_array(const std::string& path) const {
    if (!is_consolidated_) {
        const std::optional<Node> found = node(path);
        return found ? std::optional(found->is_array) : std::nullopt;
    }
    const auto has = [&](const char* file) {
        const auto found = known_.find(joined_key(path, file));
        return found != known_.end() && !found->second.isNull();
    };
    if (const auto found = known_.find(joined_key(path, "zarr.json"));
        found != known_.end() && found->second.isObject())
        return found->second["node_type"] == "array";
    if (has(".zarray")) return true;
    return has(".zgroup") ? std::optional(false) : std::nullopt;
}

std::vector<std::string> StoreMetadata::names(const std::string& path) const {
    if (!is_consolidated_) return store_->list(path);
    std::vector<std::string> names;
    for (const auto& [key, value] : known_) {
        const std::string_view part = part_below(key, path);
        if (part.empty() || part.front() == '.' || part == "zarr.json") continue;
        if (names.empty() || names.back() != part) names.emplace_back(part);
    }
    return names;
}

ArrayMetadata array_metadata(const StoreMetadata::Node& node, const std::string& where) {
    return node.format == 3 ? metadata_of_format_3(node.value, where)
                            : metadata_of_format_2(node.value, node.attributes, where);
}

} // namespace purview::zarr
