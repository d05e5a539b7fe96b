// Defines purview/evaluation/sorting.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sorting.hpp>

#include "engine/order/sort_keys.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/chunk_fold.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <memory>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Nanoseconds for an element, roughly.
constexpr double kPartitionCost = 10;

/// The sort keys of one group at a time, and which of its elements come first in that order.
template <typename T>
class PartKeys {
public:
    PartKeys(const Operand& source, index_t length, SortOrder order)
        : store_(source),
          length_(length),
          descending_(order == SortOrder::descending),
          keys_(new std::uint64_t[static_cast<std::size_t>(length)]),
          chosen_(new std::uint64_t[static_cast<std::size_t>(length)]) {}

    void read(index_t group) {
        constexpr index_t kPiece = 2048;
        std::array<T, static_cast<std::size_t>(kPiece)> piece;
        for (index_t at = 0; at < length_; at += kPiece) {
            const index_t count = std::min(kPiece, length_ - at);
            store_(group * length_ + at, count, piece.data());
            for (index_t i = 0; i < count; ++i) {
                const std::uint64_t key = key_of(piece[static_cast<std::size_t>(i)]);
                const bool nan = std::floating_point<T> && key == kNaNKey;
                keys_.get()[at + i] = descending_ && !nan ? descending_key(key) : key;
            }
        }
    }

    /// The key of the element that sorting would put at position `kth`.
    std::uint64_t key_at(index_t kth) {
        std::copy_n(keys_.get(), length_, chosen_.get());
        std::nth_element(chosen_.get(), chosen_.get() + kth, chosen_.get() + length_);
        return chosen_.get()[kth];
    }

    void partition(index_t kth, std::int64_t* out) {
        const std::uint64_t key = key_at(kth);
        index_t less = 0;
        index_t equal = 0;
        for (index_t i = 0; i < length_; ++i) {
            less += keys_.get()[i] < key;
            equal += keys_.get()[i] == key;
        }
        index_t places[3] = {0, less, less + equal};
        for (index_t i = 0; i < length_; ++i)
            out[places[(keys_.get()[i] >= key) + (keys_.get()[i] > key)]++] = i;
    }

    void first(index_t count, std::int64_t* out) {
        if (count == 0) return;
        const std::uint64_t key = key_at(count - 1);
        index_t less = 0;
        for (index_t i = 0; i < length_; ++i) less += keys_.get()[i] < key;
        index_t next = 0;
        for (index_t i = 0, equal = count - less; next < count; ++i) {
            if (keys_.get()[i] > key || (keys_.get()[i] == key && equal-- <= 0)) continue;
            out[next++] = i;
        }
        std::sort(out, out + count, [&](std::int64_t a, std::int64_t b) {
            return keys_.get()[a] != keys_.get()[b] ? keys_.get()[a] < keys_.get()[b] : a < b;
        });
    }

private:
    /// The key for descending order. It never equals kNaNKey: no floating-point number has the key
    /// 0.
    static std::uint64_t descending_key(std::uint64_t key) noexcept {
        if constexpr (std::same_as<T, float>)
            return 0xffffffff - key;
        else
            return ~key;
    }

    ChunkStore store_;
    index_t length_;
    bool descending_;
    std::unique_ptr<std::uint64_t[]> keys_;
    std::unique_ptr<std::uint64_t[]> chosen_;
};

template <typename Work>
void for_each_group(const char* what, const Operand& source, index_t groups, SortOrder order,
                    Work work) {
    const index_t size = source.dims.size();
    if (size == 0) return;
    visit_dtype(source.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const int threads = ChunkStore(source).plan().thread_safe
                                ? worthwhile_threads(static_cast<double>(size) * kPartitionCost)
                                : 1;
        parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
            PartKeys<T> keys(source, size / groups, order);
            for (index_t group = first; group < last; ++group) {
                keys.read(group);
                work(keys, group);
            }
        });
    });
}

} // namespace

void argpartition_groups(const Operand& given, index_t groups, index_t kth, SortOrder order,
                         std::int64_t* out) {
    const WatchedOperation watched("partition");
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    const index_t length = groups == 0 ? 0 : source.dims.size() / groups;
    for_each_group("argpartition", source, groups, order,
                   [&](auto& keys, index_t group) { keys.partition(kth, out + group * length); });
}

void arg_first_groups(const Operand& given, index_t groups, index_t count, SortOrder order,
                      std::int64_t* out) {
    const WatchedOperation watched("partition");
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    for_each_group("arg_min_n", source, groups, order,
                   [&](auto& keys, index_t group) { keys.first(count, out + group * count); });
}

} // namespace purview
