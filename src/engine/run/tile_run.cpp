#include "engine/run/tile_run.hpp"

#include <purview/base/errors.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

void TileRun::run(const TileStep& step, Instruction* code, std::byte* const* places, index_t begin,
                  index_t end, const void* start) {
    const TileProgram& program = step.program;
    if (const Translated* const made = of_any_count(program, end - begin)) {
        std::byte* const folded = program.accumulates() ? accumulator : nullptr;
        made->function()(bind(program, code, places), &state,
                         static_cast<std::size_t>(begin) * program.lane_bytes,
                         static_cast<std::size_t>(end - begin), start != nullptr ? start : folded,
                         folded);
        return check();
    }
    if (start != nullptr) std::memcpy(accumulator, start, kAccumulatorBytes);
    const int shift = std::countr_zero(kernels_.tile_bytes / program.lane_bytes);
    const index_t tiles = (end - begin) >> shift;
    const index_t done = begin + (tiles << shift);
    if (tiles > 0)
        run_program(kernels_, program, bind(program, code, places), state,
                    static_cast<std::size_t>(begin) * program.lane_bytes,
                    static_cast<std::size_t>(tiles), accumulator);
    if (done < end)
        run_partial_tile(step.tail ? *step.tail : program, code, places, done, end - done);
    check();
}

// The elements after the last whole tile are copied to a tile of scratch, so that nothing after the
// array is read, and padded by repeats of the first of them. The program starts at their offset, and
// its operands are moved back by as much, so that accumulations go on in their lanes.
void TileRun::run_partial_tile(const TileProgram& program, Instruction* code,
                               std::byte* const* places, index_t done, index_t count) {
    alignas(64) std::byte few[16][kMaxTileBytes];
    std::vector<std::byte> more;
    std::byte* tile = few[0];
    if (program.touched.size() > std::size(few)) {
        more.resize((program.touched.size() + 1) * kMaxTileBytes);
        tile = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(more.data()) + 63) /
                                            64 * 64);
    }
    bind(program, code, places);
    const auto lanes = static_cast<index_t>(kernels_.tile_bytes / program.lane_bytes);
    const TileProgram::Touched* const result =
        program.accumulates() ? nullptr : &program.touched.back();
    for (const TileProgram::Touched& use : program.touched) {
        if (use.repeated) continue;
        const index_t offset = done * use.element_bytes;
        const std::byte* const from = places[use.array] + offset;
        if (&use != result) {
            kernels_.fill(use.element_bytes, from, tile, lanes);
            std::memcpy(tile, from, static_cast<std::size_t>(count * use.element_bytes));
        }
        const auto place =
            reinterpret_cast<std::uintptr_t>(tile) - static_cast<std::uintptr_t>(offset);
        for (const Patch& patch : program.arrays)
            if (patch.target == use.array)
                code[program.first + patch.instruction].operand = reinterpret_cast<void*>(place);
        tile += kMaxTileBytes;
    }
    state.valid_lanes = static_cast<std::size_t>(count);
    const bool streams = std::exchange(state.streams, false); // the tile is read at once
    run_program(kernels_, program, code + program.first, state,
                static_cast<std::size_t>(done) * program.lane_bytes, 1, accumulator);
    state.streams = streams;
    if (result != nullptr)
        std::memcpy(places[result->array] + done * result->element_bytes, tile - kMaxTileBytes,
                    static_cast<std::size_t>(count * result->element_bytes));
}

void TileRun::check() {
    if ((state.flags & kDivisionByZero) == 0) [[likely]]
        return;
    state.flags = 0;
    throw ArithmeticError("integer division by zero");
}

} // namespace purview::engine
