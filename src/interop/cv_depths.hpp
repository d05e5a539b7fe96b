#pragma once

#include <purview/dtype/half.hpp>

#include <array>

namespace purview::inline v0_1 {

/// The element types of OpenCV 4 by its CV_8U, CV_8S, … CV_16F.
inline constexpr std::array kCvDepths{uint8, int8, uint16, int16, int32, float32, float64, float16};

} // namespace purview
