#include <purview/base/errors.hpp>
#include <purview/functional/along/lexsort.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

MutableTensor<std::int64_t> sorted_rows(const AnyTensor& column, SortOrder order) {
    require_host_reads("lexsort", column.operand());
    return MutableTensor<std::int64_t>(in_memory(
        "lexsort",
        argsort_parts("lexsort", axis_parts("lexsort", column.operand(), 0), order).operand()));
}

bool is_not_a_number(const AnyTensor& element) {
    const DType dtype = element.dtype();
    if (!dtype.is_floating() && dtype.counted_in() == dtype) return false;
    return !Tensor<bool>(is_not_nan(widened_operand(element.operand()))).item();
}

/// Rows in the order of columns of which one is sorted in runs: by numbers that order as the rows do, of the places of
/// elements among the distinct ones of their column.
MutableTensor<std::int64_t> sorted_by_places(std::span<const SortKey> columns) {
    Tensor<std::int64_t> words;
    index_t range = 1; // of words
    for (const SortKey& key : columns) {
        const auto found = unique_all(key.column);
        const index_t count = found.values.size();
        Tensor<std::int64_t> places = found.inverse;
        if (key.order == SortOrder::descending && count > 0) {
            // NaN and NaT stay the last.
            const bool has_nan = is_not_a_number(found.values(count - 1));
            const Tensor<std::int64_t> turned = count - 1 - (has_nan ? 1 : 0) - places;
            places = has_nan ? Tensor<std::int64_t>(where(turned < 0, count - 1, turned)) : turned;
        }
        if (count > 0 && range > std::numeric_limits<index_t>::max() / count) {
            const auto all = unique_all(words);
            words = all.inverse;
            range = all.values.size();
        }
        words = range == 1 ? places : Tensor<std::int64_t>(words * count + places);
        range *= std::max<index_t>(count, 1);
    }
    return argsort(words);
}

} // namespace

MutableTensor<std::int64_t> lexsort(std::span<const SortKey> columns) {
    if (columns.empty()) throw ShapeError("lexsort: there are no columns to sort by");
    const index_t rows = columns.front().column.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const AnyTensor& column = columns[c].column;
        if (column.rank() != 1 || column.size() != rows)
            throw ShapeError(fmt::format(
                "lexsort: column {} has the shape {}, and the first one {}: "
                "columns have one axis, of one length",
                c, to_string(column.shape()), to_string(columns.front().column.shape())));
    }
    if (std::ranges::any_of(
            columns, [](const SortKey& key) { return is_unique_in_files(key.column.operand()); }))
        return sorted_by_places(columns);
    // The last column first: a stable sort by one before it keeps the order among its equals.
    MutableTensor<std::int64_t> order = sorted_rows(columns.back().column, columns.back().order);
    for (std::size_t c = columns.size() - 1; c-- > 0;) {
        const SortKey& key = columns[c];
        const AnyTensor taken(take_operand(key.column.operand(), order.operand(), 0));
        const MutableTensor<std::int64_t> next = sorted_rows(taken, key.order);
        const auto before = as_span(order);
        for (std::int64_t& row : as_span(next)) row = before[static_cast<std::size_t>(row)];
        order = next;
    }
    return brought_to(columns.front().column.operand(), order);
}

MutableTensor<std::int64_t> lexsort(std::initializer_list<SortKey> columns) {
    return lexsort(std::span(columns.begin(), columns.size()));
}

} // namespace purview
