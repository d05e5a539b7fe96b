#include "evaluation/loops/step_windows.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/symbol.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1 {
namespace {

ShapeSpan shape_of_state(const LoopRule& rule) {
    return static_cast<const SymbolNode&>(*rule.step->placeholders[0]).shape();
}

/// Brings the expression of a part of a box to states of which there is a window alone.
class Localiser {
public:
    /// The part begins at `begin` of the whole states, and at `local` of the window.
    Localiser(const LoopRule& rule, const StepBoxes& whole, const StateWindow& window,
              ShapeSpan begin, ShapeSpan local)
        : rule_(rule),
          whole_(whole),
          window_(window),
          begin_(begin),
          local_(local),
          shape_(to_shape(shape_of_state(rule))),
          extents_(window.extents()) {
        for (std::size_t a = 2; a < shape_.size(); ++a) column_ *= shape_[a];
    }

    Operand operator()(const Operand& x) {
        const auto [first, last] = known_.equal_range(x.node.get());
        for (auto known = first; known != last; ++known)
            if (known->second.first == x.dims) return known->second.second;
        Operand made = localised(x);
        known_.emplace(x.node.get(), std::pair(x.dims, made));
        return made;
    }

private:
    Operand localised(const Operand& x) {
        if (const auto* const operation = node_as<Elementwise>(*x.node)) {
            std::vector<Operand> operands;
            for (std::size_t i = 0; i < operation->inputs().size(); ++i)
                operands.push_back((*this)(seen_through(x.dims, operation->operand(i))));
            return {elementwise_node(operation->op(), operation->dtype(), operands,
                                     operation->shared_function()),
                    Dimensions::row_major(x.dims.max_shape())};
        }
        const auto* const symbol = node_as<SymbolNode>(*x.node);
        if (symbol == nullptr || symbol->slot() >= rule_.states) return x;
        return {placeholder_operand(symbol->dtype(), extents_, symbol->slot()).node,
                dims_of(x.dims)};
    }

    /// A view of a whole state, as one of the window.
    Dimensions dims_of(const Dimensions& view) const {
        const index_t row = shape_.size() > 1 ? column_ * shape_[1] : 1;
        const index_t own_row = extents_.size() > 1 ? column_ * extents_[1] : 1;
        Shape strides = to_shape(view.strides());
        if (view.max_shape()[0] > 1) strides[0] = own_row;
        index_t base = along(0, view.base() / row, whole_.rows) * own_row;
        if (shape_.size() > 1)
            base += along(1, view.base() % row / column_, whole_.columns) * column_ +
                    view.base() % column_;
        return Dimensions::strided(view.max_shape(), strides, base);
    }
    /// A coordinate of a whole state, in the window: beside the part, on whichever side it is nearer round the axis.
    index_t along(std::size_t axis, index_t at, const AxisReach& reach) const {
        const index_t extent = shape_[axis];
        index_t offset = at - begin_[axis];
        if (reach.is_ring && !window_.is_whole(axis, extent)) {
            if (offset > extent / 2) offset -= extent;
            if (offset < -(extent / 2)) offset += extent;
        }
        return local_[axis] + offset;
    }

    const LoopRule& rule_;
    const StepBoxes& whole_;
    const StateWindow& window_;
    ShapeSpan begin_;
    ShapeSpan local_;
    Shape shape_;
    Shape extents_;
    index_t column_ = 1;
    std::unordered_multimap<const Node*, std::pair<Dimensions, Operand>> known_;
};

/// The part of a box whose image, some rounds further, lies in the window and reads nothing beyond it.
void add_image(const LoopRule& rule, const StepBoxes& whole, const StateWindow& window,
               const StepBox& box, std::array<index_t, 2> rounds, StepBoxes& found) {
    const ShapeSpan shape = shape_of_state(rule);
    const ShapeSpan extents = box.root.dims.max_shape();
    Operand root = box.root;
    Shape begin = box.begin;
    Shape local = box.begin;
    for (std::size_t a = 0; a < shape.size() && a < 2; ++a) {
        const AxisReach& reach = a == 0 ? whole.rows : whole.columns;
        const index_t shift =
            rounds[a] * shape[a] - window.begin[a]; // from the whole to the window
        const index_t length = window.end[a] - window.begin[a];
        const index_t least = window.has_begin(a, shape[a], reach) ? 0 : reach.below;
        const index_t most = window.has_end(a, shape[a], reach) ? length : length - reach.above;
        const index_t from = std::max(box.begin[a] + shift, least);
        const index_t to = std::min(box.begin[a] + extents[a] + shift, most);
        if (from >= to) return;
        begin[a] = from - shift;
        local[a] = from;
        root.dims = dimensions::select(root.dims, static_cast<index_t>(a),
                                       Range(begin[a] - box.begin[a], to - shift - box.begin[a]));
    }
    found.boxes.push_back({box.output, local, Localiser(rule, whole, window, begin, local)(root)});
}

} // namespace

std::string refusal_of_windows(const LoopRule& rule, const StepBoxes& whole, bool rows_only) {
    if (!whole.because.empty()) return whole.because;
    const ShapeSpan first = shape_of_state(rule);
    for (std::size_t i = 1; i < rule.states; ++i) {
        const ShapeSpan shape = static_cast<const SymbolNode&>(*rule.step->placeholders[i]).shape();
        if (!std::ranges::equal(shape, first)) return "states have different shapes";
    }
    if (!rows_only && !whole.columns_move) return "a state is not read column by column";
    return {};
}

StepBoxes boxes_in(const LoopRule& rule, const StepBoxes& whole, const StateWindow& window) {
    StepBoxes found = whole;
    found.boxes.clear();
    const auto rounds_of = [](const AxisReach& reach) { return reach.is_ring ? 1 : 0; };
    const index_t rows = rounds_of(whole.rows);
    const index_t columns = shape_of_state(rule).size() > 1 ? rounds_of(whole.columns) : 0;
    for (const StepBox& box : whole.boxes)
        for (index_t r = -rows; r <= rows; ++r)
            for (index_t c = -columns; c <= columns; ++c)
                add_image(rule, whole, window, box, {r, c}, found);
    return found;
}

} // namespace purview
