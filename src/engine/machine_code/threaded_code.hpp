#pragma once

#include "engine/kernels/table/kernel_table.hpp"
#include "engine/machine_code/machine_code.hpp"

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
struct ThreadedCode {
    std::vector<Instruction> code;
    std::vector<InstructionKind>
        kinds; ///< of each instruction, as they were before some were fused
    std::vector<Patch> arrays;
    std::vector<Patch> constants; ///< targets are the ValueIds of constants
    std::vector<Patch> spills;
    std::uint32_t spill_slots = 0;
    std::uint32_t lane_bytes = 0;
    /// What runs the program once it has run often.
    MachineCode machine_code;
};

/// Code that does what the program does, to the bit. Empty where there is none: on other targets
/// than avx512 and avx2, and for instructions that are called or work on memory.
Translated translate(const KernelTable& kernels, const ThreadedCode& program) noexcept;

} // namespace purview::engine
