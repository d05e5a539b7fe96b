// Defines purview/evaluation/sorting.hpp.

#include <purview/evaluation/sorting.hpp>

#include "engine/order/rank_selection.hpp"
#include "engine/order/short_parts.hpp"
#include "engine/order/short_sorts.hpp"
#include "engine/order/sorted_parts.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Which elements of a part come first in sorted order, NaN last.
template <typename T>
class PartSelection {
public:
    PartSelection(const T* elements, index_t count, int threads, SortOrder order)
        : elements_(elements),
          count_(count),
          threads_(threads),
          descending_(order == SortOrder::descending) {}

    void partition(index_t kth, std::int64_t* out) const {
        around(element_at(kth),
               [&](auto before, auto same) { partition_around(before, same, out); });
    }

    void first(index_t count, std::int64_t* out) const {
        if (count == 0) return;
        around(element_at(count - 1),
               [&](auto before, auto same) { collect_first(before, same, count, out); });
        std::vector<std::pair<T, std::int64_t>> found(static_cast<std::size_t>(count));
        std::transform(out, out + count, found.begin(),
                       [&](std::int64_t i) { return std::pair(elements_[i], i); });
        std::ranges::sort(found, [&](const auto& a, const auto& b) {
            if (comes_before(a.first, b.first)) return true;
            return !comes_before(b.first, a.first) && a.second < b.second;
        });
        for (const auto& [element, index] : found) *out++ = index;
    }

private:
    static constexpr index_t kPiece = 1024;
    /// Elements that are looked at one by one only if one of them is wanted.
    static constexpr index_t kFew = 64;

    bool comes_before(T x, T y) const noexcept {
        if (x != x || y != y) return x == x;
        return descending_ ? x > y : x < y;
    }

    /// The element that sorting would put at position `kth`.
    T element_at(index_t kth) const {
        T found{};
        const auto select = [&](const T* elements, index_t count) {
            const index_t rank = descending_ ? count - 1 - kth : kth;
            return RankSelection<T>(elements, count, threads_).run({&rank, 1}, &found);
        };
        if (select(elements_, count_)) return found;
        std::vector<T> numbers;
        std::copy_if(elements_, elements_ + count_, std::back_inserter(numbers),
                     [](T x) { return x == x; });
        if (kth >= std::ssize(numbers)) return std::numeric_limits<T>::quiet_NaN();
        select(numbers.data(), std::ssize(numbers));
        return found;
    }

    /// Calls `work` with functions that tell which elements come before `pivot`, and which are like
    /// it.
    template <typename Work>
    void around(T pivot, Work work) const {
        const auto same = [pivot](T x) { return x == pivot; };
        if (pivot != pivot)
            work([](T x) { return x == x; }, [](T x) { return x != x; });
        else if (descending_)
            work([pivot](T x) { return x > pivot; }, same);
        else
            work([pivot](T x) { return x < pivot; }, same);
    }

    template <typename Before, typename Same>
    void partition_around(Before before, Same same, std::int64_t* out) const {
        std::vector<std::array<index_t, 3>> places(static_cast<std::size_t>(threads_));
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t end) {
            index_t less = 0;
            index_t equal = 0;
            for (index_t i = begin; i < end; ++i) {
                const bool is_less = before(elements_[i]);
                less += is_less;
                equal += same(elements_[i]) && !is_less;
            }
            places[share] = {less, equal, end - begin - less - equal};
        });
        index_t place = 0;
        std::vector<std::array<index_t, 3>> ends(places.size());
        for (std::size_t kind = 0; kind < 3; ++kind)
            for (std::size_t share = 0; share < places.size(); ++share) {
                place += std::exchange(places[share][kind], place);
                ends[share][kind] = place;
            }
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t end) {
            std::array<std::array<std::int64_t, kPiece>, 3> room;
            // Of elements that have changed since they were counted: any place that is left.
            std::vector<std::int64_t> without_place;
            for (index_t at = begin; at < end; at += kPiece) {
                const index_t last = std::min(at + kPiece, end);
                std::array<std::size_t, 3> found{};
                // Without a branch, which would be mispredicted.
                for (index_t i = at; i < last; ++i) {
                    const bool less = before(elements_[i]);
                    const bool equal = same(elements_[i]) && !less;
                    room[0][found[0]] = room[1][found[1]] = room[2][found[2]] = i;
                    found[0] += less;
                    found[1] += equal;
                    found[2] += static_cast<std::size_t>(1) - less - equal;
                }
                for (std::size_t kind = 0; kind < 3; ++kind) {
                    index_t& next = places[share][kind];
                    const auto fit =
                        std::min(static_cast<index_t>(found[kind]), ends[share][kind] - next);
                    std::copy_n(room[kind].data(), fit, out + next);
                    next += fit;
                    without_place.insert(without_place.end(), room[kind].data() + fit,
                                         room[kind].data() + found[kind]);
                }
            }
            auto left = without_place.begin();
            for (std::size_t kind = 0; kind < 3; ++kind) {
                const index_t room_left = ends[share][kind] - places[share][kind];
                std::copy_n(left, room_left, out + places[share][kind]);
                left += room_left;
            }
        });
    }

    /// The indexes of the first `count` elements, in no order.
    template <typename Before, typename Same>
    void collect_first(Before before, Same same, index_t count, std::int64_t* out) const {
        struct Found {
            std::vector<index_t> before;
            std::vector<index_t> same;
        };
        std::vector<Found> all(static_cast<std::size_t>(threads_));
        for_each_share(count_, threads_, [&](std::size_t share, index_t begin, index_t end) {
            Found& found = all[share];
            for (index_t at = begin; at < end; at += kFew) {
                const index_t last = std::min(at + kFew, end);
                index_t wanted = 0;
                for (index_t i = at; i < last; ++i)
                    wanted += before(elements_[i]) + same(elements_[i]);
                if (wanted == 0) continue;
                for (index_t i = at; i < last; ++i) {
                    if (before(elements_[i]))
                        found.before.push_back(i);
                    else if (same(elements_[i]) && std::ssize(found.same) < count)
                        found.same.push_back(i);
                }
            }
        });
        std::int64_t* next = out;
        const auto add = [&](const std::vector<index_t>& found) {
            next =
                std::copy_n(found.begin(), std::min(std::ssize(found), out + count - next), next);
        };
        for (const Found& found : all) add(found.before);
        for (const Found& found : all) add(found.same);
        // Fewer than there were, if elements have changed meanwhile: then it is any of them.
        std::iota(next, out + count, index_t{0});
    }

    const T* elements_;
    index_t count_;
    int threads_;
    bool descending_;
};

/// Shorter parts are sorted side by side sooner than their first elements are found one by one.
constexpr index_t kLongestSorted = 128;

/// The first `count` indexes of each of `parts` short parts that are sorted as wholes.
template <typename T>
void first_of_sorted(const T* elements, index_t length, index_t parts, index_t count,
                     SortOrder order, std::int64_t* out) {
    constexpr index_t kAtOnce = 64;
    std::array<std::int64_t, static_cast<std::size_t>(kLongestSorted * kAtOnce)> sorted;
    for (index_t done = 0; done < parts; done += kAtOnce) {
        const index_t some = std::min(kAtOnce, parts - done);
        argsort_short_parts(elements + done * length, length, some, order, sorted.data());
        for (index_t part = 0; part < some; ++part)
            out = std::copy_n(sorted.data() + part * length, count, out);
    }
}

} // namespace

void argpartition_groups(const Operand& source, index_t groups, index_t kth, SortOrder order,
                         std::int64_t* out) {
    const WatchedOperation watched("partition");
    for_each_parts(
        "argpartition", source, groups, costs::kPartitionedElement,
        [&]<typename T>(const T* elements, index_t length, index_t first, index_t count,
                        int threads) {
            std::int64_t* next = out + first * length;
            if (length < kLongPart && threads == 1) {
                ShortParts<T> parts(length, order);
                for (index_t g = 0; g < count; ++g, next += length)
                    parts.partition(elements + g * length, kth, next);
                return;
            }
            for (index_t g = 0; g < count; ++g, next += length)
                PartSelection(elements + g * length, length, threads, order).partition(kth, next);
        });
}

void arg_first_groups(const Operand& source, index_t groups, index_t count, SortOrder order,
                      std::int64_t* out) {
    const WatchedOperation watched("partition");
    for_each_parts(
        "arg_min_n", source, groups, costs::kPartitionedElement,
        [&]<typename T>(const T* elements, index_t length, index_t first, index_t parts,
                        int threads) {
            if (length <= kLongestSorted && are_sorted_side_by_side(length, parts))
                return first_of_sorted(elements, length, parts, count, order, out + first * count);
            ShortParts<T> by_one_thread(length, order);
            for (index_t g = first; g < first + parts; ++g, elements += length)
                if (threads > 1 || !by_one_thread.first(elements, count, out + g * count))
                    PartSelection(elements, length, threads, order).first(count, out + g * count);
        });
}

} // namespace purview
