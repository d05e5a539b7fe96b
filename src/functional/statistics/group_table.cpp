#include "functional/statistics/group_table.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/masks.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/expression/constant.hpp>

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

bool LargeGrouping::has(GroupPlan::Ending ending) const {
    return std::ranges::any_of(
        reducers, [&](const Reduced& reduced) { return reduced.plan.ending == ending; });
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

namespace {

/// `f(word_of)`, a function that gives the word of bits.
template <typename F>
auto visit_words(DType dtype, F f) {
    if (dtype == float64) return f([](std::uint64_t bits) { return word_of_float<double>(bits); });
    if (dtype == float32) return f([](std::uint64_t bits) { return word_of_float<float>(bits); });
    const std::uint64_t flipped = has_sign(dtype) ? kSignOfWord : 0;
    return f([flipped](std::uint64_t bits) { return bits ^ flipped; });
}

} // namespace

std::uint64_t key_word(DType dtype, std::uint64_t bits) noexcept {
    return visit_words(dtype, [bits](auto word_of) { return word_of(bits); });
}
std::uint64_t key_bits(DType dtype, std::uint64_t word) noexcept {
    return has_sign(dtype) ? word ^ kSignOfWord : word;
}

void hash_rows(const LargeGrouping& grouping, const RowBlock& block, index_t from, index_t count,
               std::uint64_t* hashes, std::uint64_t* words) {
    std::fill_n(hashes, count, 0);
    const std::size_t keys = grouping.keys.size();
    for (std::size_t k = 0; k < keys; ++k) {
        const std::uint64_t* const bits = block.keys[k].data() + from;
        visit_words(grouping.keys[k].dtype(), [&](auto word_of) {
            for (index_t i = 0; i < count; ++i) {
                const std::uint64_t word = word_of(bits[i]);
                if (words != nullptr) words[static_cast<std::size_t>(i) * keys + k] = word;
                hashes[i] = hash_with(hashes[i], word);
            }
        });
    }
}

GroupLayout::GroupLayout(const LargeGrouping& grouping, GroupStates::Slots slots) {
    index_t at = 8 * std::ssize(grouping.keys);
    for (const LargeKey& key : grouping.keys) {
        bits_at.push_back(at);
        if (key.has_bits()) at += 8;
    }
    first_row_at = at;
    at += 8;
    for (const LargeGrouping::Reduced& reduced : grouping.reducers) {
        auto& of = folds_of.emplace_back();
        for (const PlannedFold& plan : reduced.plan.folds) {
            const auto same = std::ranges::find_if(folds, [&](const Fold& fold) {
                return fold.plan->is_same(plan) &&
                       (fold.column == reduced.column || !plan.elements);
            });
            of.push_back(static_cast<std::size_t>(same - folds.begin()));
            if (same != folds.end()) continue;
            folds.push_back({&plan, reduced.column,
                             GroupStates(plan.reduction, plan.accumulator, grouping.rows, slots),
                             at});
            at += folds.back().states.bytes();
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

GroupTable::GroupTable(const LargeGrouping& grouping, GroupStates::Slots slots, index_t most_bytes,
                       bool fixed)
    : grouping_(grouping),
      slots_(slots),
      layout_(grouping, slots),
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

index_t GroupTable::group_bytes(const LargeGrouping& grouping, GroupStates::Slots slots) {
    index_t bytes = GroupLayout(grouping, slots).bytes + 3 * index_t{sizeof(Place)};
    for (const LargeGrouping::Reduced& reduced : grouping.reducers)
        if (reduced.plan.ending == GroupPlan::Ending::own_states)
            bytes += reduced.by->chosen->own->state_bytes() + 8;
    return bytes + 4; // its place in the order
}

void GroupTable::resize_places(std::size_t count) {
    GrowingBytes old;
    old.swap(places_);
    const std::size_t before = mask_ == 0 ? 0 : mask_ + 1;
    places_.grow(static_cast<index_t>(count * sizeof(Place)), grouping_.what);
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
    records_.grow(most * layout_.bytes, grouping_.what);
    for (const auto& own : own_) {
        const FunctionReducer& by = *grouping_.reducers[own->reducer].by->chosen->own;
        own->states.grow(most * by.state_bytes(), grouping_.what);
        by.clear(own->states.at(room_ * by.state_bytes()), most - room_);
        if (by.takes_places()) own->sizes.resize(static_cast<std::size_t>(most));
    }
    room_ = most;
}

/// States keep what is still possible, so that they are smaller where there are many groups.
bool GroupTable::make_room() {
    GroupLayout next(grouping_, {std::min(size_, slots_.most), slots_.most});
    if (!fixed_ && next.bytes < layout_.bytes) {
        std::vector<std::byte> record(static_cast<std::size_t>(next.bytes));
        const auto head = static_cast<std::size_t>(layout_.first_row_at + 8);
        for (index_t group = 0; group < size_; ++group) {
            const std::byte* const from = records_.at(group * layout_.bytes);
            std::memcpy(record.data(), from, head);
            for (std::size_t f = 0; f < next.folds.size(); ++f)
                next.folds[f].states.take(layout_.folds[f].states, from + layout_.folds[f].at,
                                          record.data() + next.folds[f].at);
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
    if (const index_t found = find(hash, words); found >= 0) return found;
    const auto tag = static_cast<std::uint32_t>(hash);
    const std::size_t keys = grouping_.keys.size();
    if (2 * (static_cast<std::size_t>(size_) + 1) > mask_ + 1) {
        const index_t larger = 2 * places_.bytes();
        if (larger + places_.bytes() + records_.bytes() + room_ * own_bytes_ > most_bytes_)
            return -1;
        resize_places(2 * (mask_ + 1));
    }
    if (size_ == room_ && !make_room()) return -1;
    std::byte* const made = records_.at(size_ * layout_.bytes);
    std::memcpy(made, words, keys * 8);
    for (const GroupLayout::Fold& fold : layout_.folds) fold.states.clear(made + fold.at);
    std::size_t at = tag & mask_;
    while (places()[at].group != 0) at = (at + 1) & mask_;
    places()[at] = {static_cast<std::uint32_t>(++size_), tag};
    return size_ - 1;
}

index_t GroupTable::find(std::uint64_t hash, const std::uint64_t* words) const noexcept {
    const auto tag = static_cast<std::uint32_t>(hash);
    const std::size_t keys = grouping_.keys.size();
    for (std::size_t at = tag & mask_; places()[at].group != 0; at = (at + 1) & mask_) {
        const Place& place = places()[at];
        if (place.hash != tag) continue;
        const auto* const own = reinterpret_cast<const std::uint64_t*>(record(place.group - 1));
        if (keys == 1 ? words[0] == own[0] : std::equal(words, words + keys, own))
            return place.group - 1;
    }
    return -1;
}

/// The words of a few keys, and their hashes.
struct GroupTable::LookedUp {
    explicit LookedUp(const LargeGrouping& grouping)
        : grouping_(grouping), words_(grouping.keys.size() * kLookedUp) {}

    void read(const RowBlock& block, index_t from, index_t count) {
        hash_rows(grouping_, block, from, count, hashes, words_.data());
        // other bits than those by which rows are parted
        for (index_t i = 0; i < count; ++i) hashes[i] = hashes[i] * 0x9e3779b97f4a7c15 >> 32;
    }
    const std::uint64_t* words(index_t i) const noexcept {
        return &words_[static_cast<std::size_t>(i) * grouping_.keys.size()];
    }

    std::uint64_t hashes[kLookedUp];

private:
    const LargeGrouping& grouping_;
    std::vector<std::uint64_t> words_;
};

bool GroupTable::number(const RowBlock& block, std::span<std::int64_t> numbers) {
    // Groups that are there are looked up on all threads, the others are added in the order of their rows.
    constexpr double kNanosecondsOfRow = 5;
    const index_t rows = block.count();
    parallel_ranges(rows, 64 * kLookedUp, static_cast<double>(rows) * kNanosecondsOfRow,
                    [&](index_t begin, index_t end) {
                        LookedUp some(grouping_);
                        for (index_t from = begin; from < end; from += kLookedUp) {
                            const index_t count = std::min(kLookedUp, end - from);
                            some.read(block, from, count);
                            for (index_t i = 0; i < count; ++i)
                                __builtin_prefetch(places() + (some.hashes[i] & mask_));
                            for (index_t i = 0; i < count; ++i)
                                numbers[static_cast<std::size_t>(from + i)] =
                                    find(some.hashes[i], some.words(i));
                        }
                    });
    LookedUp some(grouping_);
    for (index_t from = 0; from < rows; from += kLookedUp) {
        const auto those = numbers.subspan(static_cast<std::size_t>(from))
                               .first(static_cast<std::size_t>(std::min(kLookedUp, rows - from)));
        if (std::ranges::find(those, -1) == those.end()) continue;
        some.read(block, from, std::ssize(those));
        for (std::size_t i = 0; i < those.size(); ++i) {
            if (those[i] >= 0) continue;
            const index_t before = size_;
            const auto at = static_cast<index_t>(i);
            those[i] = number(some.hashes[i], some.words(at));
            if (those[i] < 0) return false;
            if (size_ == before) continue;
            const std::size_t row = static_cast<std::size_t>(from) + i;
            std::byte* const made = records_.at(those[i] * layout_.bytes);
            for (std::size_t k = 0; k < grouping_.keys.size(); ++k)
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
    constexpr double kNanosecondsOfRow = 8;
    const index_t folds = std::ssize(layout_.folds);
    parallel_ranges(folds, 1, static_cast<double>(folds * block.count()) * kNanosecondsOfRow,
                    [&](index_t begin, index_t end) {
                        for (index_t f = begin; f < end; ++f)
                            fold_states(layout_.folds[static_cast<std::size_t>(f)], block, numbers);
                    });
    for (const auto& own : own_)
        fold_own(*own, block.values[grouping_.reducers[own->reducer].column], numbers);
}

void GroupTable::fold_states(const GroupLayout::Fold& fold, const RowBlock& block,
                             std::span<const std::int64_t> numbers) {
    const auto ones = [&]() -> Operand { // whose sums are numbers of rows
        const Operand one = constant_operand(std::int64_t{1});
        const index_t rows = block.count();
        return {one.node, dimensions::expand(one.dims, ShapeSpan(&rows, 1))};
    };
    fold.states.fold(fold.plan->elements ? fold.plan->elements(block.values[fold.column]) : ones(),
                     numbers, block.rows, {records_.at(fold.at), layout_.bytes, size_});
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
