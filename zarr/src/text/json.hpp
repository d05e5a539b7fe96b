#pragma once

#include <purview/base/index.hpp>
#include <purview/zarr/export.hpp>

#include <json/value.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

// JSON as Zarr writes it: `NaN`, `Infinity` and `-Infinity` may be numbers. Every error is a
// `FormatError` that begins with `where`. Also for purview::archives.
namespace purview::inline v0_1::zarr {

/// The longest metadata that is read.
inline constexpr index_t kMaxMetadataBytes = index_t{1} << 26;

/// An object. Refused are other values, comments, a key that is there twice, values nested more than
/// a hundred deep, and text behind the end.
PURVIEW_ZARR_EXPORT Json::Value parse_json(std::span<const std::byte> text,
                                           const std::string& where);
/// The text of a value, with the digits that numbers need.
PURVIEW_ZARR_EXPORT std::string json_text(const Json::Value& value);

/// A member; throws where it is missing.
PURVIEW_ZARR_EXPORT const Json::Value& member(const Json::Value& object, const char* name,
                                              const std::string& where);
/// The value as a text.
PURVIEW_ZARR_EXPORT std::string text_of(const Json::Value& value, const char* name,
                                        const std::string& where);
/// The value as an integer within [least, most].
PURVIEW_ZARR_EXPORT index_t integer_of(const Json::Value& value, const char* name, index_t least,
                                       index_t most, const std::string& where);
/// The value as a list of integers within [least, 2⁶³), of at most `kMaxRank`.
PURVIEW_ZARR_EXPORT std::vector<index_t> extents_of(const Json::Value& value, const char* name,
                                                    index_t least, const std::string& where);
/// The value, which has to be an object, or missing.
PURVIEW_ZARR_EXPORT const Json::Value& object_of(const Json::Value& value, const char* name,
                                                 const std::string& where);

/// A part with a name and what it is told, as format 3 writes codecs and grids: `{"name": …,
/// "configuration": {…}}`, or the name alone.
struct NamedPart {
    std::string name;
    Json::Value configuration;
};
NamedPart named_part(const Json::Value& value, const char* what, const std::string& where);

} // namespace purview::zarr
