#include "engine/order/run_store.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include "engine/order/sort.hpp"
#include "engine/order/sort_keys.hpp"
#include "engine/order/sorted_parts.hpp"
#include "engine/places/costs.hpp"
#include "engine/places/memory_leaf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Fewer elements than this are not worth a run.
constexpr index_t kFewestElements = 256;
/// So many elements of a run are forgotten together.
constexpr index_t kLeastForgotten = 1 << 9;
constexpr index_t kMostForgotten = 1 << 17;
/// With fewer, two blocks are not worth it.
constexpr index_t kFewestOfTwo = 1 << 12;
/// The key of one of so many elements is kept, or of fewer where there are many.
constexpr index_t kLeastStride = 16;
constexpr index_t kUsualStride = 512;

/// Calls `f` with keys of elements of the plan's type, in the order asked for.
template <typename F>
auto with_keys(const RunPlan& plan, F f) {
    return visit_dtype(plan.dtype, plan.what, [&]<typename T>(std::type_identity<T>) {
        const bool descending = plan.order == SortOrder::descending;
        return f([descending](const std::byte* element) -> std::uint64_t {
            T value;
            std::memcpy(&value, element, sizeof(T));
            return key_in_order(value, descending);
        });
    });
}

} // namespace

RunPlan::RunPlan(const char* name, DType type, SortOrder in_order, bool indexes, index_t elements)
    : what(name),
      dtype(type),
      order(in_order),
      with_indexes(indexes),
      size(elements),
      most(1),
      stride(1),
      fan_in(2),
      blocks(1) {
    const index_t room = memory_left();
    const index_t each = block_bytes();
    most = room / 2 / each;
    if (most < size && most / 2 >= kFewestOfTwo) {
        blocks = 2;
        most /= 2;
    }
    const auto require_room = [&](index_t bytes, index_t of) {
        if (bytes <= room) return;
        throw MemoryLimitError(fmt::format(
            "{}: {} bytes, which {} elements take while they are sorted, are more than the "
            "memory limit, {} bytes, leaves",
            what, bytes, of, memory_limit()));
    };
    require_room(most < kFewestElements ? 2 * kFewestElements * each : 0, kFewestElements);
    most = std::min(most, size);
    // Samples take a sixteenth of the room at most, unless runs are short.
    stride = std::max(std::clamp(most / (4 * runs()), kLeastStride, kUsualStride),
                      size / (room / 128 + 1) + 1);
    stride = std::min(stride, most / 8);
    fan_in = std::max<index_t>(2, most / (2 * stride));
    require_room(blocks * block_bytes() + (runs() > fan_in ? 2 : 1) * sample_bytes(), size);
}

index_t RunPlan::sample_bytes() const noexcept {
    return (size / stride + size / most + 2) * index_t{sizeof(std::uint64_t)};
}

index_t RunPlan::block_bytes() const noexcept {
    return most * (3 * dtype.size_bytes() + (with_indexes ? 40 : 0));
}

index_t RunPlan::file_bytes() const noexcept {
    return size * (dtype.size_bytes() + (with_indexes ? index_t{sizeof(std::int64_t)} : 0));
}

RunBlock::RunBlock(const RunPlan& plan)
    : plan_(plan),
      counted_(plan.block_bytes(), plan.what),
      first_(plan.dtype, plan.most),
      second_(plan.dtype, plan.most) {
    if (!plan.with_indexes) return;
    for (auto& indexes : indexes_) indexes.resize(static_cast<std::size_t>(plan.most));
    order_.resize(static_cast<std::size_t>(plan.most));
}

Operand RunBlock::operand(index_t count) {
    return memory_operand(plan_.dtype, (at_ == 0 ? first_ : second_).data(), ShapeSpan(&count, 1));
}

std::span<std::byte> RunBlock::bytes(index_t first, index_t count) {
    const index_t element = plan_.dtype.size_bytes();
    return {(at_ == 0 ? first_ : second_).at(first), static_cast<std::size_t>(count * element)};
}

void RunBlock::sort(index_t count) {
    const Operand given = operand(count);
    const std::byte* const from = bytes(0, count).data();
    ElementBlock& other = at_ == 0 ? second_ : first_;
    if (!plan_.with_indexes) {
        sort_on_cpu(given, 1, plan_.order, other.data());
        at_ = 1 - at_;
        return;
    }
    argsort_on_cpu(given, 1, plan_.order, order_.data());
    const std::int64_t* const was = indexes_[at_].data();
    std::int64_t* const now = indexes_[1 - at_].data();
    const int threads = worthwhile_threads(static_cast<double>(count) * costs::kSortedIndex);
    visit_dtype(plan_.dtype, plan_.what, [&]<typename T>(std::type_identity<T>) {
        const T* const elements = reinterpret_cast<const T*>(from);
        T* const sorted = static_cast<T*>(other.data());
        for_each_share(count, threads, [&](std::size_t, index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i) {
                const std::int64_t at = order_[static_cast<std::size_t>(i)];
                sorted[i] = elements[at];
                now[i] = was[at];
            }
        });
    });
    at_ = 1 - at_;
}

RunStore::RunStore(const RunPlan& plan)
    : plan_(plan), file_(plan.what, plan.file_bytes()), counted_(plan.sample_bytes(), plan.what) {}

void RunStore::begin_run() {
    ends_.push_back(ends_.empty() ? 0 : ends_.back());
    samples_.emplace_back();
}

void RunStore::append(RunBlock& block, index_t count) {
    const index_t element = plan_.dtype.size_bytes();
    const index_t at = ends_.back();
    const std::span<std::byte> bytes = block.bytes(0, count);
    std::span<const std::byte> indexes;
    if (plan_.with_indexes)
        indexes = std::as_bytes(block.indexes().first(static_cast<std::size_t>(count)));
    file_.write_later({at * element, bytes},
                      {plan_.size * element + at * index_t{sizeof(std::int64_t)}, indexes});
    if (plan_.blocks == 1) file_.finish();
    const index_t in_run = at - begin(ends_.size() - 1);
    with_keys(plan_, [&](auto key) {
        for (index_t i = (plan_.stride - in_run % plan_.stride) % plan_.stride; i < count;
             i += plan_.stride)
            samples_.back().push_back(key(bytes.data() + i * element));
    });
    ends_.back() += count;
}

void RunStore::load(index_t from, index_t count, RunBlock& block, index_t to) const {
    if (count == 0) return;
    const index_t element = plan_.dtype.size_bytes();
    file_.read(from * element, block.bytes(to, count));
    if (plan_.with_indexes)
        file_.read(plan_.size * element + from * index_t{sizeof(std::int64_t)},
                   std::as_writable_bytes(block.indexes().subspan(
                       static_cast<std::size_t>(to), static_cast<std::size_t>(count))));
}

void RunStore::forget(index_t from, index_t count) const noexcept {
    const index_t element = plan_.dtype.size_bytes();
    file_.forget(from * element, count * element);
    constexpr index_t kIndex = sizeof(std::int64_t);
    if (plan_.with_indexes) file_.forget(plan_.size * element + from * kIndex, count * kIndex);
}

/// Keys such that what lies between two of them fits a block: a run has at most `stride` elements more between two keys
/// than samples tell.
std::vector<std::uint64_t> RunStore::splitters(std::size_t first, std::size_t last) const {
    std::vector<std::uint64_t> all;
    for (std::size_t run = first; run < last; ++run)
        all.insert(all.end(), samples_[run].begin(), samples_[run].end());
    std::ranges::sort(all);
    const auto step = static_cast<std::size_t>(plan_.most / plan_.stride) - (last - first);
    std::vector<std::uint64_t> chosen;
    for (std::size_t i = step; i < all.size(); i += step)
        if (chosen.empty() || chosen.back() != all[i]) chosen.push_back(all[i]);
    return chosen;
}

index_t RunStore::bound(std::size_t run, std::uint64_t key, bool after) const {
    const auto lies_before = [&](std::uint64_t other) {
        return after ? other <= key : other < key;
    };
    const std::vector<std::uint64_t>& samples = samples_[run];
    const index_t sample = std::ranges::partition_point(samples, lies_before) - samples.begin();
    if (sample == 0) return begin(run);
    // Behind the sample before, and not behind this one.
    const index_t from = begin(run) + (sample - 1) * plan_.stride + 1;
    const index_t to = std::min(from - 1 + plan_.stride, ends_[run]);
    const index_t element = plan_.dtype.size_bytes();
    std::vector<std::byte> bytes(static_cast<std::size_t>((to - from) * element));
    file_.read(from * element, bytes);
    return with_keys(plan_, [&](auto key_of_element) {
        index_t low = from;
        for (index_t high = to; low < high;) {
            const index_t middle = low + (high - low) / 2;
            if (lies_before(key_of_element(bytes.data() + (middle - from) * element)))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    });
}

void RunStore::merge_piece(const Places& from, const Places& to, RunBlocks& blocks,
                           Found found) const {
    RunBlock& block = blocks.current();
    index_t count = 0;
    int runs = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        load(from[i], to[i] - from[i], block, count);
        count += to[i] - from[i];
        runs += to[i] > from[i] ? 1 : 0;
    }
    if (count == 0) return;
    if (runs > 1) block.sort(count);
    found(block, {count});
    blocks.advance();
}

/// They are in order as the runs are.
void RunStore::copy_equal(const Places& from, const Places& to, RunBlocks& blocks,
                          Found found) const {
    index_t all = 0;
    for (std::size_t i = 0; i < from.size(); ++i) all += to[i] - from[i];
    index_t count = 0;
    index_t before = 0;
    const auto hand_over = [&] {
        found(blocks.current(), all <= plan_.most ? Piece{count} : Piece{count, all, before});
        blocks.advance();
        before += std::exchange(count, 0);
    };
    for (std::size_t i = 0; i < from.size(); ++i) {
        for (index_t at = from[i]; at < to[i];) {
            const index_t some = std::min(to[i] - at, plan_.most - count);
            load(at, some, blocks.current(), count);
            at += some;
            count += some;
            if (count == plan_.most) hand_over();
        }
    }
    if (count > 0) hand_over();
}

void RunStore::merge(std::size_t first, std::size_t last, RunBlocks& blocks, bool last_time,
                     Found found) const {
    Places at;
    for (std::size_t run = first; run < last; ++run) at.push_back(begin(run));
    Places forgotten = at; // before these
    const index_t together = std::clamp(plan_.most / 16, kLeastForgotten, kMostForgotten);
    Places lower(at.size());
    Places upper(at.size());
    for (const std::uint64_t key : splitters(first, last)) {
        for (std::size_t i = 0; i < at.size(); ++i) {
            lower[i] = bound(first + i, key, false);
            upper[i] = bound(first + i, key, true);
        }
        merge_piece(at, lower, blocks, found);
        copy_equal(lower, upper, blocks, found);
        at = upper;
        for (std::size_t i = 0; last_time && i < at.size(); ++i) {
            // what the next keys are looked for behind stays
            const index_t count = at[i] - plan_.stride - forgotten[i];
            if (count < together) continue;
            forget(forgotten[i], count);
            forgotten[i] += count;
        }
    }
    for (std::size_t i = 0; i < at.size(); ++i) upper[i] = ends_[first + i];
    merge_piece(at, upper, blocks, found);
}

} // namespace purview::engine
