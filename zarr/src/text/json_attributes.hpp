#pragma once

#include "text/json.hpp"

#include <purview/io/attributes.hpp>

namespace purview::inline v0_1::zarr {

/// The members of a JSON object, or of none, as attributes.
PURVIEW_ZARR_EXPORT Attributes attributes_of(const Json::Value& object);

} // namespace purview::zarr
