#include "functional/statistics/large_join.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/wrap.hpp>

#include "base/explained_call.hpp"
#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"
#include "evaluation/row_blocks.hpp"
#include "functional/reductions/slab_results.hpp"
#include "functional/statistics/key_words.hpp"
#include "functional/statistics/parted_rows.hpp"
#include "functional/statistics/row_pair_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kJoin = "join";
/// For each row on the right: its table, its number, and what tells whether it was found.
constexpr index_t kBytesOfTableRow = 100;
/// For each row on the left, what was found.
constexpr index_t kBytesOfFound = 16;
/// What several words of a row take while they become one.
constexpr index_t kBytesOfJoining = 48;
/// Parts of parts have temporary files of their own, all of them open at once.
constexpr int kMostJoinPartBits = 6;

using TakesRows = std::function<bool(const RowBlock&)>;

/// Rows of a side, in their order.
struct JoinSide {
    index_t rows;
    /// Calls a function with blocks of so many rows at most, about; stops where it returns false.
    std::function<void(index_t most_rows, const TakesRows&)> for_each_block;
};
/// Where pairs go: those in the order of the left side, and the rows on the right without a match.
struct JoinSinks {
    TakesRowPairs pairs;
    TakesRowPairs unmatched;
};

/// All rows of a side.
struct HeldRows {
    HeldRows(const JoinSide& side, index_t most_rows, std::size_t words) : keys(words) {
        rows.reserve(static_cast<std::size_t>(side.rows));
        for (auto& each : keys) each.reserve(static_cast<std::size_t>(side.rows));
        side.for_each_block(most_rows, [&](const RowBlock& block) {
            rows.insert(rows.end(), block.rows.begin(), block.rows.end());
            for (std::size_t k = 0; k < keys.size(); ++k)
                keys[k].insert(keys[k].end(), block.keys[k].begin(), block.keys[k].end());
            return true;
        });
    }

    std::vector<index_t> rows;
    std::vector<std::vector<std::uint64_t>> keys;
};

class LargeJoin {
public:
    LargeJoin(std::vector<CodedColumn> columns, JoinKind kind)
        : columns_(std::move(columns)), kind_(kind), left_room_(memory_left()) {
        words_.what = kJoin;
        const Operand word = zeros<std::uint64_t>({1}).operand();
        for (const CodedColumn& column : columns_)
            words_.keys.insert(words_.keys.end(), column.words_of_row(), {word, uint64});
    }

    std::string described() {
        std::vector<Operand> read;
        for (Operand CodedColumn::*side : {&CodedColumn::left, &CodedColumn::right})
            for (const CodedColumn& column : columns_) read.push_back(column.*side);
        const index_t left = columns_[0].left.dims.size();
        const index_t right = columns_[0].right.dims.size();
        const std::string how =
            right <= rows_of_right()
                ? fmt::format(
                      "the right side is held, in {} bytes, and the left one read block by block",
                      right * right_row_bytes())
                : fmt::format(
                      "rows are parted by their keys to {} temporary files, bytes written and "
                      "read: {}, and each part is joined",
                      2 << bits_for(right), (left + right) * PartedRows::file_bytes(words_));
        return fmt::format("{}: {}; chunks read: {}", kJoin, how, chunks_of(read));
    }
    JoinedRows run(const Operand& chunked) {
        RowPairRuns pairs(kJoin, 1);
        RowPairRuns unmatched(kJoin, 1);
        const auto add_pairs = [&](std::span<const RowPair> some) { pairs.add(0, some); };
        const auto add_unmatched = [&](std::span<const RowPair> some) { unmatched.add(0, some); };
        join(side(&CodedColumn::left), side(&CodedColumn::right), 0, {add_pairs, add_unmatched});
        return results(chunked, pairs, unmatched);
    }

private:
    /// Rooms are those of one of several parts that are joined at once.
    struct AtOnce {
        explicit AtOnce(LargeJoin& join) : of(join) {
            of.at_once_ = parts_at_once(of.left_room_ / 2);
        }
        ~AtOnce() { of.at_once_ = 1; }
        AtOnce(const AtOnce&) = delete;
        AtOnce& operator=(const AtOnce&) = delete;
        LargeJoin& of;
    };

    bool keeps_left() const { return kind_ == JoinKind::left || kind_ == JoinKind::outer; }
    bool keeps_right() const { return kind_ == JoinKind::right || kind_ == JoinKind::outer; }
    bool makes_pairs() const { return kind_ != JoinKind::semi && kind_ != JoinKind::anti; }

    index_t words() const { return std::ssize(words_.keys); }
    index_t joining_bytes() const { return words() > 1 ? kBytesOfJoining : 0; }
    index_t right_row_bytes() const {
        return 8 * (1 + words()) + kBytesOfTableRow + joining_bytes();
    }
    index_t block_row_bytes() const { return PartedRows::block_bytes(words_) + 16; }
    index_t rows_of_right() const {
        return std::max<index_t>(1, left_room_ / at_once_ / 2 / right_row_bytes());
    }
    index_t rows_of_block() const {
        return std::max<index_t>(1, left_room_ / at_once_ / 8 /
                                        (block_row_bytes() + kBytesOfFound + joining_bytes()));
    }
    index_t pairs_of_batch() const { return std::max<index_t>(1, left_room_ / at_once_ / 8 / 48); }
    index_t buffers() const { return left_room_ / 4; }

    /// Rows of the columns of a side, of which each chunk is read once.
    JoinSide side(Operand CodedColumn::*of) const {
        std::vector<Operand> numbers;
        for (const CodedColumn& column : columns_) numbers.push_back(column.*of);
        const index_t rows = numbers[0].dims.size();
        return {rows, [this, numbers](index_t most_rows, const TakesRows& f) {
                    if (numbers[0].dims.size() == 0) return;
                    index_t from = 0;
                    for (const index_t end : row_block_ends(numbers, most_rows, 2 * most_rows)) {
                        if (!takes_block(numbers, from, end, f)) return;
                        from = end;
                    }
                }};
    }
    bool takes_block(const std::vector<Operand>& numbers, index_t from, index_t end,
                     const TakesRows& f) const {
        const index_t count = end - from;
        const CountedBytes counted(count * block_row_bytes(), kJoin);
        std::vector<index_t> rows(static_cast<std::size_t>(count));
        std::iota(rows.begin(), rows.end(), from);
        RowBlock block{from, rows, {}, {}};
        std::vector<RowWords> held;
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const Operand part =
                in_memory(kJoin, {numbers[c].node, box_from(numbers[c].dims, ShapeSpan(&from, 1),
                                                            ShapeSpan(&count, 1))});
            for (RowWords& words : columns_[c].words(kJoin, part)) held.push_back(std::move(words));
        }
        for (const RowWords& words : held) block.keys.push_back(words.words);
        return f(block);
    }
    JoinSide part_of(const PartedRows& parted, int part) const {
        return {parted.rows(part), [&parted, part](index_t most_rows, const TakesRows& f) {
                    parted.for_each_block(part, most_rows, f);
                }};
    }

    void join(const JoinSide& left, const JoinSide& right, int step, const JoinSinks& to) {
        if (right.rows <= rows_of_right()) return join_held(left, right, to);
        if (step == PartedRows::kMostSteps)
            throw MemoryLimitError(fmt::format(
                "join: {} rows on the right share the bits of a hash, and {} bytes for them are more than half of what "
                "the memory limit, {} bytes, leaves",
                right.rows, right.rows * right_row_bytes(), memory_limit()));
        const int bits = bits_for(right.rows);
        PartedRows of_left(words_, left.rows, bits, step, buffers() / 2);
        PartedRows of_right(words_, right.rows, bits, step, buffers() / 2);
        const auto part = [&](const JoinSide& side, PartedRows& parted) {
            side.for_each_block(rows_of_block(), [&](const RowBlock& block) {
                parted.add(block);
                return true;
            });
            parted.end();
        };
        part(left, of_left);
        part(right, of_right);
        RowPairRuns pairs(kJoin, of_left.parts());
        RowPairRuns unmatched(kJoin, of_left.parts());
        const auto each = [&](int p, auto f) {
            const auto add_pairs = [&](std::span<const RowPair> some) { pairs.add(p, some); };
            const auto add_unmatched = [&](std::span<const RowPair> some) {
                unmatched.add(p, some);
            };
            f(JoinSinks{add_pairs, add_unmatched});
        };
        // Those whose right side has no room beside that of others follow one by one.
        std::vector<int> later;
        {
            const AtOnce shared(*this);
            for (int p = 0; p < of_left.parts(); ++p)
                if (of_right.rows(p) > rows_of_right()) later.push_back(p);
            for_each_part(of_left.parts(), at_once_, [&](int p) {
                if (of_right.rows(p) > rows_of_right()) return;
                each(p, [&](const JoinSinks& runs) {
                    join_held(part_of(of_left, p), part_of(of_right, p), runs);
                });
            });
        }
        for (const int p : later)
            each(p, [&](const JoinSinks& runs) {
                if (of_right.rows(p) > rows_of_right() && of_right.has_one_hash(p))
                    join_one_hash(of_left, of_right, p, runs);
                else
                    join(part_of(of_left, p), part_of(of_right, p), step + 1, runs);
            });
        pairs.merge(buffers(), to.pairs);
        unmatched.merge(buffers(), to.unmatched);
    }
    /// As many parts, as a logarithm, that the right sides of those that are joined at once fit, about.
    int bits_for(index_t rows) {
        const AtOnce shared(*this);
        int bits = 1;
        while (bits < kMostJoinPartBits && 2 * (rows >> bits) > rows_of_right() &&
               buffers() >> (bits + 1) >= 1024)
            ++bits;
        return bits;
    }

    /// The right side in memory, and the left one block by block.
    void join_held(const JoinSide& left, const JoinSide& right, const JoinSinks& to) {
        const CountedBytes counted(right.rows * right_row_bytes(), kJoin);
        const HeldRows held(right, rows_of_block(), static_cast<std::size_t>(words()));
        std::vector<std::uint8_t> unmatched(held.rows.size(), 1);
        const index_t most = pairs_of_batch();
        const CountedBytes of_batch(48 * most, kJoin);
        std::vector<std::int64_t> lefts(static_cast<std::size_t>(most));
        std::vector<std::int64_t> rights(makes_pairs() ? static_cast<std::size_t>(most) : 0);
        PairBatch batch(most, to.pairs);
        left.for_each_block(rows_of_block(), [&](const RowBlock& block) {
            const CountedBytes of_found(block.count() * (kBytesOfFound + joining_bytes()), kJoin);
            std::vector<KeyWords> words;
            for (std::size_t k = 0; k < held.keys.size(); ++k)
                words.push_back({{{}, block.keys[k]}, {{}, held.keys[k]}});
            const RowMatches matches = matched_rows(std::move(words), kind_);
            std::vector<std::uint8_t> left_over(keeps_right() ? held.rows.size() : 0, 0);
            for (index_t first = 0; first < matches.size(); first += most) {
                const index_t count = std::min(most, matches.size() - first);
                matches.write(first, first + count, lefts.data(), rights.data());
                for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
                    const index_t other = makes_pairs() ? rights[i] : -1;
                    if (lefts[i] < 0)
                        left_over[static_cast<std::size_t>(other)] = 1;
                    else
                        batch.add({block.rows[static_cast<std::size_t>(lefts[i])],
                                   other < 0 ? -1 : held.rows[static_cast<std::size_t>(other)]});
                }
            }
            for (std::size_t r = 0; r < left_over.size(); ++r) unmatched[r] &= left_over[r];
            return true;
        });
        batch.end();
        if (!keeps_right()) return;
        PairBatch rest(most, to.unmatched);
        for (std::size_t r = 0; r < unmatched.size(); ++r)
            if (unmatched[r] != 0) rest.add({held.rows[r], -1});
        rest.end();
    }

    /// Rows on the right that are too many to be held and have one hash, and so, about surely, one key: they are read for each
    /// row on the left with that hash; of `semi` and `anti`, for the first of those with one key that follow each other.
    void join_one_hash(const PartedRows& left, const PartedRows& right, int part,
                       const JoinSinks& to) {
        const CountedBytes counted(32 * pairs_of_batch() + right.rows(part), kJoin);
        std::vector<std::uint8_t> matched(static_cast<std::size_t>(right.rows(part)), 0);
        PairBatch batch(pairs_of_batch(), to.pairs);
        std::vector<std::uint64_t> known; // the key that was looked up last
        bool any = false;                 // whether it was found
        left.for_each_block(part, rows_of_block(), [&](const RowBlock& block) {
            for (std::size_t row = 0; row < block.rows.size(); ++row) {
                std::vector<std::uint64_t> key;
                for (const auto& words : block.keys) key.push_back(words[row]);
                const auto look_up = [&](const RowBlock& beside) {
                    for (std::size_t r = 0; r < beside.rows.size(); ++r) {
                        bool equal = true;
                        for (std::size_t k = 0; k < block.keys.size(); ++k)
                            equal &= block.keys[k][row] == beside.keys[k][r];
                        if (!equal) continue;
                        any = true;
                        if (!makes_pairs()) return false;
                        matched[static_cast<std::size_t>(beside.first) + r] = 1;
                        batch.add({block.rows[row], beside.rows[r]});
                    }
                    return true;
                };
                if (makes_pairs() || key != known) {
                    any = false;
                    if (left.hash_of(block, row) == right.first_hash(part))
                        right.for_each_block(part, rows_of_block(), look_up);
                    known = std::move(key);
                }
                const bool alone =
                    kind_ == JoinKind::semi ? any : !any && (keeps_left() || !makes_pairs());
                if (alone) batch.add({block.rows[row], -1});
            }
            return true;
        });
        batch.end();
        if (!keeps_right()) return;
        PairBatch rest(pairs_of_batch(), to.unmatched);
        right.for_each_block(part, rows_of_block(), [&](const RowBlock& block) {
            for (std::size_t r = 0; r < block.rows.size(); ++r)
                if (matched[static_cast<std::size_t>(block.first) + r] == 0)
                    rest.add({block.rows[r], -1});
            return true;
        });
        rest.end();
    }

    JoinedRows results(const Operand& chunked, const RowPairRuns& pairs,
                       const RowPairRuns& unmatched) const {
        const index_t size = pairs.size() + unmatched.size();
        AppendedResults left(kJoin, chunked, int64, size);
        AppendedResults right(kJoin, chunked, int64, makes_pairs() ? size : 0);
        const auto append = [](std::span<const RowPair> some, std::int64_t RowPair::*member,
                               AppendedResults& to) {
            std::vector<std::int64_t> column(some.size());
            std::ranges::transform(some, column.begin(),
                                   [&](const RowPair& pair) { return pair.*member; });
            to.append(borrow(column).operand());
        };
        pairs.merge(buffers(), [&](std::span<const RowPair> some) {
            append(some, &RowPair::row, left);
            if (makes_pairs()) append(some, &RowPair::other, right);
        });
        unmatched.merge(buffers(), [&](std::span<const RowPair> some) {
            append(some, &RowPair::other, left);
            append(some, &RowPair::row, right);
        });
        return {MutableTensor<std::int64_t>(left.all()), MutableTensor<std::int64_t>(right.all())};
    }

    std::vector<CodedColumn> columns_;
    JoinKind kind_;
    index_t left_room_;   ///< of the memory limit
    int at_once_ = 1;     ///< parts that share it
    LargeGrouping words_; ///< as which rows are stored
};

} // namespace

std::optional<JoinedRows> large_join(const KeyColumns& left, const KeyColumns& right,
                                     JoinKind kind) {
    const Operand* chunked = nullptr;
    index_t bytes = 0;
    for (const KeyColumns* side : {&left, &right})
        for (const AnyTensor& column : *side) {
            const Operand& operand = column.operand();
            if (operand.node->reads(Below::symbol | Below::device) || is_sparse(operand))
                return std::nullopt;
            if (!operand.node->reads(Below::blocks)) continue;
            chunked = &operand;
            bytes += operand.dims.size() * operand.dtype().size_bytes();
        }
    if (chunked == nullptr || bytes <= memory_left() / 2) return std::nullopt;
    std::vector<CodedColumn> columns = coded_columns(kJoin, left, right);
    if (columns.empty()) return std::nullopt;
    LargeJoin made(std::move(columns), kind);
    explained_as([&] { return made.described(); });
    return made.run(*chunked);
}

} // namespace purview
