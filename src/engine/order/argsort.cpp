// Defines purview/evaluation/sorting.hpp.

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sorting.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/order/radix_sort.hpp"
#include "engine/order/sort_keys.hpp"
#include "engine/places/buffers.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/chunk_fold.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <mutex>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Fewer words than this are sorted by comparison, not by radix.
constexpr index_t kFewComparedWords = 256;

/// Nanoseconds for an element, roughly.
constexpr double kSortCost = 10;

/// Memory for the words of a part, allocated when it is first asked for.
class SortWords {
public:
    explicit SortWords(index_t count) : count_(count) {}
    std::uint64_t* get() {
        if (buffer_ == nullptr) buffer_ = allocate_uninitialized_buffer<std::uint64_t>(count_);
        return data_of(buffer_);
    }

private:
    index_t count_;
    BufferPtr<std::uint64_t> buffer_;
};

/// Sorts the indexes of the elements of a part. A word holds the element's key in its high bits, as
/// many bits of it as there is room for, and its index below. Bits of the key that have no room are
/// compared among elements whose words agree in the others.
template <typename T>
class PartOrder {
public:
    PartOrder(index_t count, SortOrder order)
        : count_(count),
          descending_(order == SortOrder::descending),
          keys_(count),
          words_(count),
          other_(count) {}

    /// `read()` gives each thread a function `(begin, count, T*)` that copies elements of the part.
    /// `out` gets the indexes in order.
    template <typename Read>
    void run(Read read, int threads, std::int64_t* out) {
        if (count_ == 0) return;
        read_keys(read, threads);
        const std::uint64_t range = greatest_ - least_;
        const int bits = static_cast<int>(std::bit_width(has_nan_ ? range + 1 : range));
        index_bits_ = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count_ - 1)));
        const int key_bits = std::min(bits, 64 - index_bits_);
        dropped_ = bits - key_bits;
        std::uint64_t* const words = dropped_ > 0 ? words_.get() : keys_.get();
        pack(words, threads);
        const std::uint64_t* sorted = words;
        if (count_ < kFewComparedWords)
            std::sort(words, words + count_); // no two are equal
        else
            sorted = radix_sort(words, other_.get(), count_, index_bits_, key_bits, threads);
        write(sorted, threads, out);
    }

private:
    static constexpr index_t kPiece = 2048;

    template <typename F>
    void for_each_share(int threads, F work) const {
        parallel_for(count_, kPiece, threads, work);
    }

    struct Keys {
        std::uint64_t least = ~std::uint64_t{0};
        std::uint64_t greatest = 0;
        bool has_nan = false;
    };

    template <typename Read>
    void read_keys(Read read, int threads) {
        std::uint64_t* const keys = keys_.get();
        std::mutex mutex;
        Keys all;
        for_each_share(threads, [&](index_t first, index_t last) {
            std::array<T, static_cast<std::size_t>(kPiece)> piece;
            auto reader = read();
            Keys own;
            for (index_t at = first; at < last; at += kPiece) {
                const index_t length = std::min(kPiece, last - at);
                reader(at, length, piece.data());
                for (index_t i = 0; i < length; ++i) {
                    const std::uint64_t key = key_of(piece[static_cast<std::size_t>(i)]);
                    keys[at + i] = key;
                    const bool nan = std::floating_point<T> && key == kNaNKey;
                    own.has_nan |= nan;
                    own.least = std::min(own.least, key);
                    own.greatest = std::max(own.greatest, nan ? 0 : key);
                }
            }
            const std::lock_guard lock(mutex);
            all.least = std::min(all.least, own.least);
            all.greatest = std::max(all.greatest, own.greatest);
            all.has_nan |= own.has_nan;
        });
        has_nan_ = all.has_nan;
        // Where all elements are NaN, `greatest` is 0 and `least` is kNaNKey: one key then.
        least_ = std::min(all.least, all.greatest);
        greatest_ = all.greatest;
    }

    /// The rank of a key, from 0 on, in ascending or descending order; that of NaN is behind all
    /// others in both.
    std::uint64_t rank_of(std::uint64_t key) const noexcept {
        if (std::floating_point<T> && key == kNaNKey) return greatest_ - least_ + 1;
        return descending_ ? greatest_ - key : key - least_;
    }

    void pack(std::uint64_t* words, int threads) {
        const std::uint64_t* const keys = keys_.get();
        for_each_share(threads, [&](index_t first, index_t last) {
            for (index_t i = first; i < last; ++i)
                words[i] = shifted(rank_of(keys[i]) >> dropped_) | static_cast<std::uint64_t>(i);
        });
    }
    std::uint64_t shifted(std::uint64_t key) const noexcept { return key << index_bits_; }

    void write(const std::uint64_t* sorted, int threads, std::int64_t* out) {
        const std::uint64_t mask = (std::uint64_t{1} << index_bits_) - 1;
        for_each_share(threads, [&](index_t first, index_t last) {
            for (index_t i = first; i < last; ++i)
                out[i] = static_cast<std::int64_t>(sorted[i] & mask);
        });
        if (dropped_ == 0) return;
        const std::uint64_t* const keys = keys_.get();
        const auto rank_at = [&](std::int64_t index) { return rank_of(keys[index]); };
        for (index_t i = 1; i < count_; ++i) {
            if ((sorted[i - 1] ^ sorted[i]) > mask) continue;
            index_t end = i + 1;
            while (end < count_ && (sorted[i - 1] ^ sorted[end]) <= mask) ++end;
            std::int64_t* const first = out + i - 1;
            std::int64_t* const last = out + end;
            const auto before = [&](std::int64_t a, std::int64_t b) {
                const std::uint64_t rank_a = rank_at(a);
                const std::uint64_t rank_b = rank_at(b);
                return rank_a != rank_b ? rank_a < rank_b : a < b;
            };
            if (!std::is_sorted(first, last, before)) std::sort(first, last, before);
            i = end;
        }
    }

    index_t count_;
    bool descending_;
    SortWords keys_;
    SortWords words_;
    SortWords other_;
    bool has_nan_ = false;
    std::uint64_t least_ = 0;
    std::uint64_t greatest_ = 0;
    int index_bits_ = 0;
    int dropped_ = 0;
};

template <typename T>
void argsort_as(const Operand& source, index_t groups, SortOrder order, std::int64_t* out) {
    const index_t size = source.dims.size();
    const index_t group = size / groups;
    const auto reader_from = [&](index_t begin) {
        return [&source, begin] {
            return [store = ChunkStore(source), begin](index_t at, index_t count, T* to) mutable {
                store(begin + at, count, to);
            };
        };
    };
    const int threads = ChunkStore(source).plan().thread_safe
                            ? worthwhile_threads(static_cast<double>(size) * kSortCost)
                            : 1;
    if (groups < threads) {
        for (index_t g = 0; g < groups; ++g)
            PartOrder<T>(group, order).run(reader_from(g * group), threads, out + g * group);
        return;
    }
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        ChunkStore store(source);
        PartOrder<T> part(group, order);
        for (index_t g = first; g < last; ++g)
            part.run(
                [&, g] {
                    return [&store, begin = g * group](index_t at, index_t count, T* to) {
                        store(begin + at, count, to);
                    };
                },
                1, out + g * group);
    });
}

} // namespace

void argsort_groups(const Operand& given, index_t groups, SortOrder order, std::int64_t* out) {
    const WatchedOperation watched("sort");
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    if (source.dims.size() == 0) return;
    visit_dtype(source.dtype(), "argsort", [&]<typename T>(std::type_identity<T>) {
        argsort_as<T>(source, groups, order, out);
    });
}

} // namespace purview
