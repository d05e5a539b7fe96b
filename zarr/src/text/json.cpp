#include "text/json.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <json/reader.h>
#include <json/writer.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

namespace purview::inline v0_1::zarr {
namespace {

/// As many axes as NumPy has.
constexpr Json::ArrayIndex kMaxRank = 64;

/// So many commas are metadata of fifty thousand arrays.
constexpr std::ptrdiff_t kMostValues = std::ptrdiff_t{1} << 21;

[[noreturn]] void throw_is_no(const char* name, const Json::Value& value, const char* what,
                              const std::string& where) {
    throw FormatError(
        fmt::format("{}: {} is {} and not {}", where, name, npy::quoted(json_text(value)), what));
}

} // namespace

Json::Value parse_json(std::span<const std::byte> text, const std::string& where) {
    // A value takes fifty times the memory of the two bytes that it may have here.
    if (std::count(text.begin(), text.end(), std::byte{','}) > kMostValues)
        throw FormatError(fmt::format("{}: has more than {} values", where, kMostValues));
    Json::CharReaderBuilder builder;
    builder.settings_["allowSpecialFloats"] = true;
    builder.settings_["allowComments"] = false;
    builder.settings_["allowTrailingCommas"] = false;
    builder.settings_["failIfExtra"] = true;
    builder.settings_["rejectDupKeys"] = true;
    builder.settings_["stackLimit"] = 100;
    const std::unique_ptr<Json::CharReader> reader(builder.newCharReader());
    const auto* const first = reinterpret_cast<const char*>(text.data());
    Json::Value value;
    std::string problems;
    bool parsed = false;
    try {
        parsed = reader->parse(first, first + text.size(), &value, &problems);
    } catch (const Json::Exception& exception) { // nested too deep, among others
        problems = exception.what();
    }
    if (!parsed) throw FormatError(fmt::format("{}: is no JSON: {}", where, npy::quoted(problems)));
    if (!value.isObject()) throw FormatError(fmt::format("{}: is no JSON object", where));
    return value;
}

std::string json_text(const Json::Value& value) {
    Json::StreamWriterBuilder builder;
    builder.settings_["indentation"] = "";
    builder.settings_["useSpecialFloats"] = true;
    builder.settings_["emitUTF8"] = true;
    return Json::writeString(builder, value);
}

const Json::Value& member(const Json::Value& object, const char* name, const std::string& where) {
    if (!object.isObject() || !object.isMember(name))
        throw FormatError(fmt::format("{}: {} is missing", where, name));
    return object[name];
}

std::string text_of(const Json::Value& value, const char* name, const std::string& where) {
    if (!value.isString()) throw_is_no(name, value, "a text", where);
    return value.asString();
}

index_t integer_of(const Json::Value& value, const char* name, index_t least, index_t most,
                   const std::string& where) {
    if (!value.isInt64() || value.type() == Json::realValue)
        throw_is_no(name, value, "an integer", where);
    const index_t number = value.asInt64();
    if (number < least || number > most)
        throw FormatError(
            fmt::format("{}: {} is {}, outside of [{}, {}]", where, name, number, least, most));
    return number;
}

std::vector<index_t> extents_of(const Json::Value& value, const char* name, index_t least,
                                const std::string& where) {
    if (!value.isArray()) throw_is_no(name, value, "a list", where);
    if (value.size() > kMaxRank)
        throw FormatError(fmt::format("{}: {} has {} axes, and an array has {} at most", where,
                                      name, value.size(), kMaxRank));
    std::vector<index_t> extents;
    for (const Json::Value& extent : value)
        extents.push_back(
            integer_of(extent, name, least, std::numeric_limits<index_t>::max(), where));
    return extents;
}

const Json::Value& object_of(const Json::Value& value, const char* name, const std::string& where) {
    if (!value.isNull() && !value.isObject()) throw_is_no(name, value, "an object", where);
    return value;
}

NamedPart named_part(const Json::Value& value, const char* what, const std::string& where) {
    if (value.isString()) return {value.asString(), Json::Value(Json::objectValue)};
    if (!value.isObject()) throw_is_no(what, value, "an object with a name", where);
    NamedPart part{text_of(member(value, "name", where), what, where),
                   Json::Value(Json::objectValue)};
    for (const std::string& name : value.getMemberNames()) {
        if (name == "configuration")
            part.configuration = object_of(value[name], what, where);
        else if (name != "name" && name != "must_understand")
            throw FormatError(fmt::format("{}: {} has a part {}, which is not understood", where,
                                          what, npy::quoted(name)));
    }
    if (part.configuration.isNull()) part.configuration = Json::Value(Json::objectValue);
    return part;
}

} // namespace purview::zarr
