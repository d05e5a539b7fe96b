#include <purview/zarr/create_zarr_group.hpp>

#include "metadata/array_keys.hpp"
#include "metadata/store_metadata.hpp"
#include "stores/store_at.hpp"
#include "stores/store_keys.hpp"
#include "text/json.hpp"

#include <purview/base/errors.hpp>
#include <purview/zarr/open_zarr.hpp>

#include <fmt/format.h>

#include <span>

namespace purview::inline v0_1 {

StoredGroup create_zarr_group(const std::shared_ptr<Store>& store, const std::string& name,
                              const Attributes& attributes, int format) {
    const std::string what = fmt::format("create_zarr_group: {}", store->name());
    const std::string where = name.empty() ? what : fmt::format("{}, '{}'", what, name);
    if (!name.empty()) zarr::require_array_key(name, where);
    if (format != 2 && format != 3)
        throw FormatError(fmt::format("{}: format {} is neither 2 nor 3", where, format));
    Json::Value given =
        zarr::parse_json(std::as_bytes(std::span(attributes.json())), where + ", attributes");
    zarr::object_of(given, "attributes", where);
    const auto there = zarr::StoreMetadata(store, name).node(name);
    if (there && there->is_array)
        throw FormatError(fmt::format("{}: is an array and no group", where));
    if (there) format = there->format;
    // Those above what would lie in it.
    zarr::update_groups(*store, zarr::joined_key(name, "_"), format, what);
    Json::Value node(Json::objectValue);
    if (format == 3) {
        node["zarr_format"] = 3;
        node["node_type"] = "group";
        node["attributes"] = given;
    }
    const std::string text = zarr::json_text(format == 3 ? node : given);
    store->put(zarr::joined_key(name, format == 3 ? "zarr.json" : ".zattrs"),
               std::as_bytes(std::span(text)));
    return open_zarr_group(store, name);
}

StoredGroup create_zarr_group(const std::string& path, const Attributes& attributes, int format) {
    const auto [store, name] = zarr::place_at(path, "create_zarr_group");
    return create_zarr_group(store, name, attributes, format);
}

} // namespace purview
