#pragma once

#include "engine/compile/plan.hpp"

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

/// The address of the first element of a leaf in memory, seen through `dims`.
const std::byte* start_of(const Leaf& leaf, const Dimensions& dims) noexcept;
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
    void move_source(ArrayId array, const std::byte* first) noexcept {
        places_[array] = first;
        move_operands(step_.program, code_, array, first);
        // A repeated element is read where it lies by the last tile too.
        if (tail_size_ > 0 && plan_.arrays[array].access == LoadAccess::repeated)
            move_operands(tail_program(), tail_code_, array, first);
    }

    /// Accumulates the elements from `begin` on, a whole number of tiles. The caller sets and reads
    /// the accumulator.
    void accumulate(index_t begin = 0);
    /// Accumulates `folds` consecutive pieces of `each` elements, a whole number of tiles, from
    /// `begin` on. For each piece the accumulator begins as `start`, and what it ends as is written
    /// to the next kAccumulatorBytes of `out`. Both are aligned as the accumulator is.
    void fold(index_t begin, index_t each, index_t folds, const void* start, void* out);
    std::byte* accumulator() noexcept { return accumulator_; }
    index_t size() const noexcept { return done_ + tail_size_; }
    std::size_t lane_bytes() const noexcept { return step_.program.lane_bytes; }

    /// Computes the elements into `out`, which is the place of one of the arrays read, or overlaps
    /// none of them.
    void store(std::byte* out);

private:
    /// An input of the last tile, which is not whole: copied to scratch, so that nothing after the
    /// array is read.
    struct TailInput {
        ArrayId array;
        std::uint32_t element_bytes;
        std::byte* tile;
    };

    const TileProgram& tail_program() const noexcept {
        return step_.tail ? *step_.tail : step_.program;
    }
    static void move_operands(const TileProgram& program, Instruction* code, ArrayId array,
                              const void* place) noexcept {
        for (const Patch& patch : program.arrays)
            if (patch.target == array) code[patch.instruction].operand = place;
    }
    /// The machine code, if it also computes a last tile that is not whole.
    const Translated* translated() const noexcept {
        const auto* const made = step_.program.machine_code.translated(
            plan_.kernels, step_.program, static_cast<std::size_t>(size()));
        return made != nullptr && made->takes_any_count ? made : nullptr;
    }
    void bind(const TileProgram& program, Instruction* code,
              std::span<const void* const> places) noexcept;
    void prepare_tail() noexcept;
    void load_tail() noexcept;
    void finish();

    const Plan& plan_;
    const TileStep& step_;
    index_t tiles_;
    index_t done_;      ///< elements in whole tiles
    index_t tail_size_; ///< elements after these
    /// The padding of the tail is renewed at each run, as it could divide by zero.
    bool refills_padding_;
    Instruction* tail_code_;
    std::size_t tail_input_count_ = 0;
    // Not initialised: each is written before it is read.
    const std::byte* places_[kDirectArrays];
    TailInput tail_inputs_[kDirectArrays];
    union {
        Instruction code_[2 * kDirectInstructions];
    };
    TileState state_;
    alignas(64) std::byte accumulator_[kAccumulatorBytes];
    alignas(64) std::byte tail_tiles_[kDirectArrays][kMaxTileBytes];
};

} // namespace purview::engine
