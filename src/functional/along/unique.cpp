#include <purview/dtype/visit.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/elementwise/element_view.hpp>

namespace purview {

AnyTensor any_unique(const AnyTensor& x) {
    const Operand elements = times_as_counts(x.operand());
    return counts_as_times(visit_ordered_dtype(elements.dtype(), "unique",
                                               [&]<typename T>(std::type_identity<T>) {
                                                   return AnyTensor(
                                                       SortedRuns<T>("unique", elements).values());
                                               }),
                           x.dtype());
}

UniqueElements<AnyTensor> any_unique_all(const AnyTensor& x) {
    const Operand elements = times_as_counts(x.operand());
    auto result =
        visit_ordered_dtype(elements.dtype(), "unique_all", [&]<typename T>(std::type_identity<T>) {
            return unique_elements<AnyTensor, T>(elements);
        });
    result.values = counts_as_times(std::move(result.values), x.dtype());
    return result;
}

} // namespace purview
