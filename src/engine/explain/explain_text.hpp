#pragma once

#include "engine/explain/plan_description.hpp"

#include <string>

namespace purview::inline v0_1::engine {

/// Lines of text, each ends in a newline.
std::string text_of(const Shown<ValueDescription>& values);
std::string text_of(const PlanDescription& plan);

} // namespace purview::engine
