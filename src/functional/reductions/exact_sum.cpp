#include <purview/functional/reductions/exact_sum.hpp>

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include "evaluation/exact_sums.hpp"
#include "functional/reductions/float_results.hpp"

#include <complex>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

template <typename T>
void parts_of_complex(const ReducedView& view, T* out) {
    std::vector<T> sums(static_cast<std::size_t>(view.groups));
    const auto sum_part = [&](const Operand& part, T* results) {
        exact_sums(part, view.groups, sums.data());
        for (const T sum : sums) *results = sum, results += 2;
    };
    sum_part(real_part(view.operand), out);
    sum_part(imaginary_part(view.operand), out + 1);
}

class ExactSum final : public BuiltInReduction {
public:
    constexpr ExactSum() noexcept : BuiltInReduction("exact_sum") {}

    DType result_of(DType element) const override { return accumulated(element); }
    const char* steps() const noexcept override {
        return "elements added as integers to words of their exponents, exactly; rounded once";
    }
    void run(ReducedView view, DType result, void* out) const override {
        if (!result.is_floating())
            return fold_reduction(Reduction::sum).run(std::move(view), result, out);
        require_host_reads(name(), view.operand);
        exact_sums(view.operand, view.groups, out);
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        view.operand = without_nan(view.operand, 0.);
        const DType dtype = view.operand.dtype();
        run(std::move(view), dtype, out);
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
    require_host_reads("exact_sum", view.operand);
    with_floats(part_dtype(view.operand.dtype()), out,
                [&](auto* parts) { parts_of_complex(view, parts); });
}

} // namespace purview
