#include <purview/base/errors.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/row_matches.hpp>

#include "engine/order/word_table.hpp"
#include "engine/threads/watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

using namespace engine;

namespace {

/// Rows are looked up in blocks, of which there are enough for all threads where rows are few and
/// their matches many.
constexpr index_t kMostJoinedRows = index_t{1} << 14;
constexpr index_t kLeastJoinedRows = 64;
constexpr index_t kJoinBlocks = 256;
/// What a thread looks at together.
constexpr index_t kWordsOfPiece = index_t{1} << 15;
/// How many rows ahead matches are prefetched.
constexpr index_t kMatchAhead = 16;
/// Where the left side has so many times fewer rows, those on the right that cannot match are left out first, if they
/// are most of a sample.
constexpr std::size_t kTimesFewer = 3;
constexpr std::size_t kSampledRows = 1024;
constexpr std::size_t kBitsOfFewRow = 8;
constexpr std::size_t kMostFewRows = std::size_t{1} << 23;

/// Rows cut into blocks, whose results lie one after the other.
struct JoinBlocks {
    explicit JoinBlocks(index_t count)
        : rows(count),
          length(std::clamp(count / kJoinBlocks, kLeastJoinedRows, kMostJoinedRows)),
          begins(static_cast<std::size_t>((count + length - 1) / length) + 1) {}

    /// Calls `work(first, last, place)` for each block of rows; `place` is where its results begin,
    /// or before that is known, gets how many they are.
    template <typename Work>
    void for_each(double each, Work work) {
        parallel_ranges(std::ssize(begins) - 1, 1, each * static_cast<double>(rows),
                        [&](index_t from, index_t to) {
                            for (index_t b = from; b < to; ++b)
                                work(b * length, std::min((b + 1) * length, rows),
                                     begins[static_cast<std::size_t>(b)]);
                        });
    }
    /// Calls `work(first, last, begin, end)` for each block that has results in [from, to).
    template <typename Work>
    void for_results(double each, std::uint64_t from, std::uint64_t to, Work work) const {
        parallel_ranges(std::ssize(begins) - 1, 1, each * static_cast<double>(rows),
                        [&](index_t first, index_t last) {
                            for (index_t b = first; b < last; ++b) {
                                const auto own = static_cast<std::size_t>(b);
                                if (begins[own] < to && begins[own + 1] > from)
                                    work(b * length, std::min((b + 1) * length, rows), begins[own],
                                         begins[own + 1]);
                            }
                        });
    }
    /// Makes the counts of blocks their begins, from `begin` on.
    void begin_from(std::uint64_t begin) {
        for (std::uint64_t& each : begins) begin += std::exchange(each, begin);
    }

    index_t rows;
    index_t length;
    std::vector<std::uint64_t> begins; ///< of blocks, and the end
};

} // namespace

struct RowMatches::State {
    State(const WordColumns& left, const WordColumns& right, JoinKind of)
        : kind(of),
          found(std::ssize(left.first)),
          left_blocks(std::ssize(left.first)),
          right_blocks(keeps_right() ? std::ssize(right.first) : 0) {
        if (keeps_right()) unmatched = RecycledArray<std::uint8_t>(std::ssize(right.first), 1);
        if (left.second.empty() && right.second.empty())
            join<std::uint64_t>(left.first, right.first);
        else
            join<WordPair>({left.first, left.second}, {right.first, right.second});
        left_blocks.begin_from(0);
        if (keeps_right()) count_unmatched();
        right_blocks.begin_from(left_blocks.begins.back());
        // the bytes of 16 for each have to be countable
        constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max() / 16;
        if (size() > kMost)
            throw ShapeError(
                fmt::format("join: the result has {} rows, which is more than {}", size(), kMost));
    }

    bool keeps_left() const { return kind == JoinKind::left || kind == JoinKind::outer; }
    bool keeps_right() const { return kind == JoinKind::right || kind == JoinKind::outer; }
    bool pairs() const { return kind != JoinKind::semi && kind != JoinKind::anti; }
    std::uint64_t size() const { return right_blocks.begins.back(); }

    /// The number of rows of the result that a row on the left with so many matches has.
    std::uint64_t results_of(std::uint32_t matches) const {
        switch (kind) {
        case JoinKind::inner:
        case JoinKind::right: return matches;
        case JoinKind::left:
        case JoinKind::outer: return std::max(matches, std::uint32_t{1});
        case JoinKind::semi: return matches > 0 ? 1 : 0;
        case JoinKind::anti: return matches > 0 ? 0 : 1;
        }
        std::unreachable();
    }

    template <typename Word>
    void join(WordsOf<Word> left, WordsOf<Word> right) {
        if (right.size() / kTimesFewer > left.size() && left.size() <= kMostFewRows &&
            join_few<Word>(left, right))
            return;
        const WordTable<Word> table(right);
        look_up<Word>(table, left);
    }
    /// Joins the rows on the right whose words may be on the left, as a bit for each hash tells. Nothing happens where
    /// many may be.
    template <typename Word>
    bool join_few(WordsOf<Word> left, WordsOf<Word> right) {
        using Table = WordTable<Word>;
        const auto size = static_cast<index_t>(right.size());
        if (size >= Table::kMostRows) Table::throw_too_many(size);
        const int bits = static_cast<int>(std::bit_width(kBitsOfFewRow * left.size() + 64));
        RecycledArray<std::uint64_t> bit_set(index_t{1} << (bits - 6), 0);
        const auto place = [bits](const Word& word) { return Table::hash_of(word) >> (64 - bits); };
        left_blocks.for_each(4, [&](index_t first, index_t last, std::uint64_t&) {
            for (auto row = static_cast<std::size_t>(first); row < static_cast<std::size_t>(last);
                 ++row) {
                const std::uint64_t at = place(left[row]);
                std::atomic_ref(bit_set[static_cast<index_t>(at / 64)])
                    .fetch_or(std::uint64_t{1} << at % 64, std::memory_order_relaxed);
            }
        });
        const auto may_match = [&](std::size_t row) {
            const std::uint64_t at = place(right[row]);
            return static_cast<std::uint8_t>(bit_set[static_cast<index_t>(at / 64)] >> at % 64 & 1);
        };
        std::size_t of_sample = 0;
        for (std::size_t i = 0; i < kSampledRows; ++i)
            of_sample += may_match(i * right.size() / kSampledRows);
        if (of_sample > kSampledRows / 3) return false;
        RecycledArray<std::uint8_t> may(size);
        JoinBlocks blocks(size);
        blocks.for_each(2, [&](index_t first, index_t last, std::uint64_t& results) {
            std::uint64_t count = 0;
            for (index_t row = first; row < last; ++row)
                count += may[row] = may_match(static_cast<std::size_t>(row));
            results = count;
        });
        blocks.begin_from(0);
        const auto count = static_cast<index_t>(blocks.begins.back());
        WordStore<Word> words(count);
        RecycledArray<std::uint32_t> rows(count);
        blocks.for_each(1, [&](index_t first, index_t last, std::uint64_t begin) {
            auto at = static_cast<index_t>(begin);
            for (index_t row = first; row < last; ++row)
                if (may[row] != 0) {
                    words.put(at, right[static_cast<std::size_t>(row)]);
                    rows[at++] = static_cast<std::uint32_t>(row);
                }
        });
        const Table table(words.all(), {rows.begin(), rows.end()});
        look_up<Word>(table, left);
        return true;
    }
    template <typename Words>
    static Words block_of(Words words, index_t first, index_t last) {
        return words.subspan(static_cast<std::size_t>(first),
                             static_cast<std::size_t>(last - first));
    }
    /// Calls `f(row, slot)` for all rows of a table.
    template <typename Table, typename F>
    static void for_each_row(const Table& table, F f) {
        parallel_ranges(table.slots(), kMostJoinedRows, 2 * static_cast<double>(table.slots()),
                        [&](index_t begin, index_t end) {
                            for (index_t slot = begin; slot < end; ++slot) {
                                const WordRows& rows = table.rows_at(slot);
                                for (index_t i = 0; i < index_t{rows.count}; ++i)
                                    f(table.lists().row(rows, i), slot);
                            }
                        });
    }

    template <typename Word>
    void look_up(const WordTable<Word>& table, WordsOf<Word> words) {
        lists = table.lists();
        if (!keeps_right()) return look_up<Word>(table, words, [](index_t) {});
        RecycledArray<std::uint8_t> matched(table.slots(), 0);
        look_up<Word>(table, words, [&](index_t slot) {
            const std::atomic_ref<std::uint8_t> mark(matched[slot]);
            if (mark.load(std::memory_order_relaxed) == 0) mark.store(1, std::memory_order_relaxed);
        });
        for_each_row(table, [&](index_t row, index_t slot) {
            if (matched[slot] != 0) unmatched[row] = 0;
        });
    }
    template <typename Word, typename Mark>
    void look_up(const WordTable<Word>& table, WordsOf<Word> words, Mark mark) {
        left_blocks.for_each(6, [&](index_t first, index_t last, std::uint64_t& results) {
            std::uint64_t count = 0;
            table.find(block_of(words, first, last), [&](std::size_t i, index_t slot) {
                const WordRows rows = slot < 0 ? WordRows{} : table.rows_at(slot);
                found[first + static_cast<index_t>(i)] = rows;
                count += results_of(rows.count);
                if (slot >= 0) mark(slot);
            });
            results = count;
        });
    }
    void count_unmatched() {
        right_blocks.for_each(0.2, [&](index_t first, index_t last, std::uint64_t& results) {
            results = static_cast<std::uint64_t>(
                std::count(unmatched.begin() + first, unmatched.begin() + last, 1));
        });
    }

    /// Writes the results in [from, to).
    struct Written {
        std::int64_t* left;
        std::int64_t* right;
        std::uint64_t from;
        std::uint64_t to;

        /// Unless all of them are in the range.
        template <bool clips>
        void put(std::uint64_t at, index_t of_left, index_t of_right) const {
            // those before `from` wrap round
            if (clips && at - from >= to - from) return;
            left[at - from] = of_left;
            right[at - from] = of_right;
        }
    };

    void write(const Written& to) const {
        const double each =
            3 * static_cast<double>(to.to - to.from) / static_cast<double>(left_blocks.rows + 1);
        left_blocks.for_results(
            3 + each, to.from, to.to,
            [&](index_t first, index_t last, std::uint64_t at, std::uint64_t end) {
                const bool clips = at < to.from || end > to.to;
                if (pairs())
                    clips ? write_pairs<true>(to, first, last, at)
                          : write_pairs<false>(to, first, last, at);
                else
                    write_left_alone(to, first, last, at);
            });
        right_blocks.for_results(2, to.from, to.to,
                                 [&](index_t first, index_t last, std::uint64_t at, std::uint64_t) {
                                     for (index_t row = first; row < last; ++row)
                                         if (unmatched[row] != 0) to.put<true>(at++, -1, row);
                                 });
    }
    void write_left_alone(const Written& to, index_t first, index_t last, std::uint64_t at) const {
        for (index_t row = first; row < last; ++row)
            if (results_of(found[row].count) > 0) {
                if (at - to.from < to.to - to.from) to.left[at - to.from] = row;
                ++at;
            }
    }
    template <bool clips>
    void write_pairs(const Written& to, index_t first, index_t last, std::uint64_t at) const {
        const bool keeps = keeps_left();
        for (index_t row = first; row < last && at < to.to; ++row) {
            const WordRows& rows = found[row];
            if (row + kMatchAhead < last) lists.prefetch(found[row + kMatchAhead]);
            if (rows.count == 0) {
                if (keeps) to.put<clips>(at++, row, -1);
                continue;
            }
            if (clips && at + rows.count <= to.from) {
                at += rows.count;
                continue;
            }
            for (index_t i = 0; i < index_t{rows.count}; ++i)
                to.put<clips>(at++, row, lists.row(rows, i));
        }
    }

    JoinKind kind;
    RecycledArray<WordRows> found; ///< of each row on the left
    RowLists lists;
    RecycledArray<std::uint8_t> unmatched; ///< whether a row on the right has no match
    JoinBlocks left_blocks;
    JoinBlocks right_blocks;
};

RowMatches::RowMatches(const WordColumns& left, const WordColumns& right, JoinKind kind) {
    const WatchedOperation watched("join");
    state_ = Hidden<State>(new State(left, right, kind));
}

RowMatches::~RowMatches() = default;
RowMatches::RowMatches(RowMatches&&) noexcept = default;
RowMatches& RowMatches::operator=(RowMatches&&) noexcept = default;

index_t RowMatches::size() const { return static_cast<index_t>(state_->size()); }

void RowMatches::write(index_t first, index_t last, std::int64_t* left, std::int64_t* right) const {
    const WatchedOperation watched("join");
    const State::Written to{left, right, static_cast<std::uint64_t>(first),
                            static_cast<std::uint64_t>(last)};
    state_->write(to);
}

WordLimits limits_of_words(std::span<const std::uint64_t> words) {
    const std::size_t piece = static_cast<std::size_t>(kWordsOfPiece);
    const std::size_t pieces = (words.size() + piece - 1) / piece;
    if (words.empty()) return {};
    constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
    struct Extremes {
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        std::uint64_t greatest = 0;
        void add(std::uint64_t low, std::uint64_t high) {
            least = std::min(least, low);
            greatest = std::max(greatest, high);
        }
    };
    std::vector<std::array<Extremes, 2>> found(pieces);
    parallel_ranges(
        std::ssize(found), 1, 0.5 * static_cast<double>(words.size()),
        [&](index_t begin, index_t end) {
            for (auto p = static_cast<std::size_t>(begin); p < static_cast<std::size_t>(end); ++p) {
                std::array<Extremes, 2> own;
                for (const std::uint64_t word :
                     words.subspan(p * piece, std::min(piece, words.size() - p * piece))) {
                    own[0].add(word, word);
                    own[1].add(word ^ kSign, word ^ kSign);
                }
                found[p] = own;
            }
        });
    std::array<Extremes, 2> all;
    for (const auto& each : found)
        for (std::size_t s = 0; s < 2; ++s) all[s].add(each[s].least, each[s].greatest);
    const std::uint64_t without = all[0].greatest - all[0].least;
    const std::uint64_t with = all[1].greatest - all[1].least;
    if (without <= with) return {all[0].least, without};
    return {all[1].least ^ kSign, with};
}

void number_words(std::span<std::uint64_t> left, std::span<std::uint64_t> right) {
    const WatchedOperation watched("join");
    const WordTable<std::uint64_t> table(right);
    const std::uint64_t none = right.size();
    JoinBlocks(std::ssize(left)).for_each(6, [&](index_t first, index_t last, std::uint64_t) {
        const auto block =
            left.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first));
        table.find(block, [&](std::size_t i, index_t slot) {
            block[i] = slot < 0
                           ? none
                           : static_cast<std::uint64_t>(table.lists().row(table.rows_at(slot), 0));
        });
    });
    parallel_ranges(table.slots(), kMostJoinedRows, 4 * static_cast<double>(table.slots()),
                    [&](index_t begin, index_t end) {
                        for (index_t slot = begin; slot < end; ++slot) {
                            const WordRows& rows = table.rows_at(slot);
                            for (index_t i = 0; i < index_t{rows.count}; ++i)
                                right[static_cast<std::size_t>(table.lists().row(rows, i))] =
                                    static_cast<std::uint64_t>(table.lists().row(rows, 0));
                        }
                    });
}

} // namespace purview
