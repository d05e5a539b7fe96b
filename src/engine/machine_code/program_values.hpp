#pragma once

#include <purview/dtype/dtype.hpp>

#include "engine/machine_code/threaded_code.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// Whether x op y is y op x, to the bit.
bool commutes(TileOp op) noexcept;

/// What a program computes: a list of values, each of earlier ones. Neither the tiles A and B nor
/// scratch are in it.
struct ProgramValues {
    enum class Kind : std::uint8_t {
        array,    ///< elements in memory, at the operand of `instruction`
        bools,    ///< the same of one byte each, as masks
        constant, ///< one element for all lanes, at the operand of `instruction`
        bits,     ///< `bits` in every lane
        unary,    ///< op(x)
        binary,   ///< x op y
        choose,   ///< mask ? x : y
        valid     ///< x in lanes with an element, y in others
    };
    struct Value {
        Kind kind;
        TileOp op = TileOp::none;
        TypeId lane = TypeId::other;
        std::uint32_t x = 0; ///< numbers of values
        std::uint32_t y = 0;
        std::uint32_t mask = 0;
        std::uint32_t instruction = 0;
        std::uint64_t bits = 0;
    };

    std::vector<Value> values;
    std::uint32_t result = 0;
    InstructionKind end{};                 ///< the last instruction
    std::uint32_t end_instruction = 0;     ///< its index
    std::vector<std::uint32_t> prefetches; ///< indexes of instructions

    bool accumulates() const noexcept {
        return end.form == Form::accumulate_last || end.form == Form::accumulate_in_b;
    }
};

/// Nothing for a program with instructions that have no value here.
std::optional<ProgramValues> values_of(const ThreadedCode& program);

} // namespace purview::engine
