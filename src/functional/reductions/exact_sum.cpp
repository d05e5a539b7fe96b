#include <purview/functional/reductions/exact_sum.hpp>

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/reducers.hpp"
#include "functional/reductions/float_results.hpp"

#include <complex>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {
namespace {

class ExactSum final : public BuiltInReduction {
public:
    constexpr ExactSum() noexcept : BuiltInReduction("exact_sum") {}

    DType result_of(DType element) const override { return accumulated(element); }
    const char* steps() const noexcept override {
        return "elements added as integers to words of their exponents, exactly; rounded once";
    }
    void run(ReducedView view, DType result, void* out) const override {
        require_not_sparse(name(), view.operand);
        if (!result.is_floating())
            return fold_reduction(Reduction::sum).run(std::move(view), result, out);
        reduce_groups(*reducer(view.operand.dtype(), false), view.operand, view.groups, out);
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        require_not_sparse(name(), view.operand);
        BuiltInReduction::run_on_non_nan(std::move(view), out);
    }
    bool has_bits_of_reducer(DType, bool) const override { return true; }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        const bool rounds = element.is_floating() || is_complex(element);
        return rounds ? exact_sum_reducer(name(), element, skips_nan)
                      : fold_reducer(name(), Reduction::sum, element, false, false);
    }
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        if (view.operand.dtype() == kDType<std::complex<float>>)
            return realised_reduction<ExactSumOperation, std::complex<float>>(view);
        if (view.operand.dtype() == kDType<std::complex<double>>)
            return realised_reduction<ExactSumOperation, std::complex<double>>(view);
        return BuiltInReduction::of_non_builtin(view);
    }
};

} // namespace

const BuiltInReduction& exact_sum_reduction() {
    static constexpr ExactSum kSum;
    return kSum;
}

void exact_sums_of_complex(const ReducedView& view, void* out) {
    require_not_sparse("exact_sum", view.operand);
    const DType dtype = view.operand.dtype();
    reduce_groups(*exact_sum_reduction().reducer(dtype, false), view.operand, view.groups, out);
}

} // namespace purview
