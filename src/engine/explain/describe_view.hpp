#pragma once

#include <purview/dimensions/dimensions.hpp>

#include <string>

namespace purview::inline v0_1::engine {

/// How a leaf is seen: "strides [8 2], from 5, axis 1 rotated by 1".
std::string describe_view(const Dimensions& dims);

} // namespace purview::engine
