#pragma once

#include <purview/expression/evaluate.hpp>

#include "engine/plan.hpp"

namespace purview::engine {

/// What a reduction asks of a plan, and after how many elements it joins its lanes.
struct FoldPurpose {
    Purpose purpose;
    index_t chunk = 0;
};
FoldPurpose fold_purpose(Reduction reduction, DType dtype, index_t groups);

} // namespace purview::engine
