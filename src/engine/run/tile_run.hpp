#pragma once

#include "engine/compile/plan.hpp"

#include <cstddef>
#include <cstring>

namespace purview::inline v0_1::engine {

/// Runs the tile programs of a plan on one thread. The caller has their code, all instructions of
/// the plan, and says where arrays lie.
class TileRun {
public:
    explicit TileRun(const KernelTable& kernels) noexcept : kernels_(kernels) {}
    TileRun(const TileRun&) = delete;
    TileRun& operator=(const TileRun&) = delete;

    /// Writes the code of a program, but for the places of arrays; `constant(value)` is the address
    /// of a constant as instructions read it.
    template <typename ConstantPlace>
    void prepare(const TileProgram& program, Instruction* code, ConstantPlace&& constant) {
        code += program.first;
        std::memcpy(code, program.code.data(), program.code.size() * sizeof(Instruction));
        for (const Patch& patch : program.constants)
            code[patch.instruction].operand = constant(patch.target);
        for (const std::uint32_t instruction : program.accumulators)
            code[instruction].operand = accumulator;
    }

    /// Fills in where the arrays of a program lie, and returns its code.
    static const Instruction* bind(const TileProgram& program, Instruction* code,
                                   std::byte* const* places) noexcept {
        code += program.first;
        for (const Patch& patch : program.arrays)
            code[patch.instruction].operand = places[patch.target];
        return code;
    }

    /// The machine code of a program, if it takes any number of lanes: then there is no partial
    /// tile. Counts a run.
    const Translated* of_any_count(const TileProgram& program, index_t count) const noexcept {
        const auto* const made =
            program.machine_code.translated(kernels_, program, static_cast<std::size_t>(count));
        return made != nullptr && made->takes_any_count ? made : nullptr;
    }

    /// Runs a step on the elements [begin, end) of the arrays at `places`. `begin` is a whole number
    /// of tiles. The accumulator begins as `start`, which is aligned as it is; null: as it is.
    void run(const TileStep& step, Instruction* code, std::byte* const* places, index_t begin,
             index_t end, const void* start = nullptr);

    /// Throws what a program has found. The next run begins anew.
    void check();

    TileState state;
    alignas(64) std::byte accumulator[kAccumulatorBytes]; ///< of programs that accumulate

private:
    void run_partial_tile(const TileProgram& program, Instruction* code, std::byte* const* places,
                          index_t done, index_t count);

    const KernelTable& kernels_;
};

} // namespace purview::engine
