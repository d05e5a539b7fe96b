#pragma once

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/reductions/compensated_sum.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/as_span.hpp>

namespace purview {

// How reductions skip NaN. Any reduction can be applied to the elements of each part that are not
// NaN, which are copied if there are NaNs (`reduce_non_nan`). Those below replace NaN by a neutral
// value instead, which costs one to three passes and no copy.

/// The index of the first element of each group that is not NaN (with `last`, the last one). Throws
/// `ShapeError` naming `what` for a group without one.
PURVIEW_EXPORT std::vector<std::int64_t> first_non_nan(const char* what, const ReducedView& view,
                                                       bool last);

/// The common part of all NaN-skipping reductions: `Skipping::run_floats` implements them for
/// floats.
template <typename Operation, typename Skipping>
struct SkippingOperation {
    static constexpr const char* kName = Operation::kName;
    template <typename T>
    using Result = typename Operation::template Result<T>;
    template <typename T>
    static constexpr bool kIsDefinedFor = kReduces<Operation, T>;

    template <typename T>
    static void run(const ReducedView& view, Result<T>* out) {
        if constexpr (std::floating_point<T>)
            Skipping::template run_floats<T>(view, out);
        else
            Operation::template run<T>(view, out);
    }
    template <typename T>
    static Operand node(const ReducedView&) {
        static_assert(!BuiltinType<T>, "skip_nan is not defined for symbols");
        return {};
    }
    static AnyTensor run_any(const ReducedView& view) {
        return run_erased<SkippingOperation>(view);
    }
};

/// Applies the operation to a copy of the elements that are not NaN.
template <typename Operation>
struct SkippedByCopy {
    template <typename T, typename R>
    static void run_floats(const ReducedView& view, R* out) {
        const auto reduced = [](const ReducedView& batch) -> Operand {
            const MutableTensor<R> results = empty<R>(batch.shape);
            if (!results.empty()) Operation::template run<T>(batch, as_span(results).data());
            return results.operand();
        };
        if (view.groups == 0) return;
        const Operand made = reduce_non_nan(Operation::kName, view, reduced);
        Evaluation(made).read(0, view.groups, out);
    }
};
template <typename Operation>
struct SkippingNan<Operation, void> : SkippingOperation<Operation, SkippedByCopy<Operation>> {};

/// Replaces NaN by the neutral element.
template <typename Operation, int neutral>
struct SkippedAsNeutral {
    template <typename T, typename R>
    static void run_floats(ReducedView view, R* out) {
        view.operand = without_nan(view.operand, neutral);
        Operation::template run<T>(std::move(view), out);
    }
};
template <>
struct SkippingNan<FoldOperation<SumFold>, void>
    : SkippingOperation<FoldOperation<SumFold>, SkippedAsNeutral<FoldOperation<SumFold>, 0>> {};
template <>
struct SkippingNan<FoldOperation<ProductFold>, void>
    : SkippingOperation<FoldOperation<ProductFold>,
                        SkippedAsNeutral<FoldOperation<ProductFold>, 1>> {};
template <>
struct SkippingNan<CountOperation, void>
    : SkippingOperation<CountOperation, SkippedAsNeutral<CountOperation, 0>> {};
template <>
struct SkippingNan<CompensatedSumOperation, void>
    : SkippingOperation<CompensatedSumOperation, SkippedAsNeutral<CompensatedSumOperation, 0>> {};
template <bool root>
struct SkippingNan<MagnitudeOperation<root>, void>
    : SkippingOperation<MagnitudeOperation<root>, SkippedAsNeutral<MagnitudeOperation<root>, 0>> {};

/// Replaces NaN by a value that never wins; if that value is the result, the group may have been
/// all NaN, and then the result is NaN.
template <typename Fold, bool least>
struct SkippedExtreme {
    template <typename T>
    static void run_floats(const ReducedView& view, T* out) {
        constexpr T kWorst =
            least ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
        ReducedView numbers = view;
        numbers.operand = without_nan(view.operand, kWorst);
        FoldOperation<Fold>::template run<T>(std::move(numbers), out);
        bool worst = false;
        for (index_t g = 0; g < view.groups; ++g) worst |= out[g] == kWorst;
        if (!worst) return;
        const std::vector<std::int64_t> counts = count_non_nan(view);
        for (index_t g = 0; g < view.groups; ++g)
            if (counts[static_cast<std::size_t>(g)] == 0)
                out[g] = std::numeric_limits<T>::quiet_NaN();
    }
};
template <>
struct SkippingNan<FoldOperation<MinFold>, void>
    : SkippingOperation<FoldOperation<MinFold>, SkippedExtreme<MinFold, true>> {};
template <>
struct SkippingNan<FoldOperation<MaxFold>, void>
    : SkippingOperation<FoldOperation<MaxFold>, SkippedExtreme<MaxFold, false>> {};

/// The same for the index of the extreme element. Throws `ShapeError` for a group that is all NaN.
template <typename Operation, bool least, bool last>
struct SkippedArg {
    template <typename T>
    static void run_floats(const ReducedView& view, std::int64_t* out) {
        constexpr T kWorst =
            least ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
        ReducedView numbers = view;
        numbers.operand = without_nan(view.operand, kWorst);
        Operation::template run<T>(numbers, out);
        std::vector<T> extremes(static_cast<std::size_t>(view.groups));
        using Fold = std::conditional_t<least, MinFold, MaxFold>;
        FoldOperation<Fold>::template run<T>(std::move(numbers), extremes.data());
        bool worst = false;
        for (const T& extreme : extremes) worst |= extreme == kWorst;
        if (!worst) return;
        const std::vector<std::int64_t> some = first_non_nan(Operation::kName, view, last);
        for (index_t g = 0; g < view.groups; ++g)
            if (extremes[static_cast<std::size_t>(g)] == kWorst)
                out[g] = some[static_cast<std::size_t>(g)];
    }
};
template <Extreme extreme>
struct SkippingNan<ArgOperation<extreme>, void>
    : SkippingOperation<ArgOperation<extreme>,
                        SkippedArg<ArgOperation<extreme>, extreme == Extreme::least, false>> {
    static constexpr bool kInNamedOrder = true;
};
template <Extreme extreme>
struct SkippingNan<LastArgOperation<extreme>, void>
    : SkippingOperation<LastArgOperation<extreme>,
                        SkippedArg<LastArgOperation<extreme>, extreme == Extreme::least, true>> {
    static constexpr bool kInNamedOrder = true;
};

/// Returns the number of elements that each mean is taken over.
struct SkippedMean {
    template <typename T>
    static std::vector<std::int64_t> run_floats(const ReducedView& view, T* out) {
        SkippedAsNeutral<FoldOperation<SumFold>, 0>::template run_floats<T>(view, out);
        std::vector<std::int64_t> counts = count_non_nan(view);
        for (index_t g = 0; g < view.groups; ++g)
            out[g] /= static_cast<T>(counts[static_cast<std::size_t>(g)]);
        return counts;
    }
};
template <>
struct SkippingNan<MeanOperation, void> : SkippingOperation<MeanOperation, SkippedMean> {};

/// First the means, then the squared differences from them.
template <index_t correction, bool root>
struct SkippedVariance {
    template <typename T>
    static void run_floats(const ReducedView& view, T* out) {
        const MutableTensor<T> means = empty<T>({view.groups});
        const std::vector<std::int64_t> counts =
            SkippedMean::run_floats<T>(view, as_span(means).data());
        const Operand centres{
            means.operand().node,
            dimensions::repeated_groups(view.operand.dims.max_shape(), view.groups)};
        ReducedView squares = view;
        squares.operand = without_nan(
            unary_operand(Op::square,
                          binary_operand(Op::subtract, view.operand, centres, kDType<T>, kDType<T>),
                          kDType<T>),
            0);
        FoldOperation<SumFold>::template run<T>(std::move(squares), out);
        for (index_t g = 0; g < view.groups; ++g) {
            const std::int64_t n = counts[static_cast<std::size_t>(g)] - correction;
            // inf - inf is NaN too, but is not to be skipped: the element was an infinity.
            const T total = composed_number<Composed::is_finite>(T(means(g)))
                                ? out[g]
                                : std::numeric_limits<T>::quiet_NaN();
            out[g] = n > 0 ? total / static_cast<T>(n) : std::numeric_limits<T>::quiet_NaN();
            if (root) out[g] = function_of(Op::square_root, out[g]);
        }
    }
};
template <index_t correction, bool root>
struct SkippingNan<VarianceOperation<correction, root>, void>
    : SkippingOperation<VarianceOperation<correction, root>, SkippedVariance<correction, root>> {};

} // namespace purview
