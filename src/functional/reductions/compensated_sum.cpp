#include <purview/functional/reductions/compensated_sum.hpp>

namespace purview {

AnyTensor CompensatedSumOperation::run_any(const ReducedView& view) {
    return run_erased<CompensatedSumOperation>(view);
}

} // namespace purview
