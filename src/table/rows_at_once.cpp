#include "table/rows_at_once.hpp"

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kMostRows = index_t{1} << 20;
constexpr index_t kMostBytes = index_t{64} << 20;

} // namespace

index_t rows_at_once(const Columns& columns) {
    index_t row_bytes = 1;
    for (const Column& column : columns) {
        const index_t rows = std::max<index_t>(column.rows(), 1);
        row_bytes += column.values.size() / rows * column.dtype().size_bytes();
    }
    const index_t bytes = std::min(kMostBytes, memory_limit() / 8);
    return std::clamp<index_t>(bytes / row_bytes, 1, kMostRows);
}

Columns rows_of(const Columns& columns, index_t begin, index_t end) {
    std::vector<Column> parts(columns.begin(), columns.end());
    for (Column& part : parts) {
        part.values = part.values(range(begin, end));
        part.missing = part.missing(range(begin, end));
    }
    return Columns(std::move(parts));
}

} // namespace purview
