// Defines purview/mpi/order.hpp.

#include <purview/mpi/moving.hpp>
#include <purview/mpi/order.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "messages/ranks.hpp"
#include "order/partial_groups.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/row_groups.hpp>
#include <purview/expression/elementwise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

void require_rows(ShapeSpan keys, ShapeSpan values) {
    if (!std::ranges::equal(keys, values))
        throw ShapeError(fmt::format("group_by_reduce: keys of shape {} and values of shape {}",
                                     purview::to_string(keys), purview::to_string(values)));
}

/// The first column is the number of rows.
constexpr WordColumn kRows{MergedBy::sum, WordType::int64};

/// Whether a fold is of whether values are true.
bool is_of_bools(MergedFold fold) noexcept {
    return fold == MergedFold::any || fold == MergedFold::all || fold == MergedFold::trues;
}

WordType words_for(const MergedColumn& column, DType values) {
    if (is_of_bools(column.fold)) return WordType::int64;
    if (values.is_floating() || column.fold == MergedFold::mean) return WordType::float64;
    return values == uint64 ? WordType::uint64 : WordType::int64;
}

WordColumn word_column(const MergedColumn& column, DType values) {
    const WordType type = words_for(column, values);
    switch (column.fold) {
    case MergedFold::product: return {MergedBy::product, type};
    case MergedFold::all:
    case MergedFold::minimum: return {MergedBy::minimum, type};
    case MergedFold::any:
    case MergedFold::maximum: return {MergedBy::maximum, type};
    case MergedFold::rows:
    case MergedFold::trues:
    case MergedFold::sum:
    case MergedFold::mean: break;
    }
    return {MergedBy::sum, type};
}

GroupFold fold_of(MergedBy by) noexcept {
    switch (by) {
    case MergedBy::product: return GroupFold::of_product;
    case MergedBy::minimum: return GroupFold::of_minimum;
    case MergedBy::maximum: return GroupFold::of_maximum;
    case MergedBy::sum: break;
    }
    return GroupFold::of_sum;
}

DType dtype_of(WordType type) noexcept {
    return type == WordType::float64 ? float64 : type == WordType::uint64 ? uint64 : int64;
}

/// What this rank's part gives.
PartialGroups own_groups(const Operand& keys, const Operand& values,
                         std::span<const MergedColumn> columns) {
    PartialGroups result;
    if (keys.dims.size() == 0) return result;
    const RowGroups groups(keys, true);
    result.add_column(groups.counts());
    for (const MergedColumn& column : columns) {
        if (column.fold == MergedFold::rows) continue; // the first column has them
        const WordColumn word = word_column(column, values.dtype());
        Operand taken = values;
        if (is_of_bools(column.fold)) taken = cast_operand(std::move(taken), boolean, Op::cast);
        taken = cast_operand(std::move(taken), dtype_of(word.type), Op::cast);
        result.add_column(groups.fold(fold_of(word.merged_by), taken));
    }
    result.set_keys("group_by_reduce", groups.keys());
    return result;
}

Operand result_column(const char* what, const MergedColumn& column, WordType type,
                      std::span<const std::uint64_t> words, std::span<const std::uint64_t> rows) {
    const index_t shape[] = {std::ssize(words)};
    const Operand result = new_elements(what, column.result, shape);
    visit_dtype(column.result, what, [&]<typename R>(std::type_identity<R>) {
        R* const out = reinterpret_cast<R*>(memory_of(result));
        for (std::size_t g = 0; g < words.size(); ++g) {
            if (column.fold == MergedFold::mean)
                out[g] =
                    static_cast<R>(std::bit_cast<double>(words[g]) / static_cast<double>(rows[g]));
            else if (type == WordType::float64)
                out[g] = static_cast<R>(std::bit_cast<double>(words[g]));
            else
                out[g] = static_cast<R>(words[g]);
        }
    });
    return result;
}

std::vector<Operand> results_of(const char* what, DType keys, std::span<const MergedColumn> columns,
                                std::span<const WordColumn> words, const PartialGroups& groups) {
    std::vector<Operand> results;
    results.push_back(groups.keys_in_memory(what, keys));
    std::size_t at = 1;
    for (const MergedColumn& column : columns) {
        const std::size_t c = column.fold == MergedFold::rows ? 0 : at++;
        results.push_back(
            result_column(what, column, words[c].type, groups.column(c), groups.column(0)));
    }
    return results;
}

} // namespace

std::vector<Operand> group_by_reduce_any(const AnyDistributed& keys, const AnyDistributed& values,
                                         std::span<const MergedColumn> columns) {
    constexpr const char* what = "group_by_reduce";
    const Distribution& d = keys.distribution();
    Ranks& ranks = d.communicator().ranks();
    std::vector<WordColumn> words{kRows};
    const ExitNotice exit_notice(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_one_communicator(what, d, values.distribution());
        require_rows(keys.shape(), values.shape());
        visit_dtype(keys.dtype(), what, [](auto) {});
        visit_dtype(values.dtype(), what, [](auto) {});
        call.add("keys", "");
        describe(call, keys);
        call.add("values", "");
        describe(call, values);
        for (const MergedColumn& column : columns) {
            call.add_hash(static_cast<std::uint64_t>(column.fold));
            if (column.fold != MergedFold::rows)
                words.push_back(word_column(column, values.dtype()));
        }
    });
    const AnyDistributed beside = values.distribution() == d ? values : redistribute_any(values, d);
    PartialGroups groups;
    collective(ranks, what,
               [&] { groups = own_groups(keys.local_operand(), beside.local_operand(), columns); });
    merge_all(ranks, what, words, groups);
    std::vector<Operand> results;
    collective(ranks, what,
               [&] { results = results_of(what, keys.dtype(), columns, words, groups); });
    return results;
}

} // namespace purview
