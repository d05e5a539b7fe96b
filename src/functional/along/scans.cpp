#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/tensor/copy.hpp>

#include <limits>

namespace purview {

namespace {

/// From this many elements after the axis on, whole rows are combined instead of gathering lanes.
constexpr index_t kWideScanRow = 32;

} // namespace

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

Operand scanned_non_nan(Reduction reduction, const AxisParts& parts, DType result) {
    const bool extreme = reduction == Reduction::minimum || reduction == Reduction::maximum;
    AxisParts numbers = parts;
    numbers.operand = without_nan(parts.operand, reduction);
    const Operand scanned = scanned_parts(reduction, numbers, result);
    if (!extreme) return scanned;
    numbers.operand = is_not_nan(parts.operand);
    const Operand any = scanned_parts(Reduction::maximum, numbers, boolean);
    return visit_dtype(result, "scan", [&]<typename R>(std::type_identity<R>) {
        if constexpr (std::floating_point<R>)
            return clone(Tensor<R>(choose_operand(
                             any, scanned, constant_operand(std::numeric_limits<R>::quiet_NaN()),
                             result)))
                .operand();
        else
            return scanned;
    });
}

Operand any_scanned_non_nan(const char* what, Reduction reduction, const AxisParts& parts) {
    const DType dtype = parts.operand.dtype();
    return dtype.is_floating() ? scanned_non_nan(reduction, parts, dtype)
                               : any_scanned_parts(what, reduction, parts);
}

Operand any_scanned_parts(const char* what, Reduction reduction, const AxisParts& parts) {
    const bool keeps_type = reduction == Reduction::minimum || reduction == Reduction::maximum;
    return visit_dtype(parts.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        return scanned_parts(reduction, parts, keeps_type ? kDType<T> : kDType<Accumulated<T>>);
    });
}

} // namespace purview
