#pragma once

#include "engine/kernels/table/kernel_table.hpp"
#include "engine/machine_code/machine_code.hpp"
#include "engine/machine_code/segment_values.hpp"

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// The index of an instruction whose operand is filled in later, and the number of the array, spill
/// slot or constant that the operand refers to.
struct Patch {
    std::uint32_t instruction;
    std::uint32_t target;
};

/// What an instruction does, as `KernelTable::find` takes it.
struct InstructionKind {
    Form form;
    TileOp op;
    TypeId lane;
};

/// The instructions of a program. The addresses of their operands are filled in by whoever runs it.
struct TileCode {
    std::vector<Instruction> code;
    SegmentValues values;  ///< that they compute
    InstructionKind end{}; ///< what the last one does
    /// The first ones, after a reload of the accumulator, prefetch.
    std::uint32_t prefetches = 0;
    std::vector<Patch> arrays;
    std::vector<Patch> constants; ///< targets are the ValueIds of constants
    std::vector<Patch> spills;
    std::uint32_t spill_slots = 0;
    std::uint32_t lane_bytes = 0;
    /// What runs the program once it has run often.
    MachineCode machine_code;

    bool accumulates() const noexcept {
        return end.form == Form::accumulate_last || end.form == Form::accumulate_in_b;
    }
    std::uint32_t last() const noexcept { return static_cast<std::uint32_t>(code.size() - 1); }
};

/// Code that does what the program does, to the bit. Empty where there is none: on other targets
/// than avx512 and avx2, and for instructions that are called or work on memory.
Translated translate(const KernelTable& kernels, const TileCode& program) noexcept;

} // namespace purview::engine
