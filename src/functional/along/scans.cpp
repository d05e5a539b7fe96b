#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>

#include <limits>

namespace purview::inline v0_1 {

namespace {

/// From this many elements after the axis on, whole rows are combined instead of gathering lanes.
constexpr index_t kWideScanRow = 32;

/// The scan in the type `result`.
Operand scanned_parts(Reduction reduction, const AxisParts& parts, DType result) {
    const Operand source = cast_operand(parts.operand, result, Op::cast);
    const index_t inner = parts.inner();
    return visit_dtype(result, "scan", [&]<typename R>(std::type_identity<R>) {
        if (inner >= kWideScanRow) {
            const Operand rows = parts.restored(source);
            MutableTensor<R> out = empty<R>(rows.dims.max_shape());
            if (!out.empty()) scan_rows(reduction, rows, parts.length, inner, as_span(out).data());
            return axis_parts("scan", out.operand(), parts.axis()).operand;
        }
        MutableTensor<R> out = empty<R>(parts.operand.dims.max_shape());
        if (!out.empty()) scan_groups(reduction, source, parts.groups, as_span(out).data());
        return out.operand();
    });
}

bool is_extreme(Reduction reduction) {
    return reduction == Reduction::minimum || reduction == Reduction::maximum;
}

Operand scanned_non_nan(Reduction reduction, const AxisParts& parts) {
    const DType dtype = parts.operand.dtype();
    AxisParts numbers = parts;
    numbers.operand = without_nan(parts.operand, reduction);
    const Operand scanned = scanned_parts(reduction, numbers, dtype);
    if (!is_extreme(reduction)) return scanned;
    numbers.operand = is_not_nan(parts.operand);
    const Operand any = scanned_parts(Reduction::maximum, numbers, boolean);
    return visit_dtype(dtype, "scan", [&]<typename R>(std::type_identity<R>) {
        if constexpr (std::floating_point<R>)
            return clone(Tensor<R>(choose_operand(
                             any, scanned, constant_operand(std::numeric_limits<R>::quiet_NaN()),
                             dtype)))
                .operand();
        else
            return scanned;
    });
}

} // namespace

Operand scanned(const char* what, Reduction reduction, const AxisParts& parts, NanRule nan) {
    const DType dtype = parts.operand.dtype();
    if (nan == NanRule::skip && dtype.is_floating()) return scanned_non_nan(reduction, parts);
    return visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        return scanned_parts(reduction, parts,
                             is_extreme(reduction) ? dtype : kDType<Accumulated<T>>);
    });
}

} // namespace purview
