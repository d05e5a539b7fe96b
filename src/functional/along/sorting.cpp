#include <purview/base/checked.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>

#include "functional/along/ordered_counts.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {

namespace {

/// Numbers that sort as the elements do. Descending, the counts of times have NaT last as they are.
Operand in_sorting_order(const Operand& x, SortOrder order) {
    return order == SortOrder::descending ? times_as_counts(x) : ordered_counts(x);
}

} // namespace

MutableTensor<std::int64_t> argsort_parts(const char* what, const AxisParts& given,
                                          SortOrder order) {
    AxisParts parts = given;
    parts.operand = in_sorting_order(given.operand, order);
    const DType dtype = parts.operand.dtype();
    if (dtype == kDType<std::string>)
        return argsort_by<std::string>(parts, [=](const std::string& a, const std::string& b) {
            return order == SortOrder::descending ? b < a : a < b;
        });
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    argsort_groups(parts.operand, parts.groups, order, as_span(result).data());
    return result;
}

Operand taken_along(const AxisParts& parts, const Operand& indexes) {
    const index_t matrix[] = {parts.groups, parts.length};
    const auto lanes = [&](const Operand& x) {
        return Operand{x.node, dimensions::reshape(x.dims, matrix)};
    };
    Operand taken = take_along_axis_operand(lanes(parts.operand), lanes(indexes), 1);
    taken.dims = dimensions::reshape(taken.dims, parts.operand.dims.max_shape());
    return taken;
}

Operand sorted_parts(const char* what, const AxisParts& given, SortOrder order) {
    AxisParts parts = given;
    parts.operand = in_sorting_order(given.operand, order);
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) {
        const MutableTensor<std::int64_t> indexes = argsort_parts(what, parts, order);
        return clone(AnyTensor(taken_along(parts, indexes.operand()))).operand();
    }
    const AnyTensor sorted = visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        MutableTensor<T> result = empty<T>(parts.operand.dims.max_shape());
        sort_groups(parts.operand, parts.groups, order, as_span(result).data());
        return AnyTensor(result);
    });
    const DType dtype_given = given.operand.dtype();
    if (dtype_given == dtype) return sorted.operand();
    if (order == SortOrder::descending) return counts_as_times(sorted, dtype_given).operand();
    const Operand counts = counts_in_order(sorted.operand(), dtype_given);
    return counts_as_times(clone(AnyTensor(counts)), dtype_given).operand();
}

Operand first_in_order(const char* what, const AxisParts& parts, index_t count, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported(what, dtype);
    if (count < 0 || count > parts.length)
        throw IndexError(
            fmt::format("{}: there are no {} elements among {}", what, count, parts.length));
    Shape shape = to_shape(parts.operand.dims.max_shape());
    if (shape.empty()) {
        if (count == 0)
            throw IndexError(fmt::format("{}: a tensor of rank 0 has one element", what));
    } else {
        shape.back() = count;
    }
    MutableTensor<std::int64_t> result = empty<std::int64_t>(shape);
    arg_first_groups(parts.operand, parts.groups, count, order, as_span(result).data());
    return result.operand();
}

Operand partitioned(const AxisParts& parts, index_t kth, SortOrder order) {
    const DType dtype = parts.operand.dtype();
    if (!dtype.is_builtin()) throw_dtype_unsupported("argpartition", dtype);
    if (kth < -parts.length || kth >= parts.length)
        throw IndexError(fmt::format("argpartition: element {} is out of range for {} elements",
                                     kth, parts.length));
    MutableTensor<std::int64_t> result = empty<std::int64_t>(parts.operand.dims.max_shape());
    argpartition_groups(parts.operand, parts.groups, kth < 0 ? kth + parts.length : kth, order,
                        as_span(result).data());
    return result.operand();
}

} // namespace purview
