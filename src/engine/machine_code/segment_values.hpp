#pragma once

#include <purview/dtype/dtype.hpp>

#include "engine/kernels/table/kernel_table.hpp"

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// What a segment computes on each of its lanes: a list of values, each of earlier ones. Conversions,
/// masks and literals are explicit; types are those of lanes, all of one width. Tile programs are
/// printed from it, and machine code.
struct SegmentValues {
    /// The number of a value. (A segment has some hundreds at most.)
    using Number = std::uint16_t;
    static constexpr Number kNone = UINT16_MAX;

    enum class Kind : std::uint8_t {
        array,    ///< elements in memory, of the array `source`
        bools,    ///< the same of one byte each, as masks
        repeated, ///< the first element of the array `source`, for all lanes
        constant, ///< the constant `source`, for all lanes; a bool as a mask
        literal,  ///< `bits` in every lane
        unary,    ///< op(x)
        binary,   ///< x op y
        choose,   ///< mask ? x : y
        valid     ///< x in lanes with an element, y in others
    };
    struct Value {
        Kind kind;
        TileOp op = TileOp::none;
        TypeId lane; ///< what the operation works on; for masks, an unsigned integer
        TypeId type; ///< of the value itself; boolean: a mask
        Number x = kNone;
        Number y = kNone;
        Number mask = kNone;
        /// Of what is in memory, in a tile program: the first instruction with its address.
        Number instruction = kNone;
        std::uint32_t source = 0;
        std::uint64_t bits = 0;

        bool is_computed() const noexcept { return kind >= Kind::unary; }
        bool is_mask() const noexcept { return type == TypeId::boolean; }
        /// The same in all lanes.
        bool is_constant() const noexcept {
            return kind >= Kind::repeated && kind <= Kind::literal;
        }
        /// Calls f with the number of each operand.
        template <typename F>
        void for_each_operand(F f) const {
            for (const Number operand : {x, y, mask})
                if (operand != kNone) f(operand);
        }
    };

    Number add(const Value& value) {
        values.push_back(value);
        return static_cast<Number>(values.size() - 1);
    }
    /// Equal literals are one value.
    Number add_literal(TypeId lane, TypeId type, std::uint64_t bits) {
        for (Number i = 0; i < values.size(); ++i)
            if (values[i].kind == Kind::literal && values[i].bits == bits && values[i].type == type)
                return i;
        return add({.kind = Kind::literal, .lane = lane, .type = type, .bits = bits});
    }

    std::vector<Value> values;
    Number result = 0;
    std::uint32_t lane_bytes = 0;
    std::uint32_t functions = 0; ///< transcendental operations
};

} // namespace purview::engine
