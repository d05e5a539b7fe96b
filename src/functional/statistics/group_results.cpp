#include "functional/statistics/group_results.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/copy.hpp>

#include "expression/stored_leaf.hpp"
#include "functional/along/ordered_counts.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reader/strided_elements.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <queue>

namespace purview::inline v0_1 {
namespace {

using Ending = GroupPlan::Ending;

index_t in_words(index_t bytes) { return (bytes + 7) / 8 * 8; }

/// What has chunks among keys and values, or the first key.
const Operand& chunked_operand(const LargeGrouping& grouping) {
    for (const LargeKey& key : grouping.keys)
        if (key.numbers.node->reads(Below::blocks)) return key.numbers;
    for (const GroupedColumn& column : grouping.columns)
        if (column.values.node->reads(Below::blocks)) return column.values;
    return grouping.keys[0].numbers;
}

} // namespace

void SlotCount::add_first(std::span<const std::uint64_t> bits) {
    for (const std::uint64_t each : bits)
        if (wants_first()) first_.push_back(key_word(grouping_.keys[0].dtype(), each));
}

void SlotCount::add_group(const std::byte* record) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, record, sizeof(word));
    if (groups_++ == 0) {
        some_ = word;
        range_ = {word, word, 0, 0};
    }
    range_.least = std::min(range_.least, word);
    range_.greatest = std::max(range_.greatest, word);
    if (range_.common != 1)
        range_.common = std::gcd(range_.common, std::max(word, some_) - std::min(word, some_));
}

index_t SlotCount::slots() const {
    if (!is_ranged()) return groups_;
    KeyRange range = range_;
    for (const std::uint64_t word : first_)
        range.looked_at = std::gcd(range.looked_at, word - range.least);
    return slots_of_keys(range, grouping_.rows, groups_);
}

GroupRecords::GroupRecords(const LargeGrouping& grouping, const GroupLayout& layout,
                           std::span<const Operand> results)
    : grouping_(grouping), layout_(layout), bytes_(layout.bytes) {
    for (std::size_t r = 0; r < grouping.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping.reducers[r];
        own_at_.push_back(bytes_);
        results_.push_back(reduced.plan.result);
        if (reduced.plan.ending == Ending::own_states)
            bytes_ += in_words(reduced.by->chosen->own->state_bytes());
        if (reduced.plan.ending == Ending::rows_in_memory) {
            results_.back() = results[r].dtype();
            bytes_ += in_words(results[r].dtype().size_bytes());
        }
    }
}

void GroupRecords::put(const GroupTable& table, std::span<const Operand> results, index_t group,
                       std::byte* out) const {
    std::memcpy(out, table.record(group), static_cast<std::size_t>(layout_.bytes));
    for (std::size_t r = 0; r < grouping_.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping_.reducers[r];
        if (reduced.plan.ending == Ending::own_states)
            std::memcpy(out + own_at_[r], table.own_state(r, group),
                        static_cast<std::size_t>(reduced.by->chosen->own->state_bytes()));
        if (reduced.plan.ending == Ending::rows_in_memory) {
            const index_t size = results_[r].size_bytes();
            std::memcpy(out + own_at_[r], memory_of(results[r]) + group * size,
                        static_cast<std::size_t>(size));
        }
    }
}

GroupWriter::GroupWriter(const GroupRecords& records, const SlotCount& slots, index_t buffer_bytes)
    : records_(records),
      grouping_(records.grouping_),
      slots_(slots.slots()),
      most_(std::clamp<index_t>(buffer_bytes / 2 / records.bytes(), 1,
                                std::max<index_t>(slots.groups(), 1))) {
    counted_ = CountedBytes(2 * most_ * records.bytes(), kGroupByReduce);
    buffer_.resize(static_cast<std::size_t>(most_ * records.bytes()));
    const index_t groups = slots.groups();
    const Operand& source = chunked_operand(grouping_);
    for (const LargeKey& key : grouping_.keys)
        keys_.emplace_back(kGroupByReduce, source, key.given, groups);
    for (std::size_t r = 0; r < grouping_.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping_.reducers[r];
        const bool is_own = reduced.plan.ending == Ending::own_states;
        const FunctionReducer* const own = is_own ? reduced.by->chosen->own : nullptr;
        if (own != nullptr && (own->width() > 0 || !own->result().is_builtin()))
            results_.emplace_back(reduced.by->chosen->new_results(*own, {groups}));
        else
            results_.emplace_back(kGroupByReduce, source, records.results_[r], groups);
    }
}

std::byte* GroupWriter::next() {
    if (held_ == most_) flush();
    return buffer_.data() + held_++ * records_.bytes();
}

LargeGroups GroupWriter::take() {
    flush();
    LargeGroups made;
    for (const AppendedResults& key : keys_) made.keys.push_back(key.all());
    for (std::size_t r = 0; r < grouping_.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping_.reducers[r];
        made.results.push_back(reduced.plan.ending == Ending::own_states
                                   ? with_lists_at(0, *reduced.by->chosen->own, results_[r].all())
                                   : results_[r].all());
    }
    return made;
}

void GroupWriter::flush() {
    if (held_ == 0) return;
    // a range, which is told of and may be cancelled
    parallel_ranges(1, 1, 0, [&](index_t, index_t) {
        for (std::size_t k = 0; k < grouping_.keys.size(); ++k) write_key(k);
        for (std::size_t r = 0; r < grouping_.reducers.size(); ++r) write_result(r);
    });
    held_ = 0;
}

Operand GroupWriter::batch_of(DType dtype) const {
    return new_stored_memory(kGroupByReduce, dtype, Dimensions::row_major(ShapeSpan(&held_, 1)),
                             /*initialized=*/false);
}

void GroupWriter::write_key(std::size_t k) {
    const LargeKey& key = grouping_.keys[k];
    const index_t at = key.has_bits() ? records_.layout_.bits_at[k] : 8 * static_cast<index_t>(k);
    const Operand batch = batch_of(key.dtype());
    visit_dtype(key.dtype(), kGroupByReduce, [&]<typename T>(std::type_identity<T>) {
        auto* to = reinterpret_cast<T*>(memory_of(batch));
        for (index_t i = 0; i < held_; ++i) {
            std::uint64_t word = 0;
            std::memcpy(&word, buffer_.data() + i * records_.bytes() + at, sizeof(word));
            if (key.has_bits())
                std::memcpy(to++, &word, sizeof(T)); // the least bytes, little-endian
            else
                *to++ = static_cast<T>(key_bits(key.dtype(), word));
        }
    });
    if (key.given == key.dtype()) return keys_[k].append(batch);
    if (key.given == boolean) return keys_[k].append(cast_operand(batch, boolean, Op::cast));
    const AnyTensor counts(counts_in_order(batch, key.given));
    keys_[k].append(counts_as_times(clone(counts), key.given).operand());
}

void GroupWriter::write_result(std::size_t r) {
    const LargeGrouping::Reduced& reduced = grouping_.reducers[r];
    const GroupPlan& plan = reduced.plan;
    if (plan.ending == Ending::own_states) {
        const FunctionReducer& own = *reduced.by->chosen->own;
        const auto size = static_cast<std::size_t>(own.state_bytes());
        std::vector<std::byte> states(static_cast<std::size_t>(held_) * size);
        for (index_t i = 0; i < held_; ++i)
            std::memcpy(&states[static_cast<std::size_t>(i) * size],
                        buffer_.data() + i * records_.bytes() + records_.own_at_[r], size);
        const Operand batch = reduced.by->chosen->new_results(own, {held_});
        own.finish(states.data(), held_, 0, memory_of(batch));
        return results_[r].append(batch);
    }
    const Operand batch = batch_of(records_.results_[r]);
    if (plan.ending == Ending::rows_in_memory) {
        const DType dtype = records_.results_[r];
        copy_elements(dtype, held_, {buffer_.data() + records_.own_at_[r], records_.bytes()},
                      {memory_of(batch), dtype.size_bytes()});
        return results_[r].append(batch);
    }
    std::vector<std::vector<std::uint64_t>> folded;
    std::vector<const void*> places;
    for (std::size_t f = 0; f < plan.folds.size(); ++f) {
        auto& values = folded.emplace_back(static_cast<std::size_t>(held_));
        const GroupLayout::Fold& fold = records_.layout_.folds[records_.layout_.folds_of[r][f]];
        fold.states.finish(buffer_.data() + fold.at, records_.bytes(), held_, slots_,
                           values.data());
        places.push_back(values.data());
    }
    plan.finish(places, held_, memory_of(batch));
    results_[r].append(batch);
}

void GroupRuns::add(const GroupTable& table, std::span<const std::uint32_t> order,
                    std::span<const Operand> results) {
    if (table.size() == 0) return;
    if (!records_)
        records_ = std::make_unique<const GroupRecords>(grouping_, table.layout(), results);
    const index_t size = records_->bytes();
    runs_.push_back({file_.appended(), table.size()});
    constexpr std::size_t kTogether = 256;
    const CountedBytes counted(index_t{kTogether} * size, kGroupByReduce);
    std::vector<std::byte> some(kTogether * static_cast<std::size_t>(size));
    for (std::size_t from = 0; from < order.size(); from += kTogether) {
        const std::size_t count = std::min(kTogether, order.size() - from);
        for (std::size_t i = 0; i < count; ++i) {
            std::byte* const at = some.data() + i * static_cast<std::size_t>(size);
            records_->put(table, results, order[from + i], at);
        }
        file_.append(std::span(some).first(count * static_cast<std::size_t>(size)));
    }
}

LargeGroups GroupRuns::merge(const SlotCount& slots, index_t buffer_bytes) const {
    const index_t size = records_->bytes();
    const index_t runs = std::ssize(runs_);
    const index_t most = std::max<index_t>(1, buffer_bytes / runs / size);
    std::vector<RecordReader> readers;
    for (const RecordSegment& run : runs_)
        readers.emplace_back(file_, std::span(&run, 1), size, most);
    const auto comes_later = [&](std::size_t a, std::size_t b) {
        return comes_before(grouping_, records_->layout(), readers[b].record(0),
                            readers[a].record(0));
    };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(comes_later)> queue(
        comes_later);
    for (std::size_t i = 0; i < readers.size(); ++i) queue.push(i);
    GroupWriter writer(*records_, slots, buffer_bytes);
    while (!queue.empty()) {
        const std::size_t first = queue.top();
        queue.pop();
        std::memcpy(writer.next(), readers[first].record(0), static_cast<std::size_t>(size));
        readers[first].drop(1);
        if (readers[first].held() > 0) queue.push(first);
    }
    return writer.take();
}

} // namespace purview
