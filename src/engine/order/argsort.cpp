// Defines purview/evaluation/sorting.hpp.

#include <purview/evaluation/sorting.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/order/element_ranks.hpp"
#include "engine/order/radix_sort.hpp"
#include "engine/order/short_sorts.hpp"
#include "engine/order/sort.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Fewer words than this are sorted by comparison, not by radix.
constexpr index_t kFewComparedWords = 256;

/// Sorts the indexes of the elements of a part. A word holds the element's rank in its high bits, as
/// many bits of it as there is room for, and its index below. Bits of the rank that have no room are
/// compared among elements whose words agree in the others.
template <typename T>
class PartOrder {
public:
    PartOrder(const T* elements, index_t count, int threads, SortOrder order)
        : elements_(elements),
          count_(count),
          threads_(threads),
          ranks_(elements, count, threads, order),
          index_bits_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(count - 1)))),
          bits_(static_cast<int>(std::bit_width(ranks_.greatest()))),
          dropped_(std::max(bits_ + index_bits_ - 64, 0)) {}

    /// `out` gets the indexes in order.
    void run(std::int64_t* out) const {
        if (count_ < kFewComparedWords) {
            std::array<std::uint64_t, kFewComparedWords> words;
            pack(words.data());
            std::sort(words.begin(), words.begin() + count_); // no two are equal
            return write(words.data(), out);
        }
        const auto words = allocate_uninitialized_buffer<std::uint64_t>(count_);
        const auto other = allocate_uninitialized_buffer<std::uint64_t>(count_);
        pack(data_of(words));
        write(radix_sort(data_of(words), data_of(other), count_, index_bits_, bits_ - dropped_,
                         threads_),
              out);
    }

private:
    std::uint64_t rank_at(index_t i) const noexcept { return ranks_.of(elements_[i]); }

    void pack(std::uint64_t* words) const {
        for_each_share(count_, threads_, [&](std::size_t, index_t first, index_t last) {
            for (index_t i = first; i < last; ++i)
                words[i] = rank_at(i) >> dropped_ << index_bits_ | static_cast<std::uint64_t>(i);
        });
    }

    void write(const std::uint64_t* sorted, std::int64_t* out) const {
        const std::uint64_t mask = (std::uint64_t{1} << index_bits_) - 1;
        for_each_share(count_, threads_, [&](std::size_t, index_t first, index_t last) {
            for (index_t i = first; i < last; ++i)
                out[i] = static_cast<std::int64_t>(sorted[i] & mask);
        });
        if (dropped_ == 0) return;
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
            if (!std::is_sorted(first, last, before)) sort_again(first, last);
            i = end;
        }
    }

    /// Sorts indexes by ranks that are read once: a sort that compares elements which change while
    /// it runs leaves its bounds.
    void sort_again(std::int64_t* first, std::int64_t* last) const {
        std::vector<std::pair<std::uint64_t, std::int64_t>> ranked;
        ranked.reserve(static_cast<std::size_t>(last - first));
        for (const std::int64_t* at = first; at < last; ++at)
            ranked.emplace_back(rank_at(*at), *at);
        std::ranges::sort(ranked);
        for (const auto& [rank, index] : ranked) *first++ = index;
    }

    const T* elements_;
    index_t count_;
    int threads_;
    ElementRanks<T> ranks_;
    int index_bits_;
    int bits_;    ///< of a rank
    int dropped_; ///< of these, the lowest that have no room
};

} // namespace

void engine::argsort_on_cpu(const Operand& source, index_t groups, SortOrder order,
                            std::int64_t* out) {
    const WatchedOperation watched("sort");
    const bool side_by_side = takes_network(source.dims.size(), groups);
    for_each_parts(
        "argsort", source, groups, costs::kSortedIndex,
        [&](const auto* elements, index_t length, index_t first, index_t count, int threads) {
            std::int64_t* const indexes = out + first * length;
            if (side_by_side) return argsort_short_parts(elements, length, count, order, indexes);
            for (index_t at = 0; at < count * length; at += length)
                PartOrder(elements + at, length, threads, order).run(indexes + at);
        });
}

} // namespace purview
