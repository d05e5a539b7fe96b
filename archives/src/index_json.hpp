#pragma once

#include "text/json_attributes.hpp"

#include <purview/io/stored_array.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// What an index is written in: texts, extents, and what is told about arrays, as JSON that any reader of it reads. Errors
// are `FormatError`s that begin with `where`.
namespace purview::inline v0_1::archives {

std::string texts_json(const std::vector<std::string>& texts);
std::string extents_json(const Shape& shape);
/// All but `values`, in one line; the same for what is the same. Attributes with NaN or infinities, which are no JSON, are
/// their text, and such a number is its name.
std::string about_json(const StoredArray& about);

Json::Value& list_of(Json::Value& object, const char* name, const std::string& where);
/// The names of `rank` axes, or none.
std::vector<std::string> names_of_axes(Json::Value& object, std::size_t rank,
                                       const std::string& where);
Shape shape_of(const Json::Value& value, const char* name, index_t least, const std::string& where);
/// What `about_json` wrote of an array of `rank` axes.
std::shared_ptr<const StoredArray> about_of(Json::Value& value, std::size_t rank,
                                            const std::string& where);

} // namespace purview::archives
