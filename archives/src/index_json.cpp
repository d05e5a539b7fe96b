#include "index_json.hpp"

#include "io/json_text.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>

namespace purview::inline v0_1::archives {
namespace {

std::string number_json(const Attributes::Number& number) {
    const auto* const real = std::get_if<double>(&number);
    if (real == nullptr)
        return std::visit([](auto whole) { return fmt::format("{}", whole); }, number);
    const std::string text = json::text_of(*real);
    return std::isfinite(*real) ? text : json::text_of(std::string_view(text));
}

Attributes::Number number_of(const Json::Value& value, const std::string& where) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (value.isInt64()) return std::int64_t{value.asInt64()};
    if (value.isUInt64()) return std::uint64_t{value.asUInt64()};
    if (value.isDouble()) return value.asDouble();
    const std::string text = zarr::text_of(value, "missing", where);
    if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity") return kInfinity;
    if (text == "-Infinity") return -kInfinity;
    throw FormatError(fmt::format("{}: 'missing' is no number", where));
}

bool are_finite(const Json::Value& value) {
    if (value.type() == Json::realValue) return std::isfinite(value.asDouble());
    return std::all_of(value.begin(), value.end(),
                       [](const Json::Value& each) { return are_finite(each); });
}

std::string attributes_json(const Attributes& attributes) {
    const std::string& text = attributes.json();
    if (text.find("NaN") == std::string::npos && text.find("Infinity") == std::string::npos)
        return text;
    const Json::Value parsed = zarr::parse_json(std::as_bytes(std::span(text)), "open_many");
    return are_finite(parsed) ? text : json::text_of(std::string_view(text));
}

Attributes attributes_in(const Json::Value& value, const std::string& where) {
    if (!value.isString()) return zarr::attributes_of(zarr::object_of(value, "attributes", where));
    const std::string text = value.asString();
    return zarr::attributes_of(zarr::parse_json(std::as_bytes(std::span(text)), where));
}

} // namespace

std::string texts_json(const std::vector<std::string>& texts) {
    std::vector<std::string> quoted;
    for (const std::string& text : texts) quoted.push_back(json::text_of(std::string_view(text)));
    return fmt::format("[{}]", fmt::join(quoted, ", "));
}

std::string extents_json(const Shape& shape) {
    return fmt::format("[{}]", fmt::join(shape.begin(), shape.end(), ", "));
}

std::string about_json(const StoredArray& about) {
    return fmt::format(R"({{"attributes": {}, "dimension_names": {}, "chunks": {}, "shards": {}, )"
                       R"("codecs": {}, "missing": {}}})",
                       attributes_json(about.attributes), texts_json(about.dimension_names),
                       extents_json(about.chunk_shape), extents_json(about.shard_shape),
                       json::text_of(std::string_view(about.codecs)),
                       about.missing ? number_json(*about.missing) : "null");
}

Json::Value& list_of(Json::Value& object, const char* name, const std::string& where) {
    Json::Value& list = object[name];
    if (!list.isArray()) throw FormatError(fmt::format("{}: '{}' is no list", where, name));
    return list;
}

std::vector<std::string> names_of_axes(Json::Value& object, std::size_t rank,
                                       const std::string& where) {
    std::vector<std::string> names;
    for (const Json::Value& name : list_of(object, "dimension_names", where))
        names.push_back(zarr::text_of(name, "a name", where));
    if (!names.empty() && names.size() != rank)
        throw FormatError(fmt::format("{}: has {} dimension_names ({}), and {} axes", where,
                                      names.size(), fmt::join(names, ", "), rank));
    return names;
}

Shape shape_of(const Json::Value& value, const char* name, index_t least,
               const std::string& where) {
    return to_shape(zarr::extents_of(value, name, least, where));
}

std::shared_ptr<const StoredArray> about_of(Json::Value& value, std::size_t rank,
                                            const std::string& where) {
    if (!value.isObject()) throw FormatError(fmt::format("{}: 'about' has no objects", where));
    const auto extents_of = [&](const char* name) {
        const Shape extents = shape_of(value[name], name, 1, where);
        if (extents.size() != rank)
            throw FormatError(fmt::format("{}: '{}' are {}, of arrays that have {} axes", where,
                                          name, to_string(extents), rank));
        return extents;
    };
    StoredArray about;
    about.attributes = attributes_in(value["attributes"], where);
    about.dimension_names = names_of_axes(value, rank, where);
    about.chunk_shape = extents_of("chunks");
    about.shard_shape = extents_of("shards");
    about.codecs = zarr::text_of(value["codecs"], "codecs", where);
    if (!value["missing"].isNull()) about.missing = number_of(value["missing"], where);
    return std::make_shared<const StoredArray>(std::move(about));
}

} // namespace purview::archives
