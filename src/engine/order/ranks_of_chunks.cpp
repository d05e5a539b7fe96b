// Defines purview/evaluation/order_statistics.hpp.

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/order_statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "base/explained_call.hpp"
#include "engine/boxes/chunked_parts.hpp"
#include "engine/order/key_intervals.hpp"
#include "engine/order/rank_selection.hpp"
#include "engine/order/tables_of_cells.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Keys that are computed before any of them is looked at.
constexpr index_t kKeyBlock = 2048;

/// Intervals that all keys are divided into, as logarithms: the fewest and the most. A table of these
/// stays in the processor's caches.
constexpr int kFewestBits = 8;
constexpr int kMostBits = 17;
/// Intervals that one of them is divided into: the fewest and the most.
constexpr std::size_t kFewestParts = 1 << 4;
constexpr std::size_t kMostParts = 1 << 16;

using Keys = std::span<const WideKey>;

/// Calls `f` with the keys of the elements of a cell, some at a time.
void for_each_keys(const char* what, const Operand& cell, FunctionRef<void(Keys)> f) {
    const RealisedOperand realised(what, cell);
    visit_dtype(cell.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>) {
            ElementRuns<T> runs(*realised, kKeyBlock);
            std::array<WideKey, static_cast<std::size_t>(kKeyBlock)> keys;
            const index_t size = cell.dims.size();
            for (index_t at = 0; at < size; at += kKeyBlock) {
                const index_t count = std::min(kKeyBlock, size - at);
                const T* const elements = runs(at, count);
                std::transform(elements, elements + count, keys.begin(), wide_key_of<T>);
                f({keys.data(), static_cast<std::size_t>(count)});
            }
        }
    });
}

/// The key of NaN, for floats.
WideKey nan_key(DType dtype) { return ~WideKey{0} << (64 - 8 * dtype.size_bytes()); }

/// Of a positive number, rounded down.
int logarithm(WideKey number) { return static_cast<int>(std::bit_width(number)) - 1; }

struct Count {
    index_t keys = 0;

    void join(const Count& other) noexcept { keys += other.keys; }
};

/// Keys, and the least and the greatest of them.
struct CountedRange {
    index_t keys = 0;
    WideKey least = ~WideKey{0};
    WideKey greatest = 0;

    void add(WideKey key) noexcept {
        ++keys;
        least = std::min(least, key);
        greatest = std::max(greatest, key);
    }
    void join(const CountedRange& other) noexcept {
        keys += other.keys;
        least = std::min(least, other.least);
        greatest = std::max(greatest, other.greatest);
    }
};

/// Finds the keys that sorting would put at some ranks, by reading all elements again and again.
class KeysOfRanks {
public:
    KeysOfRanks(const char* what, const Operand& source, const ChunkWalk& walk)
        : what_(what), source_(source), walk_(walk) {
        const index_t cell = walk.fewest_bytes();
        room_ = memory_limit() - cell;
        constexpr index_t kFewestBytes = sizeof(Count) << kFewestBits;
        if (room_ < kFewestBytes)
            throw MemoryLimitError(fmt::format(
                "{}: {} bytes of a cell and {} of a table are more than the memory limit, {} bytes",
                what, cell, kFewestBytes, memory_limit()));
        // Of eight threads, or more where the most is less.
        table_bytes_ = std::max(room_ / 8, kFewestBytes);
    }

    /// One for each rank; none if none is wanted.
    const std::vector<WideKey>& find(RanksWanted wanted) {
        count_all(wanted);
        while (!open_.empty()) {
            if (fit())
                gather();
            else
                divide();
        }
        return found_;
    }
    int reads() const noexcept { return reads_; }

private:
    /// Keys among which are those of some ranks, and how many there are.
    struct Interval {
        WideKey first;
        WideKey last;
        index_t below; ///< keys that are less
        index_t keys;
        std::size_t rank; ///< the first one in it, and how many there are
        std::size_t ranks;
    };

    /// Reads all elements, on all threads that the memory limit has room for.
    template <typename Work>
    void read(index_t bytes, index_t held, Work work) {
        ++reads_;
        walk_.run(what_, {.bytes = bytes, .waiting = 0, .held = held, .one_thread = false},
                  [&](const WalkedCell& cell) { work(cell.operand); });
    }

    void count_all(RanksWanted wanted) {
        constexpr index_t kBytes = sizeof(Count);
        const int bits = std::clamp(logarithm(static_cast<WideKey>(table_bytes_ / kBytes)),
                                    kFewestBits, kMostBits);
        const KeyIntervals intervals(source_.dtype(), bits);
        TablesOfCells<Count> tables(what_, intervals.count());
        const WideKey nan = nan_key(source_.dtype());
        std::mutex mutex;
        CountedRange all;
        index_t nans = 0;
        read(kBytes << bits, 0, [&](const Operand& cell) {
            CountedRange of_cell;
            index_t nans_of_cell = 0;
            tables.add([&](Count* counts) {
                intervals.with_numbers([&](auto interval_of) {
                    for_each_keys(what_, cell, [&](Keys keys) {
                        for (const WideKey key : keys) {
                            ++counts[interval_of(key)].keys;
                            of_cell.add(key);
                            nans_of_cell += key >= nan;
                        }
                    });
                });
            });
            const std::lock_guard lock(mutex);
            all.join(of_cell);
            nans += nans_of_cell;
        });
        ranks_ = wanted(source_.dims.size() - (source_.dtype().is_floating() ? nans : 0));
        found_.resize(ranks_.size());
        const std::vector<Count>& counts = tables.joined();
        find_intervals({all.least, all.greatest, 0, all.keys, 0, ranks_.size()}, counts.data(),
                       counts.size(), [&](std::size_t i) {
                           return std::pair(std::max(intervals.first(i), all.least),
                                            std::min(intervals.last(i), all.greatest));
                       });
    }

    /// Puts those of the `count` parts of an interval that have the ranks of it among the open ones.
    template <typename Entry, typename Bounds>
    void find_intervals(const Interval& whole, const Entry* parts, std::size_t count,
                        Bounds bounds) {
        index_t below = whole.below;
        std::size_t rank = whole.rank;
        const std::size_t end = rank + whole.ranks;
        for (std::size_t i = 0; i < count && rank < end; ++i) {
            const std::size_t first_rank = rank;
            while (rank < end && ranks_[rank] < below + parts[i].keys) ++rank;
            if (rank > first_rank) {
                const auto [first, last] = bounds(i);
                add({first, last, below, parts[i].keys, first_rank, rank - first_rank});
            }
            below += parts[i].keys;
        }
        if (rank < end) throw_changed();
    }
    void add(const Interval& interval) {
        if (interval.first == interval.last)
            std::fill_n(found_.begin() + static_cast<std::ptrdiff_t>(interval.rank), interval.ranks,
                        interval.first);
        else
            open_.push_back(interval);
    }

    /// Whether half of the room is enough for all keys that are open: the other half lets threads work.
    bool fit() const { return bytes_of_open() <= room_ / 2; }
    index_t bytes_of_open() const {
        index_t keys = 0;
        for (const Interval& interval : open_) keys += interval.keys;
        return keys * index_t{sizeof(WideKey)};
    }

    /// Calls `f(interval, key)` for those keys that are in one of some intervals, in ascending order.
    template <typename F>
    static void for_each_inside(std::span<const Interval> intervals, Keys keys, F f) {
        for (const WideKey key : keys) {
            std::size_t at = 0; // without branches, which random keys would have mispredicted
            for (std::size_t left = intervals.size(); left > 1; left -= left / 2)
                at += intervals[at + left / 2].first <= key ? left / 2 : 0;
            if (key >= intervals[at].first && key <= intervals[at].last) f(at, key);
        }
    }

    /// Counts the keys of narrower intervals of those that are open, of the first ones where the tables
    /// have no room for all.
    void divide() {
        constexpr std::size_t kBytes = sizeof(CountedRange);
        const auto most = std::max(static_cast<std::size_t>(table_bytes_) / kBytes, kFewestParts);
        const std::size_t some = std::min(open_.size(), most / kFewestParts);
        const std::size_t parts = std::min(std::bit_floor(most / some), kMostParts);
        const std::vector<Interval> divided(open_.begin(),
                                            open_.begin() + static_cast<std::ptrdiff_t>(some));
        open_.erase(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(some));
        std::vector<int> shifts;
        for (const Interval& interval : divided)
            shifts.push_back(
                std::max(logarithm(interval.last - interval.first) + 1 - logarithm(parts), 0));
        TablesOfCells<CountedRange> tables(what_, some * parts);
        read(static_cast<index_t>(some * parts * kBytes), 0, [&](const Operand& cell) {
            tables.add([&](CountedRange* counts) {
                for_each_keys(what_, cell, [&](Keys keys) {
                    for_each_inside(divided, keys, [&](std::size_t at, WideKey key) {
                        counts[at * parts + ((key - divided[at].first) >> shifts[at])].add(key);
                    });
                });
            });
        });
        const std::vector<CountedRange>& counts = tables.joined();
        for (std::size_t at = 0; at < some; ++at) {
            const CountedRange* const of_interval = &counts[at * parts];
            find_intervals(divided[at], of_interval, parts, [&](std::size_t i) {
                return std::pair(of_interval[i].least, of_interval[i].greatest);
            });
        }
        std::ranges::sort(open_, {}, &Interval::first);
    }

    /// Reads the keys that are open into memory, and selects from them.
    void gather() {
        const CountedBytes counted(bytes_of_open(), what_);
        const auto all = std::make_unique_for_overwrite<WideKey[]>(
            static_cast<std::size_t>(counted.bytes()) / sizeof(WideKey));
        std::vector<WideKey*> begins;
        WideKey* begin = all.get();
        for (const Interval& interval : open_) begin = begins.emplace_back(begin) + interval.keys;
        std::vector<WideKey*> next = begins;
        std::mutex mutex;
        using Inside = std::pair<std::size_t, WideKey>;
        read(kKeyBlock * index_t{sizeof(Inside)}, counted.bytes(), [&](const Operand& cell) {
            std::vector<Inside> inside;
            for_each_keys(what_, cell, [&](Keys keys) {
                inside.clear();
                for_each_inside(open_, keys,
                                [&](std::size_t at, WideKey key) { inside.emplace_back(at, key); });
                if (inside.empty()) return;
                const std::lock_guard lock(mutex);
                for (const auto& [at, key] : inside) {
                    if (next[at] == begins[at] + open_[at].keys) throw_changed();
                    *next[at]++ = key;
                }
            });
        });
        for (std::size_t at = 0; at < open_.size(); ++at) {
            const Interval& interval = open_[at];
            if (next[at] != begins[at] + interval.keys) throw_changed();
            RankSelection<WideKey>::select(
                begins[at], interval.below, interval.below + interval.keys,
                ranks_.subspan(interval.rank, interval.ranks), &found_[interval.rank]);
        }
        open_.clear();
    }

    [[noreturn]] void throw_changed() const {
        throw Error(fmt::format(
            "{}: the elements, which are read several times, were others when they were read again",
            what_));
    }

    const char* what_;
    const Operand& source_;
    const ChunkWalk& walk_;
    index_t room_;        ///< beside a cell
    index_t table_bytes_; ///< for each thread
    int reads_ = 0;
    std::span<const index_t> ranks_;
    std::vector<WideKey> found_;
    std::vector<Interval> open_; ///< those of ranks that are not found, ascending
};

/// As numbers.
Operand counted_source(const Operand& source) {
    return source.dtype() == boolean ? cast_operand(source, uint8, Op::cast) : source;
}

} // namespace

bool is_ranked_by_reading(const Operand& source) {
    return ChunkedParts::may_find(source) &&
           source.dims.size() > memory_limit() / 2 / source.dtype().size_bytes() &&
           static_cast<bool>(ChunkWalk(source));
}

int select_ranks_by_reading(const char* what, const Operand& given, RanksWanted wanted, void* out) {
    const WatchedOperation watched(what);
    const Operand source = counted_source(given);
    const ChunkWalk walk(source);
    explained_as([&] {
        return fmt::format(
            "{}: by counts of intervals of keys, read two or three times, more often at "
            "limits below 4 MiB: {}",
            what, walk.describe({}));
    });
    KeysOfRanks ranks(what, source, walk);
    const std::vector<WideKey>& keys = ranks.find(wanted);
    visit_dtype(source.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>)
            std::ranges::transform(keys, static_cast<T*>(out), element_of_wide_key<T>);
    });
    count_way(Way::chunks);
    return ranks.reads();
}

} // namespace purview
