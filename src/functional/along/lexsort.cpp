#include <purview/base/errors.hpp>
#include <purview/functional/along/lexsort.hpp>
#include <purview/functional/along/search.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

MutableTensor<std::int64_t> sorted_rows(const AnyTensor& column, SortOrder order) {
    require_host_reads("lexsort", column.operand());
    return MutableTensor<std::int64_t>(in_memory(
        "lexsort",
        argsort_parts("lexsort", axis_parts("lexsort", column.operand(), 0), order).operand()));
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
