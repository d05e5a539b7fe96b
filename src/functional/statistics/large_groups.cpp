#include <purview/functional/statistics/large_groups.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/tensor/copy.hpp>

#include "base/explained_call.hpp"
#include "dtype/stored_types.hpp"
#include "evaluation/lane_slabs.hpp"
#include "functional/along/ordered_counts.hpp"
#include "functional/reductions/slab_results.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "functional/statistics/group_results.hpp"
#include "functional/statistics/group_table.hpp"
#include "functional/statistics/grouped_rows.hpp"
#include "functional/statistics/parted_rows.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using Ending = GroupPlan::Ending;

bool goes_to_a_file(DType dtype) {
    bool found = dtype.is_builtin();
    for_each_stored(
        [&]<typename T>(std::type_identity<T>) { found = found || dtype == kDType<T>; });
    return found;
}

/// What is left for a purpose, in these parts of what the memory limit has left.
struct Rooms {
    explicit Rooms(index_t left)
        : block(left / 8), longest_block(left / 8 * 3), table(left / 2), buffers(left / 4) {}

    index_t block;
    index_t longest_block;
    index_t table;
    index_t buffers;
};

/// Whether the groups of a part fit.
using TakesPart = std::function<bool(const PartedRows&, int part)>;

class LargeGroupBy {
public:
    explicit LargeGroupBy(const LargeGrouping& grouping)
        : grouping_(grouping),
          rooms_(memory_left()),
          at_once_(grouping.wants_rows() || grouping.has_own_states()
                       ? 1
                       : parts_at_once(rooms_.table)) {}

    std::string described() const {
        std::vector<Operand> read;
        for (const LargeKey& key : grouping_.keys) read.push_back(key.numbers);
        for (const GroupedColumn& column : grouping_.columns) read.push_back(column.values);
        const std::string chunks = chunks_of(read);
        const index_t file = grouping_.rows * PartedRows::file_bytes(grouping_);
        const std::string parted = fmt::format(
            "rows are parted by their keys to temporary files, bytes written and read: {}, and each "
            "part is grouped",
            file);
        if (grouping_.wants_rows())
            return fmt::format("{}: {}; chunks read: {}", kGroupByReduce, parted, chunks);
        return fmt::format(
            "{}: block by block of rows while groups take up to {} bytes; chunks read: "
            "{}; beyond that {}, and chunks are read once more",
            kGroupByReduce, rooms_.table, chunks, parted);
    }
    LargeGroups run() {
        if (!grouping_.wants_rows()) {
            if (std::optional<LargeGroups> made = as_a_whole()) return *std::move(made);
        }
        return in_parts();
    }

private:
    /// Rows of the operands, block by block.
    void for_each_block(const TakesBlock& f) const {
        for_each_row_block(grouping_, rooms_.block, rooms_.longest_block, f);
    }

    /// Groups whose table and states fit; nothing if they do not.
    std::optional<LargeGroups> as_a_whole() {
        std::optional<GroupTable> made;
        index_t most = std::numeric_limits<index_t>::max();
        SlotCount slots(grouping_);
        index_t rows = 0;
        bool fits = true;
        for_each_block([&](const RowBlock& block) {
            if (!made) {
                most = most_slots_guessed(block);
                made.emplace(grouping_, GroupStates::Slots{1, most}, rooms_.table, /*fixed=*/false);
            }
            if (slots.wants_first()) slots.add_first(block.keys[0]);
            std::vector<std::int64_t> numbers(block.rows.size());
            rows = block.first + block.count();
            fits = made->add(block, numbers);
            return fits;
        });
        const GroupTable& table = *made; // there are rows
        if (!fits) {
            slots_.fewest = table.size();
            // as many more, for as many more rows
            groups_guessed_ = static_cast<double>(table.size()) *
                              static_cast<double>(grouping_.rows) / static_cast<double>(rows);
            return std::nullopt;
        }
        const CountedBytes counted(4 * table.size(), kGroupByReduce);
        const std::vector<std::uint32_t> order = table.order();
        for (const std::uint32_t group : order) slots.add_group(table.record(group));
        if (slots.slots() > most) {
            groups_guessed_ = static_cast<double>(table.size());
            return std::nullopt;
        }
        const GroupRecords records(grouping_, table.layout(), {});
        GroupWriter writer(records, slots, rooms_.block);
        for (const std::uint32_t group : order) records.put(table, {}, group, writer.next());
        return writer.take();
    }

    LargeGrouping keys_alone() const {
        LargeGrouping keys = grouping_;
        keys.reducers.clear();
        return keys;
    }
    /// More than there will be, if the first rows tell: where they come to few groups, there are hardly others.
    index_t most_slots_guessed(const RowBlock& block) const {
        const LargeGrouping grouping = keys_alone();
        GroupTable table(grouping, {}, rooms_.table, /*fixed=*/true);
        std::vector<std::int64_t> numbers(block.rows.size());
        if (!table.add(block, numbers) || 8 * table.size() > block.count())
            return std::numeric_limits<index_t>::max();
        SlotCount slots(grouping);
        if (slots.wants_first()) slots.add_first(block.keys[0]);
        for (index_t group = 0; group < table.size(); ++group) slots.add_group(table.record(group));
        return 2 * slots.slots();
    }

    LargeGroups in_parts() {
        SlotCount slots(grouping_);
        GroupRuns runs(grouping_);
        const double bytes =
            grouping_.wants_rows()
                ? static_cast<double>(grouping_.rows) * static_cast<double>(bytes_of_held_row())
                : groups_guessed_ *
                      static_cast<double>(GroupTable::group_bytes(grouping_, slots_guessed()));
        PartedRows parted(grouping_, grouping_.rows, bits_for(bytes), 0, rooms_.buffers);
        for_each_block([&](const RowBlock& block) {
            if (slots.wants_first()) slots.add_first(block.keys[0]);
            parted.add(block);
            return true;
        });
        parted.end();
        // How floats are added depends on the number of slots: known before they are, states are a fraction.
        const LargeGrouping keys = keys_alone();
        group_parts(parted, 1, [&](const PartedRows& rows, int part) {
            return count_groups(keys, rows, part, slots);
        });
        slots_ = {slots.slots(), slots.slots()};
        group_parts(parted, 1, [&](const PartedRows& rows, int part) {
            return grouping_.wants_rows() ? group_held(rows, part, runs)
                                          : group_streamed(rows, part, runs);
        });
        return runs.merge(slots, rooms_.buffers);
    }
    /// About as many as there will be.
    GroupStates::Slots slots_guessed() const {
        const index_t guess = std::max(slots_.fewest, static_cast<index_t>(groups_guessed_));
        return {guess, guess};
    }
    /// As many parts, as a logarithm, that each fits, about.
    int bits_for(double bytes) const {
        const double parts = 1.5 * bytes / static_cast<double>(table_room());
        const double most = static_cast<double>(rooms_.buffers) / 4096;
        int bits = 1;
        while (bits < PartedRows::kMostBits && static_cast<double>(1 << bits) < parts &&
               static_cast<double>(2 << bits) <= most)
            ++bits;
        return bits;
    }
    /// In memory, with what is made to reduce it.
    index_t bytes_of_held_row() const {
        index_t most = 0;
        for (const GroupedColumn& column : grouping_.columns)
            most = std::max(most, column.values.dtype().size_bytes());
        return PartedRows::block_bytes(grouping_) + 3 * most + 40;
    }

    /// Calls `takes` for each part, of as many at once as there is room for; those that it does not take are parted again.
    void group_parts(const PartedRows& parted, int step, const TakesPart& takes) {
        std::vector<char> left(static_cast<std::size_t>(parted.parts()), 0);
        for_each_part(parted.parts(), at_once_, [&](int part) {
            left[static_cast<std::size_t>(part)] = parted.rows(part) > 0 && !takes(parted, part);
        });
        for (int part = 0; part < parted.parts(); ++part)
            if (left[static_cast<std::size_t>(part)] != 0) part_again(parted, part, step, takes);
    }
    void part_again(const PartedRows& parted, int part, int step, const TakesPart& takes) {
        const index_t rows = parted.rows(part);
        if (step == PartedRows::kMostSteps)
            throw MemoryLimitError(fmt::format(
                "{}: {} bytes of {} rows of one key, which {}, are more than half of what the "
                "memory limit, {} bytes, leaves; reducers of states, such as mean or reducer<T>, "
                "take rows as they are read",
                kGroupByReduce, rows * bytes_of_held_row(), rows,
                grouping_.wants_rows() ? "a reducer takes together" : "share the bits of a hash",
                memory_limit()));
        const double bytes = static_cast<double>(rows * bytes_of_held_row());
        PartedRows again(grouping_, rows, bits_for(bytes), step, rooms_.buffers);
        parted.for_each_block(part, rows_of_block(), [&](const RowBlock& block) {
            again.add(block);
            return true;
        });
        again.end();
        group_parts(again, step + 1, takes);
    }
    /// Of a part.
    index_t table_room() const { return rooms_.table / at_once_; }
    index_t rows_of_block() const {
        return std::max<index_t>(1, rooms_.block / at_once_ / PartedRows::block_bytes(grouping_));
    }

    bool adds_part(GroupTable& table, const PartedRows& parted, int part) const {
        bool fits = true;
        parted.for_each_block(part, rows_of_block(), [&](const RowBlock& block) {
            std::vector<std::int64_t> numbers(block.rows.size());
            return fits = table.add(block, numbers);
        });
        return fits;
    }
    bool count_groups(const LargeGrouping& keys, const PartedRows& parted, int part,
                      SlotCount& slots) {
        GroupTable table(keys, {}, table_room(), /*fixed=*/true);
        if (!adds_part(table, parted, part)) return false;
        const std::scoped_lock lock(mutex_);
        for (index_t group = 0; group < table.size(); ++group) slots.add_group(table.record(group));
        return true;
    }
    bool group_streamed(const PartedRows& parted, int part, GroupRuns& runs) {
        GroupTable table(grouping_, slots_, table_room(), /*fixed=*/true);
        if (!adds_part(table, parted, part)) return false;
        const CountedBytes counted(4 * table.size(), kGroupByReduce);
        const std::vector<std::uint32_t> order = table.order();
        const std::scoped_lock lock(mutex_);
        runs.add(table, order, {});
        return true;
    }

    /// All rows of a part in memory.
    bool group_held(const PartedRows& parted, int part, GroupRuns& runs) const {
        const index_t rows = parted.rows(part);
        const index_t bytes = rows * (bytes_of_held_row() - PartedRows::block_bytes(grouping_));
        if (rows * bytes_of_held_row() > rooms_.table) return false;
        const CountedBytes counted(bytes, kGroupByReduce);
        bool fits = false;
        parted.for_each_block(part, rows, [&](const RowBlock& block) {
            GroupTable table(grouping_, slots_, rooms_.table / 2, /*fixed=*/true);
            std::vector<std::int64_t> numbers(block.rows.size());
            fits = table.add(block, numbers);
            if (fits) runs.add(table, table.order(), results_of_rows(block, numbers, table.size()));
            return false;
        });
        return fits;
    }
    /// Of the reducers that take the rows of a group together.
    std::vector<Operand> results_of_rows(const RowBlock& block,
                                         std::span<const std::int64_t> numbers,
                                         index_t size) const {
        std::vector<std::int32_t> group_numbers(numbers.size());
        std::ranges::transform(numbers, group_numbers.begin(), [](std::int64_t number) {
            return static_cast<std::int32_t>(number);
        });
        std::vector<index_t> order(static_cast<std::size_t>(size));
        std::iota(order.begin(), order.end(), index_t{0});
        const RowGroups groups(std::move(group_numbers), order);
        std::vector<GroupedValues> grouped(grouping_.columns.size());
        std::vector<Operand> results;
        for (const LargeGrouping::Reduced& reduced : grouping_.reducers) {
            Operand& made = results.emplace_back();
            if (reduced.plan.ending != Ending::rows_in_memory) continue;
            const AnyTensor given(reduced.by->in_memory(groups, block.values[reduced.column],
                                                        grouped[reduced.column]));
            made = clone(given).operand();
        }
        return results;
    }

    const LargeGrouping& grouping_;
    Rooms rooms_;
    int at_once_;              ///< parts
    std::mutex mutex_;         ///< of what parts are added to
    GroupStates::Slots slots_; ///< as far as they are known
    double groups_guessed_ = 0;
};

} // namespace

std::optional<LargeGroups> large_groups(std::span<const Operand> keys, bool ordered,
                                        std::span<const GroupedColumn> columns) {
    bool chunked = false;
    index_t bytes = 0;
    const auto takes = [&](const Operand& operand) {
        if (operand.node->reads(Below::symbol | Below::device) || is_sparse(operand) ||
            !goes_to_a_file(operand.dtype()) || operand.dims.rank() == 0)
            return false;
        if (operand.node->reads(Below::blocks)) {
            chunked = true;
            bytes += operand.dims.size() * operand.dtype().size_bytes();
        }
        return true;
    };
    for (const Operand& key : keys)
        if (!takes(key)) return std::nullopt;
    for (const GroupedColumn& column : columns)
        if (!takes(column.values)) return std::nullopt;
    if (!chunked || bytes <= memory_left() / 2) return std::nullopt;
    LargeGrouping grouping;
    for (const Operand& key : keys) {
        Operand numbers = ordered_counts(key);
        if (numbers.dtype() == boolean) numbers = cast_operand(numbers, uint8, Op::cast);
        if (!numbers.dtype().is_builtin()) return std::nullopt;
        grouping.keys.push_back({std::move(numbers), key.dtype()});
    }
    grouping.columns = columns;
    grouping.ordered = ordered;
    grouping.rows = keys[0].dims.size();
    for (std::size_t c = 0; c < columns.size(); ++c)
        for (const GroupReducer& by : columns[c].reducers) {
            grouping.reducers.push_back({&by, c, plan_of(by, columns[c].values)});
            if (grouping.reducers.back().plan.ending == Ending::rows_in_memory && !by.storable)
                return std::nullopt;
        }
    LargeGroupBy made(grouping);
    explained_as([&] { return made.described(); });
    return made.run();
}

} // namespace purview
