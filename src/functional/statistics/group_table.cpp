#include "functional/statistics/group_table.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/masks.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "dtype/element_block.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kFewestPlaces = 256;
constexpr index_t kFewestGroups = 64;
/// Rows whose places are prefetched together.
constexpr index_t kLookedUp = 64;
constexpr index_t kFoldedOwn = 4096;
constexpr std::uint64_t kSignOfWord = std::uint64_t{1} << 63;

template <typename T>
std::uint64_t word_of_float(std::uint64_t bits) noexcept {
    using Bits = BitsOf<T>;
    constexpr Bits sign = Bits{1} << (sizeof(T) * 8 - 1);
    const T value = std::bit_cast<T>(static_cast<Bits>(bits)) + T{0}; // -0 becomes 0
    if (value != value) return ~std::uint64_t{0};
    const auto own = std::bit_cast<Bits>(value);
    return (own & sign) != 0 ? static_cast<Bits>(~own) : own | sign;
}

bool has_sign(DType dtype) noexcept {
    return dtype == int8 || dtype == int16 || dtype == int32 || dtype == int64;
}

} // namespace

bool LargeGrouping::wants_rows() const {
    return std::ranges::any_of(reducers, [](const Reduced& reduced) {
        return reduced.plan.ending == GroupPlan::Ending::rows_in_memory;
    });
}

void read_key_bits(DType dtype, const void* numbers, index_t count, std::uint64_t* out) {
    visit_dtype(dtype, kGroupByReduce, [&]<typename T>(std::type_identity<T>) {
        const T* const from = static_cast<const T*>(numbers);
        if constexpr (std::floating_point<T>)
            std::transform(from, from + count, out, [](T x) {
                return static_cast<std::uint64_t>(std::bit_cast<BitsOf<T>>(x));
            });
        else
            std::transform(from, from + count, out,
                           [](T x) { return static_cast<std::uint64_t>(x); });
    });
}

std::uint64_t key_word(DType dtype, std::uint64_t bits) noexcept {
    if (dtype == float64) return word_of_float<double>(bits);
    if (dtype == float32) return word_of_float<float>(bits);
    return has_sign(dtype) ? bits ^ kSignOfWord : bits;
}
std::uint64_t key_bits(DType dtype, std::uint64_t word) noexcept {
    return has_sign(dtype) ? word ^ kSignOfWord : word;
}

GroupLayout::GroupLayout(const LargeGrouping& grouping, index_t fewest_groups) {
    index_t at = 8 * std::ssize(grouping.keys);
    for (const LargeKey& key : grouping.keys) {
        bits_at.push_back(at);
        if (key.has_bits()) at += 8;
    }
    first_row_at = at;
    at += 8;
    for (const LargeGrouping::Reduced& reduced : grouping.reducers) {
        auto& own = states.emplace_back();
        auto& places = states_at.emplace_back();
        for (const PlannedFold& fold : reduced.plan.folds) {
            own.emplace_back(fold.reduction, fold.accumulator, grouping.rows, fewest_groups);
            places.push_back(at);
            at += own.back().bytes();
        }
    }
    bytes = at;
}

void GrowingBytes::grow(index_t bytes, const char* what) {
    if (bytes <= bytes_) return;
    counted_.emplace_back(bytes - bytes_, what);
    void* const moved = std::realloc(memory_, static_cast<std::size_t>(bytes));
    if (moved == nullptr) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(moved);
    bytes_ = bytes;
}
void GrowingBytes::swap(GrowingBytes& other) noexcept {
    counted_.swap(other.counted_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
}

GroupTable::GroupTable(const LargeGrouping& grouping, index_t fewest_groups, index_t most_bytes,
                       bool fixed)
    : grouping_(grouping),
      layout_(grouping, fewest_groups),
      most_bytes_(most_bytes),
      fixed_(fixed) {
    for (std::size_t r = 0; r < grouping.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping.reducers[r];
        if (reduced.plan.ending != GroupPlan::Ending::own_states) continue;
        const FunctionReducer& by = *reduced.by->chosen->own;
        own_.push_back(std::make_unique<OwnStates>());
        own_.back()->reducer = r;
        own_bytes_ += by.state_bytes() + (by.takes_places() ? 8 : 0);
    }
    resize_places(kFewestPlaces);
    resize_groups(kFewestGroups);
}

index_t GroupTable::group_bytes(const LargeGrouping& grouping, index_t fewest_groups) {
    index_t bytes = GroupLayout(grouping, fewest_groups).bytes + 3 * index_t{sizeof(Place)};
    for (const LargeGrouping::Reduced& reduced : grouping.reducers)
        if (reduced.plan.ending == GroupPlan::Ending::own_states)
            bytes += reduced.by->chosen->own->state_bytes() + 8;
    return bytes + 4; // its place in the order
}

void GroupTable::resize_places(std::size_t count) {
    GrowingBytes old;
    old.swap(places_);
    const std::size_t before = mask_ == 0 ? 0 : mask_ + 1;
    places_.grow(static_cast<index_t>(count * sizeof(Place)), kGroupByReduce);
    std::memset(places_.at(0), 0, count * sizeof(Place));
    mask_ = count - 1;
    const auto* const from = reinterpret_cast<const Place*>(old.at(0));
    for (std::size_t i = 0; i < before; ++i) {
        if (from[i].group == 0) continue;
        std::size_t at = from[i].hash & mask_;
        while (places()[at].group != 0) at = (at + 1) & mask_;
        places()[at] = from[i];
    }
}

void GroupTable::resize_groups(index_t most) {
    records_.grow(most * layout_.bytes, kGroupByReduce);
    for (const auto& own : own_) {
        const FunctionReducer& by = *grouping_.reducers[own->reducer].by->chosen->own;
        own->states.grow(most * by.state_bytes(), kGroupByReduce);
        by.clear(own->states.at(room_ * by.state_bytes()), most - room_);
        if (by.takes_places()) own->sizes.resize(static_cast<std::size_t>(most));
    }
    room_ = most;
}

/// States keep what is still possible, so that they are smaller where there are many groups.
bool GroupTable::make_room() {
    GroupLayout next(grouping_, size_);
    if (!fixed_ && next.bytes < layout_.bytes) {
        std::vector<std::byte> record(static_cast<std::size_t>(next.bytes));
        const auto head = static_cast<std::size_t>(layout_.first_row_at + 8);
        for (index_t group = 0; group < size_; ++group) {
            const std::byte* const from = records_.at(group * layout_.bytes);
            std::memcpy(record.data(), from, head);
            for (std::size_t r = 0; r < next.states.size(); ++r)
                for (std::size_t f = 0; f < next.states[r].size(); ++f)
                    next.states[r][f].take(layout_.states[r][f], from + layout_.states_at[r][f],
                                           record.data() + next.states_at[r][f]);
            std::memcpy(records_.at(group * next.bytes), record.data(), record.size());
        }
        layout_ = std::move(next);
    }
    const index_t most = room_ + std::max(room_ / 2, kFewestGroups);
    const index_t bytes = most * (layout_.bytes + own_bytes_ + 4) + places_.bytes();
    if (bytes > most_bytes_ || most >= std::numeric_limits<std::uint32_t>::max()) return false;
    resize_groups(most);
    return true;
}

index_t GroupTable::number(std::uint64_t hash, const std::uint64_t* words) {
    const auto tag = static_cast<std::uint32_t>(hash);
    const std::size_t keys = grouping_.keys.size();
    std::size_t at = tag & mask_;
    for (; places()[at].group != 0; at = (at + 1) & mask_) {
        const Place& place = places()[at];
        if (place.hash != tag) continue;
        const auto* const own = reinterpret_cast<const std::uint64_t*>(record(place.group - 1));
        if (std::equal(words, words + keys, own)) return place.group - 1;
    }
    if (2 * (static_cast<std::size_t>(size_) + 1) > mask_ + 1) {
        const index_t larger = 2 * places_.bytes();
        if (larger + places_.bytes() + records_.bytes() + room_ * own_bytes_ > most_bytes_)
            return -1;
        resize_places(2 * (mask_ + 1));
        at = tag & mask_;
        while (places()[at].group != 0) at = (at + 1) & mask_;
    }
    if (size_ == room_ && !make_room()) return -1;
    std::byte* const made = records_.at(size_ * layout_.bytes);
    std::memcpy(made, words, keys * 8);
    for (std::size_t r = 0; r < layout_.states.size(); ++r)
        for (std::size_t f = 0; f < layout_.states[r].size(); ++f)
            layout_.states[r][f].clear(made + layout_.states_at[r][f]);
    places()[at] = {static_cast<std::uint32_t>(++size_), tag};
    return size_ - 1;
}

bool GroupTable::number(const RowBlock& block, std::span<std::int64_t> numbers) {
    const std::size_t keys = grouping_.keys.size();
    std::vector<std::uint64_t> words(keys * kLookedUp);
    std::uint64_t hashes[kLookedUp];
    for (index_t from = 0; from < block.count(); from += kLookedUp) {
        const index_t count = std::min(kLookedUp, block.count() - from);
        for (index_t i = 0; i < count; ++i) {
            std::uint64_t hash = 0;
            for (std::size_t k = 0; k < keys; ++k) {
                const std::uint64_t bits = block.keys[k][static_cast<std::size_t>(from + i)];
                std::uint64_t& word = words[static_cast<std::size_t>(i) * keys + k];
                word = key_word(grouping_.keys[k].dtype(), bits);
                hash = hash_with(hash, word);
            }
            // other bits than those by which rows are parted
            hashes[i] = hash * 0x9e3779b97f4a7c15 >> 32;
            __builtin_prefetch(places() + (hashes[i] & mask_));
        }
        for (index_t i = 0; i < count; ++i) {
            const auto row = static_cast<std::size_t>(from + i);
            const index_t before = size_;
            const index_t group = number(hashes[i], &words[static_cast<std::size_t>(i) * keys]);
            if (group < 0) return false;
            numbers[row] = group;
            if (size_ == before) continue;
            std::byte* const made = records_.at(group * layout_.bytes);
            for (std::size_t k = 0; k < keys; ++k)
                if (grouping_.keys[k].has_bits())
                    std::memcpy(made + layout_.bits_at[k], &block.keys[k][row], 8);
            std::memcpy(made + layout_.first_row_at, &block.rows[row], 8);
        }
    }
    return true;
}

bool GroupTable::add(const RowBlock& block, std::span<std::int64_t> numbers) {
    if (!number(block, numbers)) return false;
    fold(block, numbers);
    return true;
}

void GroupTable::fold(const RowBlock& block, std::span<const std::int64_t> numbers) {
    for (std::size_t r = 0; r < grouping_.reducers.size(); ++r) {
        const LargeGrouping::Reduced& reduced = grouping_.reducers[r];
        const Operand& values = block.values[reduced.column];
        for (std::size_t f = 0; f < reduced.plan.folds.size(); ++f) {
            const PlannedFold& fold = reduced.plan.folds[f];
            std::byte* const states = records_.at(layout_.states_at[r][f]);
            if (fold.elements)
                layout_.states[r][f].fold(fold.elements(values), numbers, block.rows,
                                          {states, layout_.bytes});
            else
                for (const std::int64_t group : numbers)
                    ++*reinterpret_cast<std::int64_t*>(states + group * layout_.bytes);
        }
    }
    for (const auto& own : own_)
        fold_own(*own, block.values[grouping_.reducers[own->reducer].column], numbers);
}

void GroupTable::fold_own(OwnStates& own, const Operand& values,
                          std::span<const std::int64_t> numbers) {
    const ChosenReducer& chosen = *grouping_.reducers[own.reducer].by->chosen;
    const ReducedElements of = elements_for(*chosen.own, values, chosen.nan == NanRule::skip);
    const Evaluation evaluation(of.elements, Reads::within_one_operation);
    const index_t rows = std::ssize(numbers);
    ElementBlock elements(of.by.element(), std::min(rows, kFoldedOwn));
    for (index_t at = 0; at < rows; at += kFoldedOwn) {
        const index_t count = std::min(kFoldedOwn, rows - at);
        evaluation.read(at, count, elements.data());
        of.by.fold_rows(own.states.at(0), elements.data(), numbers.data() + at, count, of.skips_nan,
                        own.sizes.data());
    }
}

const std::byte* GroupTable::own_state(std::size_t reducer, index_t group) const noexcept {
    for (const auto& own : own_)
        if (own->reducer == reducer)
            return own->states.at(group *
                                  grouping_.reducers[reducer].by->chosen->own->state_bytes());
    return nullptr;
}

std::vector<std::uint32_t> GroupTable::order() const {
    std::vector<std::uint32_t> order(static_cast<std::size_t>(size_));
    std::iota(order.begin(), order.end(), 0U);
    if (grouping_.ordered)
        std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
            return comes_before(grouping_, layout_, record(a), record(b));
        });
    return order;
}

} // namespace purview
