#include "engine/machine_code/x86_lowering.hpp"

#include "dtype/type_ids.hpp"

#include <utility>

namespace purview::inline v0_1::engine {
namespace {

class X86Lowering {
public:
    explicit X86Lowering(const TileCode& program) : program_(program) {}

    std::optional<SegmentValues> run() {
        const SegmentValues& given = program_.values;
        out_.values.reserve(given.values.size() + 4);
        for (Value value : given.values) {
            for (Number* const operand : {&value.x, &value.y, &value.mask})
                if (*operand != SegmentValues::kNone) *operand = numbers_[*operand];
            const Number number = lowered(value);
            if (number == SegmentValues::kNone) return std::nullopt;
            numbers_.push_back(number);
        }
        out_.result = numbers_[given.result];
        if (program_.end.form == Form::store_bools_last)
            out_.result =
                binary(TileOp::logical_and, out_.values[out_.result], out_.result, bits(1));
        return std::move(out_);
    }

private:
    using Kind = SegmentValues::Kind;
    using Value = SegmentValues::Value;
    using Number = SegmentValues::Number;

    Number bits(std::uint64_t bits) {
        return out_.add_literal(TypeId::uint64, TypeId::uint64, bits);
    }
    /// On operands of the type of `value`.
    Number binary(TileOp op, Value value, Number x, Number y) {
        value.kind = Kind::binary;
        value.op = op;
        value.x = x;
        value.y = y;
        value.mask = SegmentValues::kNone;
        return out_.add(value);
    }

    /// The number of a value with operands of this list; kNone if there is none.
    Number lowered(const Value& value) {
        if (value.kind == Kind::literal) return bits(value.bits);
        if (value.kind == Kind::binary && value.op == TileOp::scale)
            return binary(TileOp::logical_and, value,
                          binary(TileOp::multiply, value, value.x, value.y),
                          binary(TileOp::not_equal, value, value.x, bits(0)));
        if (value.kind != Kind::unary) return out_.add(value);
        const Number x = value.x;
        const bool floating = is_floating(value.lane);
        const bool wide = program_.lane_bytes == 8;
        const std::uint64_t sign = std::uint64_t{1} << (wide ? 63 : 31);
        switch (value.op) {
        case TileOp::square: return binary(TileOp::multiply, value, x, x);
        case TileOp::negative:
            return floating ? binary(TileOp::logical_xor, value, x, bits(sign))
                            : binary(TileOp::subtract, value, bits(0), x);
        case TileOp::absolute:
            if (is_unsigned(value.lane)) return x;
            return floating ? binary(TileOp::logical_and, value, x, bits(sign - 1))
                            : out_.add(value);
        case TileOp::logical_not:
            return binary(TileOp::logical_xor, value, x, bits(wide ? UINT64_MAX : UINT32_MAX));
        case TileOp::square_root:
        case TileOp::floor:
        case TileOp::ceil:
        case TileOp::rint:
        case TileOp::trunc: return out_.add(value);
        default: return SegmentValues::kNone;
        }
    }

    const TileCode& program_;
    SegmentValues out_;
    std::vector<Number> numbers_; ///< of the given values
};

} // namespace

std::optional<SegmentValues> lowered_for_x86(const TileCode& program) {
    return X86Lowering(program).run();
}

} // namespace purview::engine
