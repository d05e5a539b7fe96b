// Scans of times, and times to be compared.

#include "time_reductions.hpp"

#include "as_array.hpp"
#include "options.hpp"
#include "time_arithmetic.hpp"
#include "time_units.hpp"

#include <purview/chrono.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/tensor/copy.hpp>

#include <algorithm>
#include <utility>

namespace purview_python {

pv::Operand scanned_lanes(const char* what, pv::Reduction reduction, const pv::AxisParts& parts,
                          pv::NanRule nan) {
    const TimeKind kind = kind_of(parts.operand.dtype());
    const bool adds = reduction == pv::Reduction::sum;
    if (kind.unit == nullptr || reduction == pv::Reduction::product || (adds && kind.is_point))
        return pv::scanned(what, reduction, parts, nan);
    const bool skips = nan == pv::NanRule::skip;
    const auto of = [&](pv::Reduction by, const pv::Operand& x) {
        pv::AxisParts lanes = parts;
        lanes.operand = x;
        return Array(pv::scanned(what, by, lanes, pv::NanRule::keep));
    };
    pv::Operand counts = pv::integer_counts(parts.operand);
    const pv::Operand nats = is_nat(counts).operand();
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
