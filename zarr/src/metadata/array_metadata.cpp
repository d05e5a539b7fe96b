#include "metadata/array_metadata.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace purview::inline v0_1::zarr {
namespace {

Shape shape_of(const std::vector<index_t>& extents) {
    return Shape(extents.begin(), extents.end());
}

/// Names of format 3, any of which may be null.
std::vector<std::string> names_of_axes(const Json::Value& names, std::size_t rank,
                                       const std::string& where) {
    if (names.isNull()) return {};
    if (!names.isArray() || names.size() != rank)
        throw FormatError(fmt::format("{}: dimension_names {} are not one for each of {} axes",
                                      where, npy::quoted(json_text(names)), rank));
    std::vector<std::string> result;
    for (const Json::Value& name : names)
        result.push_back(name.isNull() ? std::string() : text_of(name, "dimension_names", where));
    return result;
}

char separator_of(const Json::Value& separator, const char* otherwise, const std::string& where) {
    const std::string text =
        separator.isNull() ? std::string(otherwise) : text_of(separator, "separator", where);
    if (text != "/" && text != ".")
        throw FormatError(
            fmt::format("{}: the separator {} is no slash and no dot", where, npy::quoted(text)));
    return text.front();
}

void require_known(const Json::Value& array, std::span<const std::string_view> known,
                   const std::string& where) {
    for (const std::string& name : array.getMemberNames()) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const Json::Value& part = array[name];
        if (part.isObject() && part["must_understand"].isBool() &&
            !part["must_understand"].asBool())
            continue;
        throw FormatError(fmt::format("{}: has a part {}, which would have to be understood", where,
                                      npy::quoted(name)));
    }
}

} // namespace

std::string ChunkKeys::key(ShapeSpan at) const {
    std::string result = begins_with_c ? "c" : at.empty() ? "0" : "";
    for (const index_t i : at) {
        if (!result.empty()) result += separator;
        result += fmt::format("{}", i);
    }
    return result;
}

void require_grid(const ArrayMetadata& array, const std::string& where) {
    if (array.chunk.size() != array.shape.size())
        throw FormatError(fmt::format("{}: chunks of shape {} are not of the rank of shape {}",
                                      where, to_string(array.chunk), to_string(array.shape)));
    try {
        checked_size(array.shape, "shape");
        checked_size(array.chunk, "chunk");
    } catch (const ShapeError& error) {
        throw FormatError(fmt::format("{}: {}", where, error.what()));
    }
    array.codecs.most_encoded(array.chunk, where);
}

ArrayMetadata metadata_of_format_3(const Json::Value& array, const std::string& where) {
    constexpr std::array<std::string_view, 11> kKnown{
        "zarr_format",          "node_type",          "shape",      "data_type",
        "chunk_grid",           "chunk_key_encoding", "fill_value", "codecs",
        "storage_transformers", "dimension_names",    "attributes"};
    require_known(array, kKnown, where);
    if (const Json::Value& transformers = array["storage_transformers"]; !transformers.empty())
        throw FormatError(fmt::format("{}: storage_transformers {} are not understood", where,
                                      npy::quoted(json_text(transformers))));
    ArrayMetadata result;
    result.shape = shape_of(extents_of(member(array, "shape", where), "shape", 0, where));
    const NamedPart grid = named_part(member(array, "chunk_grid", where), "chunk_grid", where);
    if (grid.name != "regular")
        throw FormatError(fmt::format("{}: chunk_grid {} is not understood, only 'regular'", where,
                                      npy::quoted(grid.name)));
    result.chunk = shape_of(
        extents_of(member(grid.configuration, "chunk_shape", where), "chunk_shape", 1, where));
    const NamedPart keys =
        named_part(member(array, "chunk_key_encoding", where), "chunk_key_encoding", where);
    if (keys.name != "default" && keys.name != "v2")
        throw FormatError(fmt::format("{}: chunk_key_encoding {} is not understood", where,
                                      npy::quoted(keys.name)));
    result.keys.begins_with_c = keys.name == "default";
    result.keys.separator =
        separator_of(keys.configuration["separator"], keys.name == "default" ? "/" : ".", where);
    const StoredType type = type_of_format_3(member(array, "data_type", where), where);
    result.fill = fill_of(member(array, "fill_value", where), type, 3, where);
    result.codecs =
        codecs_of_format_3(member(array, "codecs", where), type, result.fill, result.chunk, where);
    result.dimension_names = names_of_axes(array["dimension_names"], result.shape.size(), where);
    result.attributes = object_of(array["attributes"], "attributes", where);
    require_grid(result, where);
    return result;
}

ArrayMetadata metadata_of_format_2(const Json::Value& array, const Json::Value& attributes,
                                   const std::string& where) {
    if (integer_of(member(array, "zarr_format", where), "zarr_format", 2, 2, where) != 2) return {};
    ArrayMetadata result;
    result.shape = shape_of(extents_of(member(array, "shape", where), "shape", 0, where));
    result.chunk = shape_of(extents_of(member(array, "chunks", where), "chunks", 1, where));
    result.keys = {false, separator_of(array["dimension_separator"], ".", where)};
    const StoredType type = type_of_format_2(member(array, "dtype", where), where);
    result.fill = fill_of(array["fill_value"], type, 2, where);
    result.codecs = codecs_of_format_2(array, type, result.chunk, where);
    result.attributes = attributes;
    // What xarray writes; of another length, they are no names of these axes.
    const Json::Value& names = attributes["_ARRAY_DIMENSIONS"];
    if (names.isArray() && names.size() == result.shape.size() &&
        std::all_of(names.begin(), names.end(), [](const Json::Value& n) { return n.isString(); }))
        result.dimension_names = names_of_axes(names, result.shape.size(), where);
    require_grid(result, where);
    return result;
}

} // namespace purview::zarr
