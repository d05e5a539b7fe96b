#include "functional/statistics/grouped_rows.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/tensor/copy.hpp>

#include "dtype/element_block.hpp"
#include "evaluation/row_blocks.hpp"
#include "functional/reductions/found_nan.hpp"
#include "functional/reductions/slab_results.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reader/chunk_cache.hpp"

#include <algorithm>
#include <numeric>

namespace purview::inline v0_1 {
namespace {

/// With the index in the whole.
void refuse_nan(const LargeGrouping& grouping, const RowBlock& block) {
    for (const LargeGrouping::Reduced& reduced : grouping.reducers) {
        if (!reduced.by->refuses_nan) continue;
        const Operand& values = block.values[reduced.column];
        try {
            require_no_nan(kGroupByReduce, values, DimVector{});
        } catch (const ArithmeticError&) {
            ElementBlock numbers(boolean, block.count());
            read_all(is_not_nan(values), numbers.data());
            const auto* const first = static_cast<const bool*>(numbers.data());
            throw_found_nan(
                kGroupByReduce, grouping.columns[reduced.column].values,
                block.first + std::distance(first, std::find(first, first + block.count(), false)),
                {});
        }
    }
}

/// Of the coordinates [from, end) along the first axis, of one column after the other in `blocks`.
bool f_of_block(const LargeGrouping& grouping, std::span<const RowBlocks> blocks, index_t number,
                index_t from, index_t end, const TakesBlock& f) {
    const index_t of_one = grouping.rows / grouping.keys[0].numbers.dims.max_shape()[0];
    const index_t count = (end - from) * of_one;
    const auto next_column = [&]() -> Operand {
        const Operand held = blocks.front().block(number);
        blocks = blocks.subspan(1);
        return {held.node, Dimensions::row_major(ShapeSpan(&count, 1))};
    };
    std::vector<index_t> rows(static_cast<std::size_t>(count));
    std::iota(rows.begin(), rows.end(), from * of_one);
    RowBlock block{rows.front(), rows, {}, {}};
    std::vector<std::vector<std::uint64_t>> keys;
    for (const LargeKey& key : grouping.keys) {
        const Operand held = next_column();
        auto& bits = keys.emplace_back(static_cast<std::size_t>(count));
        read_key_bits(key.dtype(), memory_of(held), count, bits.data());
    }
    for (const auto& bits : keys) block.keys.emplace_back(bits);
    while (!blocks.empty()) block.values.push_back(next_column());
    refuse_nan(grouping, block);
    return f(block);
}

} // namespace

void for_each_row_block(const LargeGrouping& grouping, index_t bytes, index_t longest,
                        const TakesBlock& f) {
    std::vector<Operand> columns;
    index_t row_bytes = 16; // its number, and that of its group
    index_t key_bytes = 0;  // numbers of one key at a time
    for (const LargeKey& key : grouping.keys) {
        columns.push_back(key.numbers);
        row_bytes += 8;
        key_bytes = std::max(key_bytes, key.dtype().size_bytes());
    }
    row_bytes += key_bytes;
    for (const GroupedColumn& column : grouping.columns) {
        columns.push_back(column.values);
        row_bytes += column.values.dtype().size_bytes();
    }
    const ShapeSpan shape = columns[0].dims.max_shape();
    const index_t of_one = row_bytes * (grouping.rows / shape[0]); // coordinate
    const auto length = [&](index_t room) { return std::max<index_t>(1, room / of_one); };
    const Shape ends = row_block_ends(columns, length(bytes), length(longest));
    std::vector<RowBlocks> blocks;
    const index_t room = longest / std::ssize(columns); // for chunks of each
    for (const Operand& column : columns) blocks.emplace_back(kGroupByReduce, column, ends, room);
    for (index_t number = 0, from = 0; number < std::ssize(ends); ++number) {
        const index_t end = ends[static_cast<std::size_t>(number)];
        const CountedBytes counted((end - from) * of_one, kGroupByReduce);
        if (!f_of_block(grouping, blocks, number, from, end, f)) return;
        from = end;
    }
}

} // namespace purview
