// Defines purview/functional/reductions/built_in_reduction.hpp.
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/functional/reductions/time_counts.hpp>
#include <purview/reader/sparse_buffer.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include "dtype/known_times.hpp"
#include "evaluation/reducers.hpp"
#include "functional/reductions/float_results.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace purview::inline v0_1 {
namespace {

/// A reduction of complex64 or complex128.
template <typename Operation>
AnyTensor of_complex(const ReducedView& view) {
    if (part_dtype(view.operand.dtype()) == float32)
        return realised_reduction<Operation, std::complex<float>>(view);
    return realised_reduction<Operation, std::complex<double>>(view);
}

bool is_duration(DType dtype) {
    bool found = false;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if constexpr (DurationElement<T>) found |= dtype == kDType<T>;
    });
    return found;
}

class Fold final : public BuiltInReduction {
public:
    constexpr Fold(const char* name, Reduction fold) noexcept
        : BuiltInReduction(name), fold_(fold) {}

    DType result_of(DType element) const override { return fold_result(fold_, element); }
    std::optional<PlainFold> as_fold() const noexcept override { return PlainFold{fold_}; }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        const bool adds = fold_ == Reduction::sum || fold_ == Reduction::product;
        if (!element.is_builtin() && !(adds && is_complex(element)))
            throw_dtype_unsupported(name(), element);
        return fold_reducer(name(), fold_, element, false, skips_nan);
    }
    bool has_bits_of_reducer(DType, bool) const override { return true; }
    void run(ReducedView view, DType result, void* out) const override {
        prepare(view, result);
        reduce_groups(fold_, view.operand, view.groups, out);
    }
    void run_to(ReducedView view, const Operand& results) const override {
        prepare(view, results.dtype());
        reduce_groups(fold_, view.operand, view.groups, results);
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        prepare(view, result_of(view.operand.dtype()));
        return reduce_sparse(fold_, view.operand, view.groups);
    }
    Operand node(ReducedView view) const override {
        prepare(view, result_of(view.operand.dtype()));
        return reduce_operand(fold_, std::move(view.operand), view.groups, view.shape);
    }
    /// Sums and products are also of complex numbers; extremes of strings, and of times, and sums
    /// of durations, as their counts.
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        const bool adds = fold_ == Reduction::sum;
        if ((adds || fold_ == Reduction::product) && is_complex(view.operand.dtype())) {
            return adds ? of_complex<FoldOperation<SumFold>>(view)
                        : of_complex<FoldOperation<ProductFold>>(view);
        }
        if (is_extreme(fold_) && view.operand.dtype() == kDType<std::string>)
            return fold_ == Reduction::minimum
                       ? realised_reduction<FoldOperation<MinFold>, std::string>(view)
                       : realised_reduction<FoldOperation<MaxFold>, std::string>(view);
        return folds_times(view) ? AnyTensor::writable(of_times(view, NanRule::keep))
                                 : BuiltInReduction::of_non_builtin(view);
    }
    Operand of_non_nat(const ReducedView& view) const override {
        return folds_times(view) ? of_times(view, NanRule::skip)
                                 : BuiltInReduction::of_non_nat(view);
    }

private:
    bool folds_times(const ReducedView& view) const {
        const DType dtype = view.operand.dtype();
        return is_extreme(fold_) ? dtype.counted_in() != dtype
                                 : fold_ == Reduction::sum && is_duration(dtype);
    }
    /// As their counts.
    Operand of_times(const ReducedView& view, NanRule nan) const {
        const DType dtype = view.operand.dtype();
        const bool skips = nan == NanRule::skip;
        ReducedView counts = view;
        counts.operand = times_as_counts(view.operand);
        const auto made = [](Operand x) { return clone(AnyTensor(std::move(x))).operand(); };
        Operand found;
        if (is_extreme(fold_)) { // NaT, the lowest count, is to win, or, skipped, to lose
            const bool shifts = (fold_ == Reduction::minimum) == skips;
            if (shifts) counts.operand = nat_greatest(counts.operand);
            found = reduce_view(*this, std::move(counts), nan);
            if (shifts) found = made(nat_lowest(found));
        } else {
            ReducedView nat = view;
            nat.operand = nat_mask(view.operand);
            if (skips)
                counts.operand = choose_operand(nat.operand, constant_operand(std::int64_t{0}),
                                                counts.operand, int64);
            found = reduce_view(*this, std::move(counts), NanRule::keep);
            if (!skips)
                found = made(choose_operand(
                    reduce_view(fold_reduction(Reduction::any_of), std::move(nat), NanRule::keep),
                    constant_operand(kNatCount<std::int64_t>), std::move(found), int64));
        }
        return counts_as_times(AnyTensor(found), dtype).operand();
    }
    void prepare(ReducedView& view, DType result) const {
        if (is_extreme(fold_)) require_elements(name(), view);
        cast_elements(view, result);
    }

    Reduction fold_;
};

class Mean final : public BuiltInReduction {
public:
    constexpr Mean() noexcept : BuiltInReduction("mean") {}

    DType result_of(DType element) const override { return averaged(element); }
    std::optional<PlainFold> as_fold() const noexcept override {
        return PlainFold{Reduction::sum, true};
    }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        if (!element.is_builtin() && !is_complex(element)) throw_dtype_unsupported(name(), element);
        return fold_reducer(name(), Reduction::sum, element, true, skips_nan);
    }
    bool has_bits_of_reducer(DType, bool) const override { return true; }
    void run(ReducedView view, DType dtype, void* out) const override {
        cast_elements(view, dtype);
        average(view.operand, view.groups, out);
    }
    void run_to(ReducedView view, const Operand& results) const override {
        cast_elements(view, results.dtype());
        average(view.operand, view.groups, results);
    }
    /// Of complex numbers, and of times counted in integers.
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        const DType dtype = view.operand.dtype();
        if (is_complex(dtype)) return of_complex<MeanOperation>(view);
        if (!dtype.counted_in().is_integer()) return BuiltInReduction::of_non_builtin(view);
        require_elements(name(), view);
        ReducedView counts = view;
        counts.operand = integer_counts(view.operand);
        const MutableTensor<std::int64_t> means = empty<std::int64_t>(view.shape);
        mean_of_counts(counts, as_span(means).data());
        return clone(AnyTensor(times_of(means.operand(), dtype)));
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        const DType dtype = averaged(view.operand.dtype());
        const Operand count = float_constant(dtype, mean_count(view));
        cast_elements(view, dtype);
        const Operand sums =
            elements_of_pairs(fold_reduction(Reduction::sum).run_sparse(std::move(view)));
        return realise_sparse(binary_operand(Op::divide, sums, count, dtype, dtype), name());
    }
    Operand node(ReducedView view) const override {
        const DType dtype = averaged(view.operand.dtype());
        const Operand count = float_constant(dtype, mean_count(view));
        cast_elements(view, dtype);
        Operand sums = fold_reduction(Reduction::sum).node(std::move(view));
        return binary_operand(Op::divide, std::move(sums), count, dtype, dtype);
    }

private:
    static double mean_count(const ReducedView& view) {
        return view.groups == 0 ? 0 : static_cast<double>(view.operand.dims.size() / view.groups);
    }
};

class Count final : public BuiltInReduction {
public:
    constexpr Count() noexcept : BuiltInReduction("count_true") {}

    DType result_of(DType) const override { return int64; }
    const char* steps() const noexcept override { return "true elements counted in each group"; }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        return count_reducer(name(), built_in(name(), element), skips_nan);
    }
    bool has_bits_of_reducer(DType, bool) const override { return true; }
    void run(ReducedView view, DType, void* out) const override {
        cast_elements(view, boolean);
        count_true_elements(view.operand, view.groups, out);
    }
    void run_to(ReducedView view, const Operand& results) const override {
        cast_elements(view, boolean);
        count_true_elements(view.operand, view.groups, results);
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        cast_elements(view, boolean);
        return count_true_sparse(view.operand, view.groups);
    }
    /// A sum of bools.
    Operand node(ReducedView view) const override {
        cast_elements(view, boolean);
        return fold_reduction(Reduction::sum).node(std::move(view));
    }
};

} // namespace

const BuiltInReduction& fold_reduction(Reduction reduction) {
    static constexpr Fold kSum("sum", Reduction::sum);
    static constexpr Fold kProduct("product", Reduction::product);
    static constexpr Fold kMinimum("min", Reduction::minimum);
    static constexpr Fold kMaximum("max", Reduction::maximum);
    static constexpr Fold kAnyOf("any_of", Reduction::any_of);
    static constexpr Fold kAllOf("all_of", Reduction::all_of);
    switch (reduction) {
    case Reduction::sum: return kSum;
    case Reduction::product: return kProduct;
    case Reduction::minimum: return kMinimum;
    case Reduction::maximum: return kMaximum;
    case Reduction::any_of: return kAnyOf;
    case Reduction::all_of: break;
    }
    return kAllOf;
}

const BuiltInReduction& mean_reduction() {
    static constexpr Mean kMean;
    return kMean;
}

const BuiltInReduction& count_reduction() {
    static constexpr Count kCount;
    return kCount;
}

} // namespace purview
