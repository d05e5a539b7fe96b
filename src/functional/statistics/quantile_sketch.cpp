// Defines purview/functional/statistics/sketches.hpp.

#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/functional/statistics/sketches.hpp>

#include "functional/statistics/interpolated.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr int kMostLevels = 60; // of more elements than there can be
constexpr int kTopCapacity = 512;
constexpr int kLeastCapacity = 8;

/// Elements that a level may have, by how far it is from the top: each two thirds of the one above.
constexpr std::array<int, kMostLevels> kCapacities = [] {
    std::array<int, kMostLevels> capacities{};
    double capacity = kTopCapacity;
    for (int& each : capacities) {
        each = std::max(kLeastCapacity, static_cast<int>(capacity));
        capacity *= 2. / 3;
    }
    return capacities;
}();
constexpr int capacity_of(int levels) {
    return std::accumulate(kCapacities.begin(), kCapacities.begin() + levels, 0);
}
constexpr int kRoom = capacity_of(kMostLevels);
constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

std::uint32_t mixed(std::uint32_t x) {
    x = (x ^ (x >> 16)) * 0x7feb352d;
    x = (x ^ (x >> 15)) * 0x846ca68b;
    return x ^ (x >> 16);
}

/// Elements in levels, one behind the other at the end of `room` places. An element of level h stands
/// for 2^h of those that were added; those of level 0 are in no order, the others sorted.
template <int room>
struct Levels {
    std::array<std::int32_t, kMostLevels + 1> begin;
    std::int32_t levels = 1;
    std::uint32_t coins = 0; ///< that have been drawn
    std::array<double, room> items;

    Levels() {
        begin.fill(room);
        items.fill(0);
    }

    int size() const { return room - begin[0]; }
    int size(int level) const { return at(level + 1) - at(level); }
    std::int32_t& at(int level) { return begin[static_cast<std::size_t>(level)]; }
    std::int32_t at(int level) const { return begin[static_cast<std::size_t>(level)]; }

    /// Where the level is too full, each second element of the lowest such level moves one up.
    void compact() {
        int level = 0;
        while (size(level) < kCapacities[static_cast<std::size_t>(levels - 1 - level)]) ++level;
        if (level + 1 == levels) ++levels; // `begin` of the new one, and of all above, is the end
        double* const first = items.data() + at(level);
        double* const last = items.data() + at(level + 1);
        if (level == 0) std::sort(first, last);
        const bool odd = (last - first) % 2 != 0;
        const std::int32_t half = static_cast<std::int32_t>((last - first) / 2);
        const bool second = (mixed(++coins) & 1) != 0;
        std::array<double, room / 2 + 1> moved;
        for (std::int32_t i = 0; i < half; ++i)
            moved[static_cast<std::size_t>(i)] = first[(odd ? 1 : 0) + 2 * i + (second ? 1 : 0)];
        const double left = *first;
        const double* from = moved.data();
        const double* above = last;
        for (double* to = last - half; from != moved.data() + half;)
            *to++ = above != items.data() + at(level + 2) && *above < *from ? *above++ : *from++;
        if (odd) last[-half - 1] = left;
        std::memmove(items.data() + at(0) + half, items.data() + at(0),
                     static_cast<std::size_t>(at(level) - at(0)) * sizeof(double));
        for (int below = 0; below <= level; ++below) at(below) += half;
        at(level + 1) -= half;
    }
    void compact_if_full() {
        while (size() >= capacity_of(levels)) compact();
    }
};

struct QuantileState {
    double least = kInfiniteNumber<double>;
    double greatest = -kInfiniteNumber<double>;
    std::int64_t count = 0;
    bool has_nan = false;
    Levels<kRoom> kept;
};

struct JoinLevels {
    void operator()(QuantileState& state, const QuantileState& next) const {
        state.count += next.count;
        state.has_nan |= next.has_nan;
        state.least = std::min(state.least, next.least);
        state.greatest = std::max(state.greatest, next.greatest);
        if (state.has_nan) return; // no element counts any more
        Levels<2 * kRoom> both;
        both.levels = std::max(state.kept.levels, next.kept.levels);
        both.coins = state.kept.coins + next.kept.coins;
        double* to = both.items.data() + both.items.size();
        for (int level = both.levels - 1; level >= 0; --level) {
            const auto part = [&](const Levels<kRoom>& kept) {
                return std::span(kept.items.data() + kept.at(level),
                                 static_cast<std::size_t>(kept.size(level)));
            };
            const auto left = part(state.kept);
            const auto right = part(next.kept);
            to -= left.size() + right.size();
            std::ranges::merge(left, right, to);
            both.at(level) = static_cast<std::int32_t>(to - both.items.data());
        }
        while (both.size() > capacity_of(both.levels)) both.compact();
        state.kept.levels = both.levels;
        state.kept.coins = both.coins;
        std::ranges::transform(both.begin, state.kept.begin.begin(),
                               [](std::int32_t at) { return at - kRoom; });
        std::copy(both.items.end() - both.size(), both.items.end(),
                  state.kept.items.end() - both.size());
    }
};

/// So many elements are sorted at once, of which each 32nd then stands for as many.
constexpr std::size_t kSortedElements = 16384;
constexpr int kSortedLevel = 5;

/// Keys in the order of numbers.
std::uint64_t key_of(double number) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    return bits ^ (static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> 63) | kSign);
}
double number_of(std::uint64_t key) {
    return std::bit_cast<double>(key ^ ((key & kSign) != 0 ? kSign : ~std::uint64_t{0}));
}

/// Sorts keys by bytes, the last one first, but for bytes that all keys share. `room` is as large.
void sort_keys(std::span<std::uint64_t> keys, std::span<std::uint64_t> room) {
    constexpr std::size_t kBytes = sizeof(std::uint64_t);
    std::array<std::array<std::uint32_t, 256>, kBytes> counts{};
    for (const std::uint64_t key : keys)
        for (std::size_t byte = 0; byte < kBytes; ++byte) ++counts[byte][(key >> (8 * byte)) & 255];
    std::span<std::uint64_t> from = keys;
    std::span<std::uint64_t> to = room;
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
        auto& places = counts[byte];
        if (places[(keys[0] >> (8 * byte)) & 255] == keys.size()) continue;
        std::uint32_t place = 0;
        for (std::uint32_t& count : places) place += std::exchange(count, place);
        for (const std::uint64_t key : from) to[places[(key >> (8 * byte)) & 255]++] = key;
        std::swap(from, to);
    }
    if (from.data() != keys.data()) std::ranges::copy(from, keys.begin());
}

struct AddElements {
    void operator()(QuantileState& state, std::span<const double> block) const {
        while (block.size() >= kSortedElements) {
            JoinLevels()(state, of_many(block.first(kSortedElements), state.kept.coins));
            block = block.subspan(kSortedElements);
        }
        state.count += std::ssize(block);
        Levels<kRoom>& kept = state.kept;
        while (!block.empty()) {
            kept.compact_if_full();
            const auto free = static_cast<std::size_t>(capacity_of(kept.levels) - kept.size());
            for (const double x : block.first(std::min(free, block.size()))) {
                if (x != x) {
                    state.has_nan = true;
                    continue;
                }
                state.least = std::min(state.least, x);
                state.greatest = std::max(state.greatest, x);
                kept.items[static_cast<std::size_t>(--kept.at(0))] = x + 0.0;
            }
            block = block.subspan(std::min(free, block.size()));
        }
    }

private:
    static QuantileState of_many(std::span<const double> block, std::uint32_t coins) {
        QuantileState state;
        state.count = std::ssize(block);
        for (const double x : block) state.has_nan |= x != x;
        if (state.has_nan) return state;
        std::vector<std::uint64_t> keys(2 * block.size());
        const auto sorted = std::span(keys).first(block.size());
        std::ranges::transform(block, sorted.begin(), [](double x) { return key_of(x + 0.0); });
        sort_keys(sorted, std::span(keys).last(block.size()));
        state.least = number_of(sorted.front());
        state.greatest = number_of(sorted.back());
        Levels<kRoom>& kept = state.kept;
        kept.levels = kSortedLevel + 1;
        kept.coins = coins + 1; // of what is joined, both count
        constexpr std::size_t kStep = std::size_t{1} << kSortedLevel;
        // Blocks of the same number of coins are to begin at different elements.
        const auto bits = std::bit_cast<std::uint64_t>(block.front());
        const std::size_t first =
            mixed(kept.coins + static_cast<std::uint32_t>(bits ^ (bits >> 32))) % kStep;
        const auto count = static_cast<std::int32_t>(block.size() / kStep);
        for (int level = 0; level <= kSortedLevel; ++level) kept.at(level) -= count;
        for (std::size_t i = first; i < block.size(); i += kStep)
            kept.items[kept.items.size() - (block.size() - i + kStep - 1) / kStep] =
                number_of(sorted[i]);
        return state;
    }
};

struct EstimateQuantiles {
    using Element = double;

    std::vector<double> quantiles;
    bool list;

    index_t width() const { return list ? std::ssize(quantiles) : 0; }

    void operator()(const QuantileState& state, double* to) const {
        struct Weighed {
            double element;
            std::int64_t rank; ///< those of it and of all before it
        };
        if (state.has_nan || state.count == 0) {
            std::fill_n(to, quantiles.size(), kNotANumber<double>);
            return;
        }
        const Levels<kRoom>& kept = state.kept;
        std::vector<Weighed> sorted;
        for (int level = 0; level < kept.levels; ++level)
            for (std::int32_t at = kept.at(level); at < kept.at(level + 1); ++at)
                sorted.push_back(
                    {kept.items[static_cast<std::size_t>(at)], std::int64_t{1} << level});
        std::ranges::sort(sorted, {}, &Weighed::element);
        for (std::size_t i = 1; i < sorted.size(); ++i) sorted[i].rank += sorted[i - 1].rank;
        for (const double quantile : quantiles) {
            const double rank = quantile * static_cast<double>(state.count - 1);
            const auto element = [&](double at) {
                const auto found =
                    std::ranges::upper_bound(sorted, at, {}, [](const Weighed& each) {
                        return static_cast<double>(each.rank);
                    });
                return found == sorted.end() ? state.greatest : found->element;
            };
            if (kept.levels == 1)
                *to++ = interpolated(element(std::floor(rank)), element(std::ceil(rank)),
                                     rank - std::floor(rank));
            else
                *to++ = quantile == 0   ? state.least
                        : quantile == 1 ? state.greatest
                                        : element(rank);
        }
    }
};

using Functions = ReducerOfFunctions<double, QuantileState, AddElements, JoinLevels,
                                     EstimateQuantiles, std::nullptr_t>;

class QuantileSketch final : public Functions {
public:
    explicit QuantileSketch(EstimateQuantiles finish)
        : Functions("approximate_quantile", {}, {}, {}, std::move(finish), nullptr, true) {}
    /// Of numbers of any type, rounded.
    const FunctionReducer* of(DType element) const override {
        return element.is_builtin() ? this : nullptr;
    }
};

} // namespace

std::shared_ptr<const FunctionReducer> quantile_sketch(std::span<const double> quantiles,
                                                       bool list) {
    if (quantiles.empty()) throw Error("approximate_quantile: the list of quantiles is empty");
    for (const double quantile : quantiles) check_quantile("approximate_quantile", quantile, 1);
    return std::make_shared<const QuantileSketch>(
        EstimateQuantiles{{quantiles.begin(), quantiles.end()}, list});
}

} // namespace purview
