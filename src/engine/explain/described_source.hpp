#pragma once

#include <purview/expression/node.hpp>

#include "engine/explain/plan_text.hpp"

#include <string>
#include <string_view>

namespace purview::inline v0_1::engine {

/// The source of an evaluation as it is when the nodes that are realised first lie in memory.
struct DescribedSource {
    explicit DescribedSource(const Operand& given);

    Operand source;
    std::string first; ///< what is realised: lines, each ends in a newline
};

/// "sum of float64 [2 3]"
std::string head(const char* what, const Operand& source);
/// "way: …" and the plan it takes.
std::string with_plan(std::string_view way, const Values& values, const FoundPlan& found);
std::string with_plan_in_order(std::string_view way, const Values& values);

} // namespace purview::engine
