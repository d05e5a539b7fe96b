// Defines purview/functional/statistics/group_by.hpp.

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/statistics/group_by.hpp>

#include "functional/along/numbered_rows.hpp"
#include "functional/along/ordered_counts.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

namespace purview::inline v0_1 {
namespace {

std::vector<index_t> ascending_numbers(std::size_t count) {
    std::vector<index_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), index_t{0});
    return numbers;
}

/// The elements of a flat operand at some rows.
Operand elements_at(const Operand& flat, std::vector<index_t> rows) {
    return take_operand(flat, tensor(std::move(rows)).operand(), 0);
}

/// Groups of `given` in the order of `places`, and their keys.
KeyedRows rows_of(const Operand& given, std::vector<std::int32_t> numbers,
                  const std::vector<index_t>& places, const std::vector<index_t>& first_rows,
                  const Operand& flat) {
    std::vector<index_t> rows;
    for (const index_t place : places) rows.push_back(first_rows[static_cast<std::size_t>(place)]);
    return {RowGroups(std::move(numbers), places), given, elements_at(flat, std::move(rows))};
}

KeyedRows rows_by_strings(const Operand& given, bool ordered) {
    const Tensor<std::string> flat = contiguous(reshape(Tensor<std::string>(given), {-1}));
    const std::span<const std::string> keys = as_span(flat);
    NumberedRows rows = number_strings("group_by_reduce", keys);
    std::vector<index_t> places = ascending_numbers(rows.first_rows.size());
    if (ordered)
        std::ranges::sort(places, {}, [&](index_t place) -> const std::string& {
            const index_t row = rows.first_rows[static_cast<std::size_t>(place)];
            return keys[static_cast<std::size_t>(row)];
        });
    return rows_of(given, std::move(rows.numbers), places, rows.first_rows, flat.operand());
}

} // namespace

KeyedRows keyed_rows(const Operand& keys, bool ordered) {
    if (keys.dtype() == kDType<std::string>) return rows_by_strings(keys, ordered);
    require_host_reads("group_by_reduce", keys);
    const Operand numbers = ordered_counts(keys);
    return {RowGroups(numbers, ordered), keys, {}};
}

KeyedRows keyed_rows(const SortedRuns& runs, const Operand& keys, bool ordered) {
    std::vector<std::int32_t> numbers(static_cast<std::size_t>(runs.order().size()));
    const MutableTensor<std::int64_t> numbered = runs.inverse(runs.order().shape());
    for (std::size_t row = 0; const std::int64_t run : as_span(numbered))
        numbers[row++] = static_cast<std::int32_t>(run);
    const std::vector<index_t> first_rows = to_vector(runs.first_indexes());
    std::vector<index_t> places = ascending_numbers(first_rows.size());
    if (!ordered)
        std::ranges::sort(
            places, {}, [&](index_t place) { return first_rows[static_cast<std::size_t>(place)]; });
    return rows_of(keys, std::move(numbers), places, first_rows, runs.flat());
}

Operand keys_of(const KeyedRows& rows) {
    if (rows.keys.node != nullptr) return rows.keys;
    const DType dtype = rows.given.dtype();
    if (dtype.is_builtin()) return rows.groups.keys();
    const AnyTensor counts(counts_in_order(rows.groups.keys(), dtype));
    return counts_as_times(clone(counts), dtype).operand();
}

namespace {

/// Numbers below `count` that ascend as the groups do.
struct Numbers {
    Operand numbers;
    index_t count;
};
Numbers numbers_of(const RowGroups& groups) { return {groups.numbers(), groups.size()}; }

/// All numbers, in the order of the columns; nothing where these are too many for a table.
std::optional<Operand> near_numbers(std::span<const KeyedRows> columns) {
    const index_t rows = columns[0].groups.rows();
    index_t count = 1;
    std::optional<Tensor<std::int64_t>> all;
    for (const KeyedRows& column : columns) {
        const auto near = column.groups.near_numbers();
        if (!near || near->count > 2 * rows / count) return std::nullopt;
        count *= near->count;
        const auto numbers = reshape(Tensor<std::int64_t>(near->numbers), {rows}) - near->least;
        all = all ? Tensor<std::int64_t>(*all * near->count + numbers)
                  : Tensor<std::int64_t>(numbers);
    }
    return clone(*all).operand();
}

/// All numbers, from those of groups, which are made fewer before they are too many.
Operand dense_numbers(std::span<const KeyedRows> columns) {
    constexpr index_t kMost = index_t{1} << 62;
    Numbers all = numbers_of(columns[0].groups);
    for (const KeyedRows& column : columns.subspan(1)) {
        const Numbers more = numbers_of(column.groups);
        if (more.count > 0 && all.count > kMost / more.count)
            all = numbers_of(RowGroups(all.numbers, true));
        all.numbers = clone(Tensor<std::int64_t>(all.numbers) * more.count +
                            Tensor<std::int64_t>(more.numbers))
                          .operand();
        all.count *= more.count;
    }
    return all.numbers;
}

} // namespace

RowGroups rows_by_all(std::span<const KeyedRows> columns, bool ordered) {
    const std::optional<Operand> near = near_numbers(columns);
    return RowGroups(near ? *near : dense_numbers(columns), ordered, /*blocks_by_groups=*/true);
}

std::vector<Operand> keys_of(std::span<const KeyedRows> columns, const RowGroups& groups) {
    const std::vector<index_t> rows = groups.first_rows();
    std::vector<Operand> keys;
    for (const KeyedRows& column : columns)
        keys.push_back(elements_at(reshape(AnyTensor(column.given), {-1}).operand(), rows));
    return keys;
}

} // namespace purview
