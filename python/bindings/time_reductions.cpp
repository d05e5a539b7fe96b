// Quotients, absolute values and reductions of times.

#include "time_reductions.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "options.hpp"
#include "time_arithmetic.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/time_counts.hpp>
#include <purview/functional/statistics/percentiles.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace purview_python {
namespace {

using pv::Op;
using pv::Operand;

/// The index of the first NaT, if there is one, else of the first extreme.
Array first_extreme(const pv::BuiltInReduction& reduction, const Array& x,
                    const pv::ChosenAxes& axes) {
    if (axes.nan == pv::NanRule::skip)
        return computing(x.size(), [&] { return pv::reduce_any(reduction, x.operand(), axes); });
    const Array counts(pv::integer_counts(x.operand()));
    const Array nats = is_nat(counts.operand());
    return computing(x.size(), [&] {
        pv::ChosenAxes kept = axes;
        kept.nan = pv::NanRule::keep;
        const Array extreme = pv::reduce_any(reduction, counts.operand(), kept);
        const Array first =
            pv::reduce_any(pv::arg_reduction(pv::Extreme::greatest, false), nats.operand(), kept);
        const Array has =
            pv::reduce_any(pv::fold_reduction(pv::Reduction::any_of), nats.operand(), kept);
        return pv::dense_clone_tensor(
            pv::any_where(has.operand(), {first.operand(), false}, {extreme.operand(), false}));
    });
}

} // namespace

std::optional<Array> reduced_times(const char* what, const pv::BuiltInReduction& reduction,
                                   const Array& x, const pv::ChosenAxes& axes) {
    const TimeKind kind = kind_of(x.dtype());
    const std::string_view name = what;
    const bool is_order = name == "min" || name == "max";
    if (kind.unit != nullptr && (name == "argmin" || name == "argmax"))
        return first_extreme(reduction, x, axes);
    if (kind.unit == nullptr ||
        !(is_order || name == "mean" || name == "median" || (name == "sum" && !kind.is_point)))
        return {};
    const Array counts(pv::integer_counts(x.operand()));
    const Array nats = is_nat(counts.operand());
    return computing(x.size(), [&]() -> Array {
        pv::ChosenAxes kept = axes;
        kept.nan = pv::NanRule::keep;
        if (axes.nan == pv::NanRule::skip) {
            if (name != "sum") return pv::reduce_any(reduction, x.operand(), axes);
            const Array others =
                pv::any_where(nats.operand(), {pv::constant_operand(std::int64_t{0}), true},
                              {counts.operand(), false});
            return pv::dense_clone_tensor(
                times_from(pv::reduce_any(reduction, others.operand(), kept).operand(), x.dtype()));
        }
        const Array nat =
            pv::reduce_any(pv::fold_reduction(pv::Reduction::any_of), nats.operand(), kept);
        if (axes.nan == pv::NanRule::refuse &&
            pv::Tensor<bool>(
                pv::reduce_any(pv::fold_reduction(pv::Reduction::any_of), nats.operand(), {})
                    .operand())
                .item())
            throw pv::ArithmeticError(std::string(what) +
                                      ": an element is NaT, which nan='raise' refuses");
        if (is_order || name == "sum")
            return pv::dense_clone_tensor(
                or_nat(nat, pv::reduce_any(reduction, counts.operand(), kept), x.dtype()));
        const pv::ReducedView view =
            pv::reduced_view(what, counts.operand(), kept.positional(what, x.rank()), kept.keep);
        pv::require_elements(what, view);
        if (name == "median") {
            static constexpr double kHalf[] = {0.5};
            return pv::dense_clone_tensor(
                or_nat(nat,
                       Array(pv::quantiles_of_counts(what, view, kHalf, 1, false,
                                                     pv::QuantileMethod::linear)),
                       x.dtype()));
        }
        const pv::MutableTensor<std::int64_t> means =
            pv::empty<std::int64_t>(pv::AxisValues(view.shape));
        if (means.size() > 0) pv::mean_of_counts(view, means.data());
        return pv::dense_clone_tensor(or_nat(nat, Array(means), x.dtype()));
    });
}

pv::Operand scanned_lanes(const char* what, pv::Reduction reduction, const pv::AxisParts& parts,
                          pv::NanRule nan) {
    const TimeKind kind = kind_of(parts.operand.dtype());
    const bool adds = reduction == pv::Reduction::sum;
    if (kind.unit == nullptr || reduction == pv::Reduction::product || (adds && kind.is_point))
        return pv::scanned(what, reduction, parts, nan);
    const bool skips = nan == pv::NanRule::skip;
    const auto of = [&](pv::Reduction by, const Operand& x) {
        pv::AxisParts lanes = parts;
        lanes.operand = x;
        return Array(pv::scanned(what, by, lanes, pv::NanRule::keep));
    };
    Operand counts = pv::integer_counts(parts.operand);
    const Operand nats = is_nat(counts).operand();
    if (skips) {
        const std::int64_t none = adds ? 0 : reduction == pv::Reduction::minimum ? INT64_MAX : kNaT;
        counts = pv::any_where(nats, {pv::constant_operand(none), true}, {counts, false}).operand();
    }
    const Array result = of(reduction, counts);
    if (skips && adds)
        return pv::dense_clone_tensor(times_from(result.operand(), kind.dtype())).operand();
    // NaT from the first one on, or, where they are skipped, up to the first time.
    const Array nat = of(skips ? pv::Reduction::minimum : pv::Reduction::maximum, nats);
    return pv::dense_clone_tensor(or_nat(nat, result, kind.dtype())).operand();
}

std::pair<Array, Array> comparable_arrays(nb::handle x, nb::handle y) {
    const auto numbers = [](nb::handle given) { // of NumPy's durations without a unit the counts
        const std::optional<pv::WeakOperand> values = try_values(given);
        return values ? number_array(nb::cast(Array(values->operand))) : number_array(given);
    };
    const Array first = numbers(x);
    const Array second = numbers(y);
    const TimeKind a = kind_of(first.dtype());
    const TimeKind b = kind_of(second.dtype());
    const auto in_unit = [](const Array& counts, TimeKind kind) {
        return times_from(pv::convert_operand(counts.operand(), pv::int64, pv::Op::cast),
                          kind.dtype());
    };
    if (a.unit != nullptr && !a.is_point && second.dtype().is_integer())
        return {first, in_unit(second, a)};
    if (b.unit != nullptr && !b.is_point && first.dtype().is_integer())
        return {in_unit(first, b), second};
    if (a.unit == nullptr || b.unit == nullptr || a.is_point != b.is_point ||
        first.dtype() == second.dtype())
        return {first, second};
    const TimeKind finer{std::min(a.unit, b.unit), a.is_point};
    const auto in_finer = [&](const Array& times, TimeKind kind) {
        return times_from(counts_in(times.operand(), kind, *finer.unit, pv::Quotient::down),
                          finer.dtype());
    };
    return {in_finer(first, a), in_finer(second, b)};
}

} // namespace purview_python
