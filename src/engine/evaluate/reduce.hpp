#pragma once

#include <purview/evaluation/evaluate.hpp>

#include "engine/compile/plan.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/runner.hpp"

namespace purview::engine {

/// What a reduction asks of a plan, and after how many elements it joins its lanes.
struct FoldPurpose {
    Purpose purpose;
    index_t chunk = 0;
};
FoldPurpose fold_purpose(Reduction reduction, DType dtype, index_t groups);

/// Folds all elements of a plan that was made for this, on the thread that calls it.
struct FoldEverything {
    void (*run)(const Plan& plan, Runner& runner, void* out) = nullptr;
    void (*run_directly)(DirectRun& direct, void* out) = nullptr;
};
FoldEverything fold_everything(Reduction reduction, DType dtype);

} // namespace purview::engine
