// Defines purview/functional/reductions/built_in_reduction.hpp.
#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/lanes.hpp>
#include <purview/evaluation/moments.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"
#include "functional/reductions/rolled_floats.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

class ArgExtreme final : public BuiltInReduction {
public:
    constexpr ArgExtreme(const char* name, Extreme extreme, bool last) noexcept
        : BuiltInReduction(name), extreme_(extreme), last_(last) {}

    DType result_of(DType) const override { return int64; }
    const char* steps() const noexcept override {
        return "the extreme of each group first, then its place";
    }
    AxisOrder order() const override { return AxisOrder::as_named; }
    void run(ReducedView view, DType, void* out) const override {
        require_elements(name(), view);
        arg_extreme(extreme_, view.operand, view.groups, out, last_);
    }
    void run_to(ReducedView view, const Operand& results) const override {
        require_elements(name(), view);
        arg_extreme(extreme_, view.operand, view.groups, results, last_);
    }
    bool has_bits_of_reducer(DType, bool) const override { return true; }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        return extreme_places(extreme_, built_in(name(), element), last_, skips_nan);
    }
    Operand of_non_nat(const ReducedView& view) const override {
        const bool are_times = view.operand.dtype().counted_in() != view.operand.dtype();
        if (!are_times) return BuiltInReduction::of_non_nat(view);
        const Operand places = places_of_times(view, NanRule::skip);
        if (view.groups == 0) return places;
        // Among NaT alone the place is that of an end, at which NaT is.
        const Operand ends = end_elements(view, last_);
        const index_t end = last_ ? view.operand.dims.size() / view.groups - 1 : 0;
        const Operand at_end =
            binary_operand(Op::equal, {places.node, Dimensions::row_major(ends.dims.max_shape())},
                           constant_operand(end), int64, boolean);
        const Operand nat =
            binary_operand(Op::logical_and, nat_mask(ends), at_end, boolean, boolean);
        bool any = false;
        reduce_to_number(fold_reduction(Reduction::any_of), nat, NanRule::keep, &any);
        if (any)
            throw ShapeError(
                fmt::format("{}: all elements of a part are NaT, and NaT is skipped", name()));
        return places;
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        require_elements(name(), view);
        return arg_extreme_sparse(extreme_, view.operand, view.groups, last_);
    }
    /// Also of strings, and of times, as their counts.
    AnyTensor of_non_builtin(const ReducedView& view) const override {
        if (view.operand.dtype() == kDType<std::string>) {
            require_not_sparse(name(), view.operand);
            require_elements(name(), view);
            const Operand places = empty_of(name(), int64, view.shape);
            if (view.groups > 0)
                extreme_by_order<std::string>(extreme_, last_, view,
                                              reinterpret_cast<std::int64_t*>(memory_of(places)));
            return AnyTensor::writable(places);
        }
        if (view.operand.dtype().counted_in() == view.operand.dtype())
            return BuiltInReduction::of_non_builtin(view);
        return AnyTensor::writable(places_of_times(view, NanRule::keep));
    }

private:
    /// Of the extremes of counts, of which NaT is the one that wins, or with `skip` the one that
    /// loses.
    Operand places_of_times(const ReducedView& view, NanRule nan) const {
        ReducedView counts = view;
        counts.operand = times_as_counts(view.operand);
        if ((extreme_ == Extreme::least) == (nan == NanRule::skip))
            counts.operand = nat_greatest(counts.operand);
        return reduce_view(*this, std::move(counts), nan);
    }

    Extreme extreme_;
    bool last_;
};

class Variance final : public BuiltInReduction {
public:
    constexpr Variance(const char* name, bool of_sample, bool root) noexcept
        : BuiltInReduction(name), correction_(of_sample ? 1 : 0), root_(root) {}

    DType result_of(DType element) const override { return averaged(element); }
    const char* steps() const noexcept override {
        return "the mean of each chunk of 4096 elements, then the squared differences from it; "
               "chunks are joined pairwise";
    }
    void run(ReducedView view, DType dtype, void* out) const override {
        if (view.operand.dtype() == float32 && !view.operand.node->reads(Below::blocks))
            run_in_float32(view, static_cast<float*>(out));
        else
            reduce_groups(by_moments(dtype, false), view.operand, view.groups, out);
    }
    bool has_bits_of_reducer(DType element, bool skips_nan) const override {
        return element != float32 && !skips_nan; // a NaN is replaced by the mean of what is folded
    }
    std::unique_ptr<const Reducer> reducer(DType element, bool skips_nan) const override {
        return std::unique_ptr<const Reducer>(
            new MomentsReducer(by_moments(result_of(built_in(name(), element)), skips_nan)));
    }
    void run_to(ReducedView view, const Operand& results) const override {
        const DType dtype = results.dtype();
        const index_t n = view.groups == 0 ? 0 : view.operand.dims.size() / view.groups;
        if (n <= correction_ || !results.node->reads(Below::device))
            return BuiltInReduction::run_to(std::move(view), results);
        cast_elements(view, dtype);
        const ShapeSpan line(&view.groups, 1);
        const Operand squares = results_like(name(), results, dtype, line);
        squared_deviations(view.operand, view.groups, squares);
        const double least = static_cast<double>(n) * (dtype == float32 ? kLeastMeanSquare<float>
                                                                        : kLeastMeanSquare<double>);
        const auto compared = [&](Op op, double bound) {
            return binary_operand(op, squares, float_constant(dtype, bound), dtype, boolean);
        };
        bool ordinary = false; // as `left_range` says
        reduce_groups(Reduction::all_of,
                      binary_operand(Op::logical_and, compared(Op::greater_equal, least),
                                     compared(Op::less, kInfiniteNumber<double>), boolean, boolean),
                      1, &ordinary);
        if (!ordinary) return BuiltInReduction::run_to(std::move(view), results);
        const Operand divisor = float_constant(dtype, static_cast<double>(n - correction_));
        assign(rooted(binary_operand(Op::divide, squares, divisor, dtype, dtype)),
               {results.node, Dimensions::row_major(line)});
    }
    bool roll(const PaddedLanes& lanes, index_t width, index_t step, NanRule nan,
              void* out) const override {
        return roll_variances_of(
            name(), lanes, width, step,
            {static_cast<int>(correction_), root_, false, nan == NanRule::skip}, out);
    }
    std::shared_ptr<AnyReader> run_sparse(ReducedView view) const override {
        const DType dtype = averaged(view.operand.dtype());
        cast_elements(view, dtype);
        const Operand squares =
            elements_of_pairs(squared_deviations_sparse(view.operand, view.groups));
        const index_t count = view.operand.dims.size() / view.groups;
        const Operand divisor =
            float_constant(dtype, count > correction_ ? static_cast<double>(count - correction_)
                                                      : std::numeric_limits<double>::quiet_NaN());
        return realise_sparse(rooted(binary_operand(Op::divide, squares, divisor, dtype, dtype)),
                              name());
    }
    /// First the mean, then the squared differences from it.
    Operand node(ReducedView view) const override {
        const DType dtype = averaged(view.operand.dtype());
        cast_elements(view, dtype);
        const index_t n = view.groups == 0 ? 0 : view.operand.dims.size() / view.groups;
        const Operand divisor =
            float_constant(dtype, static_cast<double>(n > correction_ ? n - correction_ : 0));
        return rooted(
            binary_operand(Op::divide, squared_deviations_operand(view), divisor, dtype, dtype));
    }

private:
    MomentsReducer by_moments(DType result, bool skips_nan) const {
        static constexpr MomentsReducer::Number kNumbers[][2] = {
            {variance_of<0, false>, variance_of<0, true>},
            {variance_of<1, false>, variance_of<1, true>}};
        return {name(), result, {2, false, skips_nan}, kNumbers[correction_][root_ ? 1 : 0]};
    }
    template <int correction, bool root>
    static double variance_of(const PartMoments& part) {
        const double divisor = part.count - correction;
        const double variance = divisor > 0 ? part.squares / divisor : kNotANumber<double>;
        return root ? part.in_units(std::sqrt(variance), 1) : part.in_units(variance, 2);
    }
    void run_in_float32(const ReducedView& view, float* results) const {
        squared_deviations(view.operand, view.groups, results);
        const std::span squares(results, static_cast<std::size_t>(view.groups));
        const index_t count = view.groups == 0 ? 0 : view.operand.dims.size() / view.groups;
        GroupScales scales;
        if (count > 1) scales = GroupScales(view.operand, std::span<const float>(squares));
        if (scales) {
            std::vector<float> again(squares.size());
            squared_deviations(scales.scaled(view.operand), view.groups, again.data());
            take_scaled(scales, again, squares);
        }
        const float divisor = static_cast<float>(count - correction_);
        for (std::size_t g = 0; g < squares.size(); ++g)
            results[g] = finished(count > correction_ ? results[g] / divisor : kNotANumber<float>,
                                  scales[g]);
    }
    /// The variance of elements that were divided by 2^exponent, or its root, in their own units.
    template <typename T>
    T finished(T x, int exponent) const {
        if (root_) x = function_of(Op::square_root, x);
        return exponent == 0 ? x : std::ldexp(x, root_ ? exponent : 2 * exponent);
    }
    Operand rooted(Operand x) const {
        const DType dtype = x.dtype();
        return root_ ? unary_operand(Op::square_root, std::move(x), dtype) : x;
    }

    index_t correction_;
    bool root_;
};

} // namespace

const BuiltInReduction& arg_reduction(Extreme extreme, bool last) {
    static constexpr ArgExtreme kLeast("argmin", Extreme::least, false);
    static constexpr ArgExtreme kGreatest("argmax", Extreme::greatest, false);
    static constexpr ArgExtreme kLastLeast("argmin_last", Extreme::least, true);
    static constexpr ArgExtreme kLastGreatest("argmax_last", Extreme::greatest, true);
    if (extreme == Extreme::least) return last ? kLastLeast : kLeast;
    return last ? kLastGreatest : kGreatest;
}

const BuiltInReduction& variance_reduction(bool of_sample, bool root) {
    static constexpr Variance kVariance("variance", false, false);
    static constexpr Variance kSampleVariance("sample_variance", true, false);
    static constexpr Variance kDeviation("standard_deviation", false, true);
    static constexpr Variance kSampleDeviation("sample_standard_deviation", true, true);
    if (root) return of_sample ? kSampleDeviation : kDeviation;
    return of_sample ? kSampleVariance : kVariance;
}

} // namespace purview
