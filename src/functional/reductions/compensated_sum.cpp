// Defines purview/functional/reductions/built_in_reduction.hpp.
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/reductions/float_results.hpp"

#include <utility>

namespace purview::inline v0_1 {
namespace {

class CompensatedSum final : public BuiltInReduction {
public:
    constexpr CompensatedSum() noexcept : BuiltInReduction("compensated_sum") {}

    DType result_of(DType element) const override { return accumulated(element); }
    const char* steps() const noexcept override {
        return "elements added nearly as in twice the precision";
    }
    void run(ReducedView view, DType result, void* out) const override {
        require_not_sparse(name(), view.operand);
        if (!result.is_floating())
            return fold_reduction(Reduction::sum).run(std::move(view), result, out);
        require_host_reads(name(), view.operand);
        compensated_sums(view.operand, view.groups, out);
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        view.operand = numbers_only(view.operand, 0.);
        const DType dtype = view.operand.dtype();
        run(std::move(view), dtype, out);
    }
};

} // namespace

const BuiltInReduction& compensated_sum_reduction() {
    static constexpr CompensatedSum kSum;
    return kSum;
}

} // namespace purview
