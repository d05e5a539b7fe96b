#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/piecewise.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// If a piece is itself a `Piecewise`, seen as a whole, adds its pieces at their places instead, so
/// that to append repeatedly does not nest. Returns false for any other piece.
bool splice(const Operand& operand, const Shape& begin, std::vector<Operand>& pieces,
            std::vector<Shape>& begins) {
    const Piecewise* const inner = piecewise_of(operand);
    if (inner == nullptr || !operand.dims.is_identity() ||
        !std::ranges::equal(operand.dims.max_shape(), inner->shape()))
        return false;
    for (std::size_t i = 0; i < inner->operands().size(); ++i) {
        Shape place = inner->begins()[i];
        for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] += begin[axis];
        pieces.push_back(inner->operands()[i]);
        begins.push_back(std::move(place));
    }
    return true;
}

} // namespace

Operand piecewise_operand(OperationName what, std::vector<Operand> pieces,
                          std::vector<Shape> begins, ShapeSpan shape) {
    std::vector<Operand> kept;
    std::vector<Shape> places;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (std::ranges::equal(pieces[i].dims.max_shape(), shape)) return std::move(pieces[i]);
        if (pieces[i].dims.size() == 0 || splice(pieces[i], begins[i], kept, places)) continue;
        kept.push_back(std::move(pieces[i]));
        places.push_back(std::move(begins[i]));
    }
    if (kept.empty()) // there are no elements
        return {pieces[0].node, Dimensions::strided(shape, Shape(shape.size(), 0))};
    return {make_node<Piecewise>(std::move(what), std::move(kept), std::move(places), shape),
            Dimensions::row_major(shape)};
}

Operand concat_operand(const char* what, std::vector<Operand> operands, index_t axis) {
    if (operands.empty()) throw ShapeError(fmt::format("{}: no tensors are given", what));
    const auto along = static_cast<std::size_t>(checked_axis(axis, operands[0].dims.rank(), what));
    Shape shape = to_shape(operands[0].dims.max_shape());
    std::vector<Shape> begins;
    index_t end = 0;
    for (const Operand& operand : operands) {
        const ShapeSpan part = operand.dims.max_shape();
        bool fits = part.size() == shape.size();
        for (std::size_t a = 0; fits && a < part.size(); ++a)
            fits = a == along || part[a] == shape[a];
        if (!fits)
            throw ShapeError(fmt::format("{}: shapes {} and {} differ beside axis {}", what,
                                         to_string(operands[0].dims.max_shape()), to_string(part),
                                         along));
        begins.emplace_back(part.size(), 0)[along] = end;
        end = checked_add(end, part[along], what);
    }
    shape[along] = end;
    checked_size(shape, what);
    return piecewise_operand(what, std::move(operands), std::move(begins), shape);
}

} // namespace purview
