#pragma once

#include <purview/expression/node.hpp>
#include <purview/expression/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace purview::inline v0_1 {

/// States of groups whose rows come block by block, in ascending order: bit by bit what `RowGroups::fold` makes of all of
/// them. Of floats that is added in blocks of rows whose length depends on how many slots there are, which is known at the
/// end alone: a state has the sums for each length that is still possible.
class GroupStates {
public:
    /// How many slots there are, as far as that is known.
    struct Slots {
        index_t fewest = 1;
        index_t most = std::numeric_limits<index_t>::max();
    };
    /// `rows`: of all. Folded in the type of the accumulator: float64, int64 or uint64.
    GroupStates(Reduction reduction, DType accumulator, index_t rows, Slots slots);

    DType accumulator() const noexcept { return accumulator_; }
    /// A multiple of 8.
    index_t bytes() const noexcept { return bytes_; }
    void clear(std::byte* state) const;
    /// The state as these have it of one of others, which were made for fewer groups.
    void take(const GroupStates& others, const std::byte* theirs, std::byte* state) const;

    /// Where states of groups lie: that of group g at `first + g * stride`.
    struct Memory {
        std::byte* first;
        index_t stride;
        index_t groups;
    };
    /// Adds values of any built-in type, in memory or constant: to the groups of these numbers, of which each is that of a row.
    void fold(const Operand& values, std::span<const std::int64_t> numbers,
              std::span<const index_t> rows, Memory states) const;
    /// Writes the accumulators of states, where there are so many slots.
    void finish(const std::byte* states, index_t stride, index_t count, index_t slots,
                void* out) const;

private:
    friend class GroupSums;
    Reduction reduction_;
    DType accumulator_;
    index_t rows_;
    int first_level_;
    int last_level_;
    index_t bytes_;
};

/// How many slots `RowGroups` has for keys that are integers, which decides how it adds floats: `least` and `greatest` as the bits of an
/// int64 or uint64, `common` the greatest common divisor of the differences between the least key and all others, and
/// `looked_at` that of the first ones, at most kKeysLookedAt.
struct KeyRange {
    std::uint64_t least = 0;
    std::uint64_t greatest = 0;
    std::uint64_t common = 0;
    std::uint64_t looked_at = 0;
};
inline constexpr index_t kKeysLookedAt = 4096;
index_t slots_of_keys(const KeyRange& keys, index_t rows, index_t groups);

} // namespace purview
