#pragma once

#include <purview/base/index.hpp>
#include <purview/base/wrapping.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// Sums at the columns of one row: a place for every column, and two levels of bits that say which
/// are taken, so that they come out in ascending order without being sorted.
template <typename I, typename R>
class DenseAccumulator {
public:
    explicit DenseAccumulator(index_t columns)
        : sums_(static_cast<std::size_t>(columns)),
          taken_(static_cast<std::size_t>(columns / 64 + 1)),
          words_(taken_.size() / 64 + 1) {}

    void prepare(index_t) {}

    void add(I column, R value) {
        R& sum = sums_[static_cast<std::size_t>(column)];
        sum = wrapping_sum(sum, value);
        const auto word = static_cast<std::size_t>(column) / 64;
        taken_[word] |= std::uint64_t{1} << (column % 64);
        words_[word / 64] |= std::uint64_t{1} << (word % 64);
    }

    /// Writes columns and sums, forgets them, and returns how many there were.
    index_t take(I* columns, R* values) {
        index_t count = 0;
        for (std::size_t top = 0; top < words_.size(); ++top) {
            for (std::uint64_t upper = std::exchange(words_[top], 0); upper != 0;
                 upper &= upper - 1) {
                const std::size_t word =
                    top * 64 + static_cast<std::size_t>(std::countr_zero(upper));
                for (std::uint64_t bits = std::exchange(taken_[word], 0); bits != 0;
                     bits &= bits - 1) {
                    const std::size_t column =
                        word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
                    columns[count] = static_cast<I>(column);
                    values[count++] = std::exchange(sums_[column], R{});
                }
            }
        }
        return count;
    }

private:
    std::vector<R> sums_;
    std::vector<std::uint64_t> taken_;
    std::vector<std::uint64_t> words_; ///< which words of `taken_` have bits
};

/// The same in a hash table of the columns that the row has, for matrices of so many columns that a
/// place for each would cost more than sorting.
template <typename I, typename R>
class HashAccumulator {
public:
    /// Makes room for a row of at most `most` columns; called before each row.
    void prepare(index_t most) {
        const auto wanted = std::bit_ceil(static_cast<std::uint64_t>(2 * most + 16));
        if (wanted > slots_.size()) slots_.assign(wanted, Slot{});
        mask_ = slots_.size() - 1;
    }

    void add(I column, R value) {
        std::size_t at = static_cast<std::size_t>(
            (static_cast<std::uint64_t>(column) * 0x9E3779B97F4A7C15u >> 20) & mask_);
        while (slots_[at].taken && slots_[at].column != column) at = (at + 1) & mask_;
        Slot& slot = slots_[at];
        if (!slot.taken) {
            slot = {column, true, R{}};
            used_.emplace_back(column, at);
        }
        slot.sum = wrapping_sum(slot.sum, value);
    }

    index_t take(I* columns, R* values) {
        std::sort(used_.begin(), used_.end());
        index_t count = 0;
        for (const auto& [column, at] : used_) {
            columns[count] = column;
            values[count++] = slots_[at].sum;
            slots_[at].taken = false;
        }
        used_.clear();
        return count;
    }

private:
    struct Slot {
        I column{};
        bool taken = false;
        R sum{};
    };
    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::vector<std::pair<I, std::size_t>> used_;
};

} // namespace purview::engine
