#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/scans.hpp>
#include <purview/reader/buffer.hpp>

namespace purview {

Operand scanned_parts(Reduction reduction, const AxisParts& parts, DType result) {
    const Operand source = cast_operand(parts.operand, result, Op::cast);
    return visit_dtype(result, "scan", [&]<typename R>(std::type_identity<R>) {
        MutableTensor<R> out = empty<R>(parts.operand.dims.max_shape());
        if (!out.empty()) scan_groups(reduction, source, parts.groups, as_span(out).data());
        return out.operand();
    });
}

Operand any_scanned_parts(const char* what, Reduction reduction, const AxisParts& parts) {
    const bool keeps_type = reduction == Reduction::minimum || reduction == Reduction::maximum;
    return visit_dtype(parts.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        return scanned_parts(reduction, parts, keeps_type ? kDType<T> : kDType<Accumulated<T>>);
    });
}

} // namespace purview
