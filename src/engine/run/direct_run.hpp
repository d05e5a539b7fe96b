#pragma once

#include "engine/compile/plan.hpp"
#include "engine/run/tile_run.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// The most arrays and instructions of a plan that is run directly.
inline constexpr std::size_t kDirectArrays = 10;
inline constexpr std::size_t kDirectInstructions = 160;

/// Whether a plan is one program over arrays that are read where they lie, contiguously from their
/// first element to their last, or by one repeated element: then there are no rows to walk, no
/// blocks and no scratch.
bool is_direct(const Plan& plan) noexcept;

/// For each value, the address of the first element of a leaf in memory, or of a constant as
/// instructions read it (bools as masks); else null.
std::vector<const void*> places_of(const Values& values);

/// Runs a plan that `is_direct` on `count` elements: a `Runner` without rows, blocks and scratch.
class DirectRun {
public:
    /// `places` as `places_of` gives them.
    DirectRun(const Plan& plan, std::span<const void* const> places, index_t count);
    DirectRun(const DirectRun&) = delete;
    DirectRun& operator=(const DirectRun&) = delete;

    /// Reads an array from other memory from now on.
    void move_source(ArrayId array, const void* first) noexcept {
        places_[array] = static_cast<std::byte*>(const_cast<void*>(first)); // only read
    }

    /// Accumulates the elements from `begin` on, a whole number of tiles. The accumulator begins as
    /// `start`, which is aligned as it is.
    void accumulate(index_t begin, const void* start) {
        tiles_.run(step_, code_, places_, begin, size_, start);
    }
    /// Accumulates `folds` consecutive pieces of `each` elements, a whole number of tiles, from
    /// `begin` on. For each piece the accumulator begins as `start`, and what it ends as is written
    /// to the next kAccumulatorBytes of `out`. Both are aligned as the accumulator is.
    void fold(index_t begin, index_t each, index_t folds, const void* start, void* out);
    const std::byte* accumulator() const noexcept { return tiles_.accumulator; }
    std::size_t lane_bytes() const noexcept { return step_.program.lane_bytes; }

    /// Whether elements may be stored to `out`: each array read is disjoint from them, or begins at
    /// `out` and has elements of their size, which are then read before they are overwritten.
    bool may_store(const std::byte* out) const noexcept;

    /// Computes the elements into `out`, where they may be stored.
    void store(std::byte* out) {
        places_[kResult] = out;
        tiles_.run(step_, code_, places_, 0, size_);
    }

private:
    const Plan& plan_;
    const TileStep& step_;
    index_t size_;
    // Not initialised: each is written before it is read.
    std::byte* places_[kDirectArrays];
    union {
        Instruction code_[kDirectInstructions];
    };
    TileRun tiles_;
};

} // namespace purview::engine
