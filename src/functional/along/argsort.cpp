#include <purview/dtype/visit.hpp>
#include <purview/functional/along/argsort.hpp>

namespace purview {

MutableTensor<std::int64_t> any_argsort(const AxisParts& parts, SortOrder order) {
    return visit_dtype(parts.operand.dtype(), "argsort", [&]<typename T>(std::type_identity<T>) {
        return argsort_in<T>(parts, order);
    });
}

AnyTensor any_sort(const AxisParts& parts, SortOrder order) {
    return visit_dtype(parts.operand.dtype(), "sort", [&]<typename T>(std::type_identity<T>) {
        return AnyTensor(taken_along<T>(parts, argsort_in<T>(parts, order)));
    });
}

} // namespace purview
