// Defines purview/evaluation/selection.hpp.

#include <purview/evaluation/selection.hpp>

#include "engine/compile/plan_cache.hpp"
#include "engine/kernels/table/kernel_table.hpp"
#include "engine/places/buffers.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/runner.hpp"
#include "engine/selecting/decided_mask.hpp"
#include "engine/selecting/true_bits.hpp"
#include "engine/sparse/selection.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Elements between two checks of the room that is left.
constexpr index_t kCollectedStep = 16384;

/// Up to this many elements, indexes are collected on the stack.
constexpr index_t kFewElements = 1024;

BufferPtr<std::int64_t> memory_for(index_t count) {
    return allocate_uninitialized_buffer<std::int64_t>(count);
}

BufferPtr<std::int64_t> copied(const std::int64_t* indexes, index_t count) {
    BufferPtr<std::int64_t> copy = memory_for(count);
    std::copy_n(indexes, count, data_of(copy));
    return copy;
}

/// Collects the indexes of true elements in the program that computes these.
class Collection {
public:
    explicit Collection(const Operand& source)
        : values_(source),
          plan_(plan_for(values_, {Walk::in_order, nullptr, TileOp::collect, &kFalse})),
          runner_(*plan_, values_),
          collector_(new (runner_.accumulator()) Collector{nullptr, 0}) {}

    const Plan& plan() const noexcept { return *plan_; }

    /// Writes the indexes of the true elements in [begin, begin + count) to `out`, which has room
    /// for `count` + `kCollectorRoom`. Returns the end of what it has written.
    index_t* collect(index_t begin, index_t count, index_t* out) {
        collector_->next = out;
        runner_.run(
            begin, count, kNoLimit,
            [&](index_t at, index_t) -> std::byte* {
                collector_->first = at;
                return nullptr;
            },
            kNothingAfter);
        return collector_->next;
    }

private:
    static constexpr std::uint64_t kFalse = 0;

    Values values_;
    std::shared_ptr<const Plan> plan_;
    Runner runner_;
    Collector* collector_;
};

/// An estimate of the number of true elements, from a sample of a few places all over the operand.
index_t expected_count(Collection& collection, index_t size) {
    constexpr index_t kPlaces = 16;
    constexpr index_t kEach = 256;
    index_t indexes[kEach + kCollectorRoom];
    index_t found = 0;
    for (index_t place = 0; place < kPlaces; ++place)
        found +=
            collection.collect((size - kEach) / (kPlaces - 1) * place, kEach, indexes) - indexes;
    const double share = static_cast<double>(found) / (kPlaces * kEach);
    // Three standard deviations more, and a thousandth of all, as the sample may have no true
    // element.
    const double more = 3 * std::sqrt(share * (1 - share) / (kPlaces * kEach)) + 1e-3;
    return static_cast<index_t>((share + more) * static_cast<double>(size));
}

/// Collects in one pass, into memory of the expected size, which grows if need be.
BufferPtr<std::int64_t> collected(Collection& collection, index_t size) {
    index_t room =
        std::min(expected_count(collection, size), size) + kCollectedStep + kCollectorRoom;
    BufferPtr<std::int64_t> memory = memory_for(room);
    index_t count = 0;
    for (index_t at = 0; at < size; at += kCollectedStep) {
        const index_t length = std::min(kCollectedStep, size - at);
        if (count + length + kCollectorRoom > room) {
            const double share = static_cast<double>(count) / static_cast<double>(at);
            room = std::max(room / 2 * 3,
                            static_cast<index_t>(share * 1.05 * static_cast<double>(size)));
            room = std::min(room, size) + kCollectedStep + kCollectorRoom;
            const BufferPtr<std::int64_t> larger = memory_for(room);
            std::copy_n(data_of(memory), count, data_of(larger));
            memory = larger;
        }
        index_t* const out = data_of(memory);
        count = collection.collect(at, length, out + count) - out;
    }
    if (room - count > count / 4 + 2 * kCollectedStep) return copied(data_of(memory), count);
    return std::make_shared<Buffer<std::int64_t>>(data_of(memory), count, sizeof(std::int64_t),
                                                  memory);
}

} // namespace

// One thread writes indexes as it computes. Several have to know first where theirs begin, so that
// bits are computed and counted before (`TrueBits`).
BufferPtr<std::int64_t> true_positions(const Operand& given) {
    const Operand decided = decided_mask(given);
    const EnteredOperation entered("filter", decided);
    const Operand& source = *entered;
    const index_t size = source.dims.size();
    if (size == 0) return memory_for(0);
    if (is_sparse(source))
        if (BufferPtr<std::int64_t> positions = true_positions_sparse(source)) return positions;
    if (!TrueBits::packs_memory(source)) {
        Collection collection(source);
        if (size <= kFewElements) {
            index_t indexes[kFewElements + kCollectorRoom];
            return copied(indexes, collection.collect(0, size, indexes) - indexes);
        }
        if (threads_for(collection.plan(), size) <= 1 && !is_watched())
            return collected(collection, size);
    }
    const TrueBits bits(source);
    BufferPtr<std::int64_t> positions = memory_for(bits.count());
    bits.write_positions(data_of(positions));
    return positions;
}

} // namespace purview
