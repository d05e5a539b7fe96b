#include "engine/boxes/cell_operand.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/graph.hpp>

#include "engine/gather/piecewise.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

bool is_made_anew(const Value& value) {
    return value.operation() != nullptr && value.node->reads(Below::blocks);
}

} // namespace

Dimensions part_of(const Dimensions& view, const Box& box) {
    if (view.is_strided()) {
        index_t base = view.base();
        for (std::size_t a = 0; a < box.begin.size(); ++a) base += view.strides()[a] * box.begin[a];
        return Dimensions::strided(box.extents(), view.strides(), base);
    }
    Dimensions part = view;
    for (std::size_t a = 0; a < box.begin.size(); ++a)
        if (box.begin[a] != 0 || box.end[a] != view.max_shape()[a])
            part =
                dimensions::select(part, static_cast<index_t>(a), Range(box.begin[a], box.end[a]));
    return part;
}

CellOperand::CellOperand(const Values& values) : values_(values) {
    std::vector<bool> needed(values.size(), false);
    needed[0] = true;
    const std::vector<ValueId> order = evaluation_order(values);
    for (std::size_t i = order.size(); i-- > 0;) // users before their operands
        if (needed[order[i]] && is_made_anew(values[order[i]]))
            for (const ValueId operand : values.operands(order[i])) needed[operand] = true;
    for (const ValueId id : order)
        if (needed[id]) order_.push_back(id);
}

Operand CellOperand::in(const Box& box, std::span<const Replacement> replacements) const {
    std::vector<Operand> made(values_.size());
    for (const Replacement& each : replacements) made[each.value] = each.operand;
    const Shape extents = box.extents();
    for (const ValueId id : order_) {
        if (made[id].node != nullptr) continue;
        const Value& value = values_[id];
        if (value.constant() != nullptr) {
            made[id] = {NodePtr(value.node),
                        Dimensions::strided(extents, Shape(extents.size(), 0))};
        } else if (is_made_anew(value)) {
            std::vector<Operand> operands;
            for (const ValueId operand : values_.operands(id)) operands.push_back(made[operand]);
            made[id] = {with_operands(*value.node, operands), Dimensions::row_major(extents)};
        } else {
            made[id] = {NodePtr(value.node), part_of(*value.view, box)};
        }
    }
    return made[order_.back()];
}

std::vector<PartOfOperand> split_at_pieces(const Values& values) {
    std::vector<PartOfOperand> parts;
    for (ValueId id = 0; id < values.size() && parts.empty(); ++id) {
        const Value& value = values[id];
        if (value.pieces() == nullptr || !value.node->reads(Below::blocks)) continue;
        auto seen = pieces_seen(*value.pieces(), *value.view);
        if (!seen) continue;
        const CellOperand whole(values);
        for (SeenPiece& piece : *seen) {
            const Box box{piece.begin, piece.end};
            const CellOperand::Replacement shown{id, std::move(piece.operand)};
            parts.push_back({whole.in(box, std::span(&shown, 1)), box});
        }
    }
    return parts;
}

} // namespace purview::engine
