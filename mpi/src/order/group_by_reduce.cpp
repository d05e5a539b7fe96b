// Defines purview/mpi/order.hpp.

#include <purview/mpi/moving.hpp>
#include <purview/mpi/order.hpp>

#include "distributions/derived.hpp"
#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "messages/ranks.hpp"
#include "order/partial_groups.hpp"
#include "reader/chunk_cache.hpp"
#include "reductions/joined_reducer.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/row_groups.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/copy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

void require_rows(ShapeSpan keys, ShapeSpan values) {
    if (!std::ranges::equal(keys, values))
        throw ShapeError(fmt::format("group_by_reduce: keys of shape {} and values of shape {}",
                                     purview::to_string(keys), purview::to_string(values)));
}

/// A column of the results, and what each rank folds for it: sums and means of float32 in float64.
struct Column {
    const GroupColumn& given;
    DType element; ///< of the values

    Column(const GroupColumn& column, DType values) : given(column), element(values) {
        const BuiltInReduction* const by = given.by.built_in;
        const std::optional<PlainFold> fold = by != nullptr ? by->as_fold() : std::nullopt;
        if (fold && fold->reduction == Reduction::sum && values == float32) element = float64;
    }
    bool is_rows() const noexcept {
        return given.by.built_in == nullptr && given.by.own == nullptr;
    }
};

/// Groups of rows of all ranks. The first reducer is that of the number of rows.
class GroupsOfRanks {
public:
    /// On all ranks alike, before anything is reduced.
    GroupsOfRanks(std::span<const GroupColumn> columns, DType values) {
        reducers_.push_back(fold_reduction(Reduction::sum).reducer(int64, false));
        for (const GroupColumn& each : columns) {
            const Column& column = columns_.emplace_back(each, values);
            if (column.is_rows()) continue;
            reducers_.push_back(joined_reducer(kName, each.by, column.element));
            const bool takes_places = each.by.own != nullptr
                                          ? each.by.own->takes_places()
                                          : each.by.order() != AxisOrder::of_operand;
            if (takes_places)
                throw KindError(fmt::format(
                    "{}: {} gives or takes places in a group, which ranks do not know of those that lie on several: "
                    "bring the rows together by all_gather",
                    kName, each.by.name()));
        }
    }

    bool keeps_order() const {
        return std::ranges::any_of(reducers_,
                                   [](const auto& reducer) { return reducer->keeps_order(); });
    }
    void fold(const Operand& keys, const Operand& values) {
        own_.states.resize(reducers_.size());
        if (keys.dims.size() == 0) return;
        const RowGroups rows(keys, true);
        index_t bytes = 0;
        for (const auto& reducer : reducers_) bytes += rows.size() * reducer->state_bytes();
        counted_ = CountedBytes(bytes, kName);
        const auto states_of = [&](std::size_t reducer) {
            std::vector<std::byte>& states = own_.states[reducer];
            states.resize(
                static_cast<std::size_t>(rows.size() * reducers_[reducer]->state_bytes()));
            return states.data();
        };
        read_all(rows.counts(), states_of(0));
        GroupedValues grouped;
        std::size_t reducer = 1;
        for (const Column& column : columns_) {
            if (column.is_rows()) continue;
            std::byte* const states = states_of(reducer++);
            GroupedValues widened;
            fold_rows(rows, cast_operand(values, column.element, Op::cast),
                      column.element == values.dtype() ? grouped : widened, column.given.by,
                      states);
        }
        own_.set_keys(kName, rows.keys());
    }
    void merge(Ranks& ranks) { merge_all(ranks, kName, reducers_, own_); }

    std::vector<Operand> results(DType keys) {
        std::vector<Operand> results{own_.keys_in_memory(kName, keys)};
        std::size_t reducer = 1;
        for (const Column& column : columns_)
            results.push_back(column.is_rows() ? finished(column, 0) : finished(column, reducer++));
        return results;
    }

private:
    static constexpr const char* kName = "group_by_reduce";

    Operand finished(const Column& column, std::size_t place) {
        const Reducer& reducer = *reducers_[place];
        const std::span<const std::int64_t> rows = own_.integers(0);
        Operand results = column.is_rows()
                              ? new_elements(kName, int64, Shape{own_.size()})
                              : column.given.by.new_results(reducer, Shape{own_.size()});
        if (results.dims.size() > 0) {
            const std::byte* state = own_.states[place].data();
            std::byte* out = memory_of(results);
            for (const std::int64_t count : rows) {
                reducer.finish(state, 1, count, out);
                state += reducer.state_bytes();
                out += reducer.results_of(1) * reducer.result().size_bytes();
            }
        }
        results = with_lists_at(0, reducer, std::move(results));
        if (column.element == float64 && column.given.result == float32)
            return clone(AnyTensor(cast_operand(results, float32, Op::cast))).operand();
        return results;
    }

    std::vector<Column> columns_;
    GroupReducers reducers_;
    PartialGroups own_;
    CountedBytes counted_; ///< of the states of this rank's rows
};

} // namespace

std::vector<Operand> group_by_reduce_any(const AnyDistributed& keys, const AnyDistributed& values,
                                         std::span<const GroupColumn> columns) {
    constexpr const char* what = "group_by_reduce";
    const Distribution& given = keys.distribution();
    Ranks& ranks = given.communicator().ranks();
    for (const GroupColumn& column : columns)
        check_nan(column.by.nan, ranks, what, values.global_operand());
    std::optional<GroupsOfRanks> groups;
    const ExitNotice leaving(ranks, what);
    agree(ranks, what, [&](CallText& call) {
        require_one_communicator(what, given, values.distribution());
        require_rows(keys.shape(), values.shape());
        visit_dtype(keys.dtype(), what, [](auto) {});
        visit_dtype(values.dtype(), what, [](auto) {});
        call.add("keys", "");
        describe(call, keys);
        call.add("values", "");
        describe(call, values);
        for (const GroupColumn& column : columns) describe_reducer(call, what, column.by);
        groups.emplace(columns, values.dtype());
    });
    const Distribution d =
        groups->keeps_order() ? blocks_along_alone(given, keys.shape(), 0) : given;
    const auto beside = [&](const AnyDistributed& x) {
        return x.distribution() == d ? x : redistribute_any(x, d);
    };
    const AnyDistributed own_keys = beside(keys);
    const AnyDistributed own_values = beside(values);
    collective(ranks, what,
               [&] { groups->fold(own_keys.local_operand(), own_values.local_operand()); });
    groups->merge(ranks);
    std::vector<Operand> results;
    collective(ranks, what, [&] { results = groups->results(keys.dtype()); });
    return results;
}

} // namespace purview
