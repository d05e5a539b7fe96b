#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/scan.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/along/lane_segments.hpp"
#include "functional/reductions/float_results.hpp"

#include <utility>

namespace purview::inline v0_1 {

namespace {

/// From this many elements after the axis on, whole rows are combined instead of gathering lanes.
constexpr index_t kWideScanRow = 32;

bool is_wide(const AxisParts& parts) { return parts.inner_of_all() >= kWideScanRow; }

/// Parts that a slab has one of where the whole has wide rows, twice: as a row of two.
AxisParts twice(const AxisParts& parts) {
    const Operand x = parts.restored(parts.operand);
    Dimensions dims = dimensions::new_axis(x.dims, x.dims.rank());
    Shape extents = to_shape(dims.max_shape());
    extents.back() = 2;
    dims = dimensions::expand(dims, extents);
    AxisParts both = axis_parts("scan", {x.node, std::move(dims)}, parts.axis());
    both.begin = parts.begin;
    both.begin.push_back(0);
    both.shape_of_all = parts.shape_of_all;
    both.shape_of_all.push_back(2);
    return both;
}

/// The scan of whole parts in the type `result`.
Operand scanned_whole(Reduction reduction, const AxisParts& parts, DType result) {
    if (parts.operand.node->reads(Below::symbol)) {
        if (reduction != Reduction::sum)
            throw SymbolError("scan: of the scans cumsum alone takes symbols");
        const Operand lanes = cast_operand(parts.operand, result, Op::cast);
        return lanes.dims.rank() == 0 || lanes.dims.size() == 0
                   ? lanes
                   : scan_operand(lanes, static_cast<std::size_t>(lanes.dims.rank()) - 1);
    }
    if (is_wide(parts) && parts.inner() == 1) {
        const Operand both = scanned_whole(reduction, twice(parts), result);
        return {both.node, dimensions::select(both.dims, both.dims.rank() - 2, index_t{0})};
    }
    const ScanWork work(reduction, parts, result);
    const Operand out =
        results_like(scan_name(reduction), work.lanes, result, work.lanes.dims.max_shape());
    if (out.dims.size() > 0) scan_lanes(work.scan, work.lanes, out);
    return work.scan.inner > 1 ? axis_parts("scan", out, parts.axis()).operand : out;
}

/// At most so many elements are added up as a tree, whole groups from the first element on.
constexpr index_t kScanGroup = 16;

/// A group of elements in each part whose fold, with that of what comes before, is what has been carried.
Operand group_of_carried(Reduction reduction, const Operand& carried) {
    const auto repeated = [&](const Operand& x, index_t count) {
        Shape shape = to_shape(carried.dims.max_shape());
        shape.back() = count;
        return Operand{x.node, dimensions::expand(x.dims, shape)};
    };
    if (is_extreme(reduction)) return repeated(carried, kScanGroup);
    const Operand nothing =
        visit_dtype(carried.dtype(), "scan", [&]<typename T>(std::type_identity<T>) {
            constexpr auto kZero = static_cast<T>(std::floating_point<T> ? -0. : 0.);
            return constant_operand(reduction == Reduction::sum ? kZero : T{1});
        });
    return concat_operand("scan", {carried, repeated(nothing, kScanGroup - 1)}, -1);
}

/// The scan in the type `result`, which goes on from what has been `carried`, if anything is.
Operand scanned_parts(Reduction reduction, const AxisParts& parts, DType result,
                      std::any* carried) {
    if (carried == nullptr) return scanned_whole(reduction, parts, result);
    AxisParts longer = parts;
    longer.operand = cast_operand(parts.operand, result, Op::cast);
    const bool goes_on = carried->has_value();
    if (goes_on)
        longer = with_elements(
            longer, group_of_carried(reduction, std::any_cast<const Operand&>(*carried)));
    const Operand scans = scanned_whole(reduction, longer, result);
    *carried = clone(AnyTensor(part_of_lanes(scans, longer.length - 1, longer.length))).operand();
    return part_of_lanes(scans, goes_on ? kScanGroup : 0, longer.length);
}

Operand scanned_non_nan(Reduction reduction, const AxisParts& parts) {
    const DType dtype = parts.operand.dtype();
    AxisParts numbers = parts;
    numbers.operand = numbers_only(parts.operand, reduction);
    const Operand scanned = scanned_parts(reduction, numbers, dtype, parts.carried_at(0));
    if (!is_extreme(reduction)) return scanned;
    numbers.operand = is_not_nan(parts.operand);
    const Operand any = scanned_parts(Reduction::maximum, numbers, boolean, parts.carried_at(1));
    return clone(AnyTensor(nan_of_none(any, scanned, dtype))).operand();
}

/// The type that a scan of elements of a built-in type computes in.
DType scanned_dtype(const char* what, Reduction reduction, DType dtype) {
    return fold_result(reduction, built_in(what, dtype));
}

} // namespace

ScanWork::ScanWork(Reduction reduction, const AxisParts& parts, DType result)
    : scan{reduction, parts.length, is_wide(parts) ? parts.inner() : 1},
      lanes(cast_operand(parts.operand, result, Op::cast)) {
    if (scan.inner > 1) lanes = parts.restored(lanes);
}

std::string explain_scan(const char* what, Reduction reduction, const AxisParts& parts) {
    const ScanWork work(reduction, parts, scanned_dtype(what, reduction, parts.operand.dtype()));
    return explain_scan(what, work.scan, work.lanes);
}

Operand scanned(const char* what, Reduction reduction, const AxisParts& parts, NanRule nan) {
    const DType dtype = parts.operand.dtype();
    if (nan == NanRule::skip && dtype.is_floating()) return scanned_non_nan(reduction, parts);
    return scanned_parts(reduction, parts, scanned_dtype(what, reduction, dtype), parts.carried);
}

} // namespace purview
