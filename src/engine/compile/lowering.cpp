#include "engine/compile/lowering.hpp"

#include "engine/compile/tile_operations.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

class Lowering {
public:
    Lowering(const Values& values, const Segment& segment, std::span<const TileSource> sources)
        : values_(values), segment_(segment), sources_(sources) {
        out_.lane_bytes = segment.lane_bytes;
        out_.values.reserve(std::min(values.size(), 3 * segment.values.size() + 1));
    }

    SegmentValues run() {
        for (const ValueId id : segment_.values) name(operation(id), id);
        out_.result = number_of(segment_.root);
        return std::move(out_);
    }

private:
    using Kind = SegmentValues::Kind;
    using Number = SegmentValues::Number;

    TypeId lane_of(TypeId type) const {
        return type == TypeId::boolean ? mask_lane(segment_.lane_bytes) : type;
    }
    TypeId type_of(Number number) const { return out_.values[number].type; }

    void name(Number number, ValueId id) {
        ids_.resize(out_.values.size(), kNoValue);
        ids_[number] = id;
    }

    Number number_of(ValueId id) {
        const auto known = std::ranges::find(ids_, id);
        if (known != ids_.end()) return static_cast<Number>(known - ids_.begin());
        const TileSource& source = sources_[id];
        const bool constant = source.form == TileSource::Form::constant;
        const Kind kind = constant                                    ? Kind::constant
                          : source.form == TileSource::Form::repeated ? Kind::repeated
                          : source.type == TypeId::boolean            ? Kind::bools
                                                                      : Kind::array;
        const Number number = out_.add({.kind = kind,
                                        .lane = lane_of(source.type),
                                        .type = source.type,
                                        .source = constant ? source.constant : source.array});
        name(number, id);
        return number;
    }

    Number operation(ValueId id) {
        const Elementwise& node = *values_[id].operation();
        const Op op = node.op();
        if (is_transcendental(op)) ++out_.functions;
        const std::span<const ValueId> operands = values_.operands(id);
        const Number x = number_of(operands[0]);
        if (op == Op::cast || op == Op::wrapping_cast) return conversion(x, node.dtype().id());
        const bool on_masks = type_of(x) == TypeId::boolean;
        const TileOp tile = on_masks ? mask_op(op) : tile_op(op);
        const TypeId lane = lane_of(type_of(x));
        const TypeId type = node.dtype().id();
        if (operands.size() == 1)
            return out_.add({.kind = Kind::unary, .op = tile, .lane = lane, .type = type, .x = x});
        const Number y = number_of(operands[1]);
        if (op == Op::choose) return choice(x, y, number_of(operands[2]));
        if (!on_masks || op != Op::equal) return binary(tile, x, y, type);
        const Number differ = binary(TileOp::logical_xor, x, y, type);
        return out_.add({.kind = Kind::unary,
                         .op = TileOp::logical_not,
                         .lane = lane,
                         .type = type,
                         .x = differ});
    }

    Number binary(TileOp op, Number x, Number y, TypeId type) {
        return out_.add({.kind = Kind::binary,
                         .op = op,
                         .lane = lane_of(type_of(x)),
                         .type = type,
                         .x = x,
                         .y = y});
    }
    Number choice(Number mask, Number x, Number y) {
        return out_.add({.kind = Kind::choose,
                         .lane = lane_of(type_of(x)),
                         .type = type_of(x),
                         .x = x,
                         .y = y,
                         .mask = mask});
    }

    /// Between types of one width, or from and to masks.
    Number conversion(Number x, TypeId to) {
        const TypeId from = type_of(x);
        if (from == TypeId::boolean && to == from) return binary(TileOp::logical_or, x, x, to);
        if (from == TypeId::boolean) {
            const std::uint64_t one = to == TypeId::float64   ? std::bit_cast<std::uint64_t>(1.0)
                                      : to == TypeId::float32 ? std::bit_cast<std::uint32_t>(1.0f)
                                                              : 1;
            const Number of_true = out_.add_literal(to, to, one);
            return choice(x, of_true, out_.add_literal(to, to, 0));
        }
        if (to == TypeId::boolean)
            return binary(TileOp::not_equal, x, out_.add_literal(from, from, 0), to);
        return out_.add(
            {.kind = Kind::unary, .op = conversion_op(to), .lane = from, .type = to, .x = x});
    }

    const Values& values_;
    const Segment& segment_;
    std::span<const TileSource> sources_;
    SegmentValues out_;
    boost::container::small_vector<ValueId, 64> ids_; ///< that the numbers stand for, if any
};

} // namespace

SegmentValues lower(const Values& values, const Segment& segment,
                    std::span<const TileSource> sources) {
    return Lowering(values, segment, sources).run();
}

} // namespace purview::engine
