#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/rank_correlation.hpp>
#include <purview/evaluation/sorting.hpp>

#include "dtype/element_block.hpp"
#include "engine/order/radix_sort.hpp"
#include "engine/order/sort.hpp"
#include "engine/places/costs.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Sorts each group, and calls `run(group, begin, end)` for each run of equal elements: places in
/// the sorted group. A group with NaNs, which are sorted to the places from `begin` on, first gets
/// a call of `unordered(group, begin)`; its runs are skipped unless that returns true. `indexes`
/// gets the index in the group of each sorted element, group after group.
template <typename Run, typename Unordered>
void for_each_run(const Operand& source, index_t groups, std::int64_t* indexes, Run run,
                  Unordered unordered) {
    argsort_on_cpu(source, groups, SortOrder::ascending, indexes);
    visit_dtype(source.dtype(), "ranks", [&]<typename T>(std::type_identity<T>) {
        const index_t length = source.dims.size() / groups;
        ElementRuns<T> parts(source, length);
        ElementBlock sorted(kDType<T>, length);
        T* const part = static_cast<T*>(sorted.data());
        for (index_t g = 0; g < groups; ++g, indexes += length) {
            const T* const elements = parts(g * length, length);
            for (index_t i = 0; i < length; ++i) part[i] = elements[indexes[i]];
            index_t numbers = length;
            while (numbers > 0 && part[numbers - 1] != part[numbers - 1]) --numbers;
            if (numbers < length && !unordered(g, numbers)) continue;
            for (index_t begin = 0, end = 0; begin < numbers; begin = end) {
                while (end < numbers && part[end] == part[begin]) ++end;
                run(g, begin, end);
            }
        }
    });
}

/// Ranks from 0 on, without gaps: equal for equal elements. Empty if there is a NaN.
std::vector<std::uint32_t> dense_ranks(const Operand& source) {
    const auto size = static_cast<std::size_t>(source.dims.size());
    std::vector<std::int64_t> indexes(size);
    std::vector<std::uint32_t> ranks(size);
    std::uint32_t next = 0;
    for_each_run(
        source, 1, indexes.data(),
        [&](index_t, index_t begin, index_t end) {
            for (index_t i = begin; i < end; ++i)
                ranks[static_cast<std::size_t>(indexes[static_cast<std::size_t>(i)])] = next;
            ++next;
        },
        [&](index_t, index_t) {
            ranks.clear();
            return false;
        });
    return ranks;
}

/// The number of pairs among `count` elements.
std::int64_t pairs(std::int64_t count) { return count * (count - 1) / 2; }

/// The number of pairs of words that are equal above the lowest `bits`; the words are sorted.
std::int64_t ties(const std::uint64_t* words, std::size_t count, int bits) {
    std::int64_t total = 0;
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
        while (end < count && words[end] >> bits == words[begin] >> bits) ++end;
        total += pairs(static_cast<std::int64_t>(end - begin));
    }
    return total;
}

/// The number of inversions: pairs of which the first is greater than the second. Sorts the values
/// by merging.
std::int64_t inversions(std::vector<std::uint32_t>& values) {
    std::vector<std::uint32_t> other(values.size());
    std::int64_t total = 0;
    const std::size_t size = values.size();
    for (std::size_t width = 1; width < size; width *= 2) {
        for (std::size_t begin = 0; begin < size; begin += 2 * width) {
            const std::size_t middle = std::min(begin + width, size);
            const std::size_t end = std::min(middle + width, size);
            std::size_t left = begin;
            std::size_t right = middle;
            for (std::size_t to = begin; to < end; ++to) {
                const bool take_right =
                    right < end && (left == middle || values[right] < values[left]);
                if (take_right) total += static_cast<std::int64_t>(middle - left);
                other[to] = take_right ? values[right++] : values[left++];
            }
        }
        std::swap(values, other);
    }
    return total;
}

} // namespace

void average_ranks(const Operand& given, index_t groups, double* out, UnorderedElements unordered) {
    const EnteredOperation entered("ranks", given);
    const Operand& source = *entered;
    const index_t size = source.dims.size();
    if (size == 0) return;
    const index_t length = size / groups;
    std::vector<std::int64_t> indexes(static_cast<std::size_t>(size));
    for_each_run(
        source, groups, indexes.data(),
        [&](index_t g, index_t begin, index_t end) {
            const double rank = (static_cast<double>(begin) + static_cast<double>(end + 1)) / 2;
            for (index_t i = begin; i < end; ++i)
                out[g * length + indexes[static_cast<std::size_t>(g * length + i)]] = rank;
        },
        [&](index_t g, index_t) {
            std::fill_n(out + g * length, length, kNotANumber<double>);
            return unordered == UnorderedElements::skip;
        });
}

double kendall_tau(const Operand& x, const Operand& y) {
    const index_t size = x.dims.size();
    if (size < 2) return kNotANumber<double>;
    if (size >> 31 != 0) // else twice the number of pairs would overflow int64
        throw ShapeError("kendall: " + std::to_string(size) + " elements are too many");
    const std::vector<std::uint32_t> ranks_x = dense_ranks(x);
    const std::vector<std::uint32_t> ranks_y = dense_ranks(y);
    if (ranks_x.empty() || ranks_y.empty()) return kNotANumber<double>;
    const auto count = static_cast<std::size_t>(size);
    std::vector<std::uint64_t> words(count);
    std::vector<std::uint64_t> room(count);
    const int threads = worthwhile_threads(static_cast<double>(size) * costs::kRankedWord);
    for (std::size_t i = 0; i < count; ++i) words[i] = ranks_y[i];
    const std::int64_t equal_y =
        ties(radix_sort(words.data(), room.data(), size, 0, 32, threads), count, 0);
    for (std::size_t i = 0; i < count; ++i) words[i] = std::uint64_t{ranks_x[i]} << 32 | ranks_y[i];
    const std::uint64_t* const sorted = radix_sort(words.data(), room.data(), size, 0, 64, threads);
    const std::int64_t equal_x = ties(sorted, count, 32);
    const std::int64_t equal_both = ties(sorted, count, 0);
    std::vector<std::uint32_t> by_x(count);
    for (std::size_t i = 0; i < count; ++i) by_x[i] = static_cast<std::uint32_t>(sorted[i]);
    const std::int64_t discordant = inversions(by_x);
    const std::int64_t all = pairs(size);
    if (equal_x == all || equal_y == all) return kNotANumber<double>;
    const auto balance = static_cast<double>(all - equal_x - equal_y + equal_both - 2 * discordant);
    // The square root of a square is exact, so that monotone data give exactly 1. The product is at
    // most 2^124, which a double holds.
    const double tau = balance / std::sqrt(static_cast<double>(all - equal_x) *
                                           static_cast<double>(all - equal_y));
    return std::clamp(tau, -1.0, 1.0);
}

} // namespace purview
