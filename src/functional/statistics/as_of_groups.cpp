#include "functional/statistics/as_of_groups.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/statistics/group_by.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include "functional/along/ordered_counts.hpp"
#include "functional/reductions/slab_results.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kAsOf = "as_of";

void check_by(const char* name, const std::vector<AnyTensor>& columns, const Operand& keys) {
    for (const AnyTensor& column : columns)
        if (column.rank() != 1 || column.size() != keys.dims.size())
            throw ShapeError(
                fmt::format("as_of: a column of {} has the shape {}, and the keys have "
                            "{}",
                            name, to_string(column.shape()), to_string(keys.dims.max_shape())));
}

AnyTensor both_sides(const AsOfOptions& options, std::size_t column) {
    return joined_any(Joining::concat,
                      {options.left_by[column].operand(), options.right_by[column].operand()}, 0);
}

/// Numbers that ascend as the elements of a column do; nothing where it has neither numbers nor times.
std::optional<LargeKey> numbered_column(const AnyTensor& column, DType common) {
    const Operand& given = column.operand();
    if (given.node->reads(Below::symbol | Below::device) || is_sparse(given)) return std::nullopt;
    const Operand cast = given.dtype() == common ? given : convert_operand(given, common, Op::cast);
    Operand numbers = ordered_counts(cast);
    if (numbers.dtype() == boolean) numbers = cast_operand(numbers, uint8, Op::cast);
    if (!numbers.dtype().is_builtin()) return std::nullopt;
    return LargeKey{std::move(numbers), common};
}

} // namespace

AsOfGroups::AsOfGroups(const Operand& left, const Operand& right, const AsOfOptions& options,
                       index_t room)
    : left_rows_(left.dims.size()) {
    grouping_.what = kAsOf;
    if (options.left_by.size() != options.right_by.size())
        throw ShapeError(fmt::format("as_of: left_by has {} columns, and right_by {}",
                                     options.left_by.size(), options.right_by.size()));
    check_by("left_by", options.left_by, left);
    check_by("right_by", options.right_by, right);
    if (options.left_by.empty()) return;
    if (room == 0) {
        find_all(options, false);
        return;
    }
    for (std::size_t c = 0; c < options.left_by.size(); ++c) {
        const DType common = both_sides(options, c).dtype();
        std::optional<LargeKey> from = numbered_column(options.left_by[c], common);
        std::optional<LargeKey> to = numbered_column(options.right_by[c], common);
        if (!from || !to) {
            grouping_.keys.clear();
            right_.clear();
            find_all(options, true);
            return;
        }
        grouping_.keys.push_back(*std::move(from));
        right_.push_back(*std::move(to));
    }
    table_ = std::make_unique<GroupTable>(grouping_, GroupStates::Slots{}, room, /*fixed=*/true);
}

void AsOfGroups::find_all(const AsOfOptions& options, bool counts) {
    const index_t rows = left_rows_ + options.right_by[0].size();
    if (counts) counted_ = CountedBytes(rows * index_t{sizeof(std::int64_t)}, kAsOf);
    std::vector<KeyedRows> columns;
    for (std::size_t c = 0; c < options.left_by.size(); ++c)
        columns.push_back(keyed_rows(clone(both_sides(options, c)).operand(), false));
    const RowGroups groups = rows_by_all(columns, false);
    numbers_ = Tensor<std::int64_t>(groups.numbers());
    groups_ = groups.size();
}

index_t AsOfGroups::row_bytes() const {
    if (!table_) return 0;
    index_t widest = 0;
    for (const LargeKey& key : grouping_.keys) widest = std::max(widest, key.dtype().size_bytes());
    return 16 + 8 * std::ssize(grouping_.keys) + widest; // numbers of rows and groups
}

std::span<const std::int64_t> AsOfGroups::of(AsOfPart part, index_t first, index_t count,
                                             std::vector<std::int64_t>& held) {
    if (!table_) {
        if (numbers_.empty()) return {};
        const index_t from = first + (part == AsOfPart::left ? 0 : left_rows_);
        return as_span(numbers_).subspan(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(count));
    }
    const auto size = static_cast<std::size_t>(count);
    std::vector<index_t> rows(size);
    std::iota(rows.begin(), rows.end(), first);
    RowBlock block{first, rows, {}, {}};
    std::vector<std::vector<std::uint64_t>> keys;
    for (const LargeKey& key : columns(part)) {
        const Operand held_numbers =
            clone(
                AnyTensor(Operand{key.numbers.node, box_from(key.numbers.dims, ShapeSpan(&first, 1),
                                                             ShapeSpan(&count, 1))}))
                .operand();
        read_key_bits(key.dtype(), memory_of(held_numbers), count, keys.emplace_back(size).data());
    }
    for (const auto& bits : keys) block.keys.emplace_back(bits);
    held.resize(size);
    if (!table_->add(block, held))
        throw MemoryLimitError(fmt::format(
            "as_of: {} groups of rows by left_by and right_by, and there are more, have no room within "
            "the memory limit, {} bytes",
            table_->size(), memory_limit()));
    return held;
}

} // namespace purview
