#pragma once

#include "codecs/bytes_codec.hpp"
#include "text/json.hpp"
#include "text/stored_type.hpp"

namespace purview::inline v0_1::zarr {

/// A filter of format 2, as numcodecs has it, of elements of type `dtype`: shuffle, delta, fixedscaleoffset. Throws
/// `FormatError` for others.
std::shared_ptr<const BytesCodec> filter_of_format_2(const Json::Value& filter,
                                                     const std::string& id, const StoredType& type,
                                                     const std::string& where);

} // namespace purview::zarr
