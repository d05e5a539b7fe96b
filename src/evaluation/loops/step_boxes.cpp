#include "evaluation/loops/step_boxes.hpp"

#include "dimensions/layer.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kMostBoxes = 256;
/// Distinct views of nodes in a box: what is larger is compiled as a whole.
constexpr std::size_t kMostValues = 1024;

/// Coordinates as addresses, without maps: what a view is in a box in which it does not wrap round.
struct Strided {
    Shape extents;
    Shape strides;
    index_t base = 0;

    Dimensions dims() const { return Dimensions::strided(extents, strides, base); }
};

/// Where a box has to be cut: in front of this coordinate.
struct BoxCut {
    std::size_t axis;
    index_t at;
};

/// Brings the expression of a box down to strided views of placeholders and tensors.
class Resolver {
public:
    /// `begin` is where the box of a state begins.
    Resolver(const LoopRule& rule, const StateChains& chains, std::size_t state, ShapeSpan begin,
             StepBoxes& found)
        : rule_(rule), chains_(chains), state_(state), begin_(begin), found_(found) {}

    /// Nothing where the box has to be cut, or `because` says what is in the way.
    std::optional<Operand> resolve(const Operand& operand) {
        const auto [first, last] = known_.equal_range(operand.node.get());
        for (auto known = first; known != last; ++known)
            if (known->second.first == operand.dims) return known->second.second;
        if (known_.size() == kMostValues) return refused("it has too many operations");
        std::optional<Operand> made =
            visit(*operand.node, [&](const auto& node) { return resolved(node, operand.dims); });
        if (made) known_.emplace(operand.node.get(), std::pair(operand.dims, *made));
        return made;
    }

    std::optional<BoxCut> cut;
    std::string because;
    index_t operations = 0;

private:
    std::optional<Operand> refused(std::string why) {
        because = std::move(why);
        return std::nullopt;
    }

    /// The view without maps. Nothing where it wraps round within the box, or has several layers or lists.
    std::optional<Strided> strided(const Dimensions& dims) {
        if (dims.layer_count() > 1)
            return refused("a view is of another shape"), std::optional<Strided>();
        const LayerView layer = dims.layer(0);
        Strided view{to_shape(layer.extents), to_shape(layer.strides), layer.base};
        for (std::size_t axis = 0; axis < layer.maps.size(); ++axis) {
            const AxisMap& map = layer.maps[axis];
            if (map.table != nullptr)
                return refused("elements are read at a list of indexes"), std::optional<Strided>();
            if (map.period == 0) continue;
            const index_t run = dimensions::before_wrap(map, 0);
            if (run < view.extents[axis]) {
                cut = BoxCut{axis, run};
                return std::nullopt;
            }
            view.base += view.strides[axis] * map.phase;
            view.strides[axis] *= map.step;
        }
        return view;
    }

    std::optional<Operand> resolved(const Elementwise& operation, const Dimensions& view) {
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < operation.inputs().size(); ++i) {
            std::optional<Operand> operand = resolve(seen_through(view, operation.operand(i)));
            if (!operand) return std::nullopt;
            operands.push_back(std::move(*operand));
        }
        operations += operation.op() == Op::map || is_transcendental(operation.op()) ? 16 : 1;
        const NodePtr node = elementwise_node(operation.op(), operation.dtype(), operands,
                                              operation.shared_function());
        return Operand{node, Dimensions::row_major(view.max_shape())};
    }
    std::optional<Operand> resolved(const Constant& constant, const Dimensions& view) {
        return Operand{NodePtr(&constant), view};
    }
    std::optional<Operand> resolved(const Leaf& leaf, const Dimensions& view) {
        if (!leaf.memory()) return refused("a tensor is computed element by element");
        const std::optional<Strided> own = strided(view);
        return own ? std::optional(Operand{NodePtr(&leaf), own->dims()}) : std::nullopt;
    }
    std::optional<Operand> resolved(const SymbolNode& symbol, const Dimensions& view) {
        const std::optional<Strided> own = strided(view);
        if (!own || (symbol.slot() < rule_.states && !adds_rows(symbol, *own))) return std::nullopt;
        return Operand{NodePtr(&symbol), own->dims()};
    }
    std::optional<Operand> resolved(const Gather& gather, const Dimensions& view) {
        if (gather.view() == nullptr) return refused("elements are read at computed indexes");
        return resolve(seen_through(view, {gather.source().node, *gather.view()}));
    }
    template <OneOf<Reduce, Scatter, ScanNode, OpaqueStage, Loop, Choice, StageResult> N>
    std::optional<Operand> resolved(const N&, const Dimensions&) {
        return refused("it has a reduction, a scan, or a loop of its own");
    }

    /// Counts the rows of a state that a view reads. False where these do not go with the row that is computed.
    bool adds_rows(const SymbolNode& state, const Strided& view) {
        const ShapeSpan shape = state.shape();
        index_t column = 1;
        for (std::size_t a = 2; a < shape.size(); ++a) column *= shape[a];
        const index_t row = shape.size() > 1 ? column * shape[1] : 1;
        // Of two coordinates, a view that wraps round between them has a stride as good as any.
        const auto wraps = [&](std::size_t axis, index_t stride) {
            if (view.extents.size() <= axis || view.extents[axis] != 2 ||
                view.strides[axis] == stride || view.strides[axis] == 0)
                return false;
            cut = BoxCut{axis, 1};
            return true;
        };
        if (wraps(0, row) || (shape.size() > 1 && wraps(1, column))) return false;
        if (row == 0 || (view.extents[0] > 1 && view.strides[0] != row))
            return refused("a state is not read row by row").has_value();
        if (!is_where_computed(view, shape) || chains_.head(state.slot()) != state_)
            found_.moves[state.slot()] = true;
        const auto [first, last] = addresses(view, 1);
        add(found_.rows, first / row - begin_[0], last / row - begin_[0], shape[0]);
        if (shape.size() == 1) return true;
        // Of one row, its columns.
        const auto [left, right] = addresses(view, 2);
        if (view.extents.size() < 2 || (view.extents[1] > 1 && view.strides[1] != column) ||
            left / row != right / row)
            found_.columns_move = false;
        else
            add(found_.columns, left % row / column - begin_[1], right % row / column - begin_[1],
                shape[1]);
        return true;
    }
    /// Whether a view reads the very elements of the box.
    bool is_where_computed(const Strided& view, ShapeSpan shape) const {
        const Dimensions whole = Dimensions::row_major(shape);
        if (view.extents.size() != shape.size()) return false;
        index_t base = 0;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            base += begin_[a] * whole.strides()[a];
            if (view.extents[a] > 1 && view.strides[a] != whole.strides()[a]) return false;
        }
        return base == view.base;
    }
    /// The first and the last address that a view reads at its first coordinates of the axes before `axis`.
    static std::pair<index_t, index_t> addresses(const Strided& view, std::size_t axis) {
        std::pair both(view.base, view.base);
        for (std::size_t a = axis; a < view.extents.size(); ++a) {
            const index_t length = (view.extents[a] - 1) * view.strides[a];
            (length < 0 ? both.first : both.second) += length;
        }
        return both;
    }
    static void add(AxisReach& reach, index_t from, index_t to, index_t extent) {
        if (from > extent / 2 || to < -(extent / 2)) {
            const index_t round = from > extent / 2 ? -extent : extent;
            from += round;
            to += round;
            reach.is_ring = true;
        }
        reach.below = std::max(reach.below, -from);
        reach.above = std::max(reach.above, to);
    }

    /// The piece that has all of a box; the box is cut where there are several.
    std::optional<Operand> resolved(const Piecewise& pieces, const Dimensions& view) {
        const std::optional<Strided> own = strided(view);
        if (!own) return std::nullopt;
        const ShapeSpan shape = pieces.shape();
        const Dimensions whole = Dimensions::row_major(shape);
        Shape first(shape.size(), 0); // of the coordinates in the pieces
        index_t rest = own->base;
        for (std::size_t a = 0; a < shape.size(); ++a) {
            first[a] = rest / whole.strides()[a];
            rest %= whole.strides()[a];
        }
        // Along which axis of the pieces each axis of the view goes, by which step.
        constexpr std::size_t kNowhere = ~std::size_t{0};
        std::vector<std::size_t> axes(own->extents.size(), kNowhere);
        Shape steps(own->extents.size(), 0);
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (own->extents[a] == 1 || own->strides[a] == 0) continue;
            for (std::size_t p = 0; p < shape.size() && axes[a] == kNowhere; ++p) {
                if (shape[p] == 1 || own->strides[a] % whole.strides()[p] != 0) continue;
                const index_t step = own->strides[a] / whole.strides()[p];
                const index_t last = first[p] + step * (own->extents[a] - 1);
                if (last < 0 || last >= shape[p] || std::ranges::count(axes, p) > 0) continue;
                axes[a] = p;
                steps[a] = step;
            }
            if (axes[a] == kNowhere) return refused("a view goes across what was put together");
        }
        for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
            const Shape& begin = pieces.begins()[i];
            const ShapeSpan extents = pieces.operands()[i].dims.max_shape();
            bool holds_first = true;
            for (std::size_t p = 0; p < shape.size(); ++p)
                holds_first =
                    holds_first && first[p] >= begin[p] && first[p] < begin[p] + extents[p];
            if (!holds_first) continue;
            const Dimensions in_piece = Dimensions::row_major(extents);
            Strided within{own->extents, Shape(axes.size(), 0), 0};
            for (std::size_t p = 0; p < shape.size(); ++p)
                within.base += (first[p] - begin[p]) * in_piece.strides()[p];
            for (std::size_t a = 0; a < axes.size(); ++a) {
                if (axes[a] == kNowhere) continue;
                const std::size_t p = axes[a];
                const index_t room =
                    steps[a] > 0 ? begin[p] + extents[p] - 1 - first[p] : first[p] - begin[p];
                const index_t fitting = room / std::abs(steps[a]) + 1;
                if (fitting < own->extents[a]) {
                    cut = BoxCut{a, fitting};
                    return std::nullopt;
                }
                within.strides[a] = steps[a] * in_piece.strides()[p];
            }
            return resolve(seen_through(within.dims(), pieces.operands()[i]));
        }
        std::unreachable(); // pieces fill the shape
    }

    const LoopRule& rule_;
    const StateChains& chains_;
    std::size_t state_;
    ShapeSpan begin_;
    StepBoxes& found_;
    std::unordered_multimap<const Node*, std::pair<Dimensions, Operand>> known_;
};

class BoxFinder {
public:
    BoxFinder(const LoopRule& rule, const StateChains& chains) : rule_(rule), chains_(chains) {
        found_.moves.resize(rule.states, false);
    }

    StepBoxes run() {
        const auto shape = [&](std::size_t i) {
            return static_cast<const SymbolNode&>(*rule_.step->placeholders[i]).shape();
        };
        for (std::size_t i = 0; i < rule_.states; ++i) {
            if (shape(i).empty()) return refused("a state is a number");
            // What wraps round has axes of one length.
            for (std::size_t a = 0; a < 2; ++a)
                is_one_length_[a] = is_one_length_[a] && shape(i).size() > a &&
                                    shape(0).size() > a && shape(i)[a] == shape(0)[a];
        }
        if (rule_.inputs > 0 || rule_.outputs() > 0)
            return refused("each step has a row of its own");
        for (std::size_t i = 0; i < rule_.states && found_.because.empty(); ++i)
            if (chains_.is_computed(i)) add_boxes(i, Shape(shape(i).size(), 0), to_shape(shape(i)));
        if (found_.because.empty() && found_.rows.is_ring && !is_one_length_[0])
            return refused("states that wrap round have axes of different lengths");
        if (found_.columns.is_ring && !is_one_length_[1]) found_.columns_move = false;
        return std::move(found_);
    }

private:
    StepBoxes refused(std::string why) {
        found_.because = std::move(why);
        return std::move(found_);
    }

    void add_boxes(std::size_t state, const Shape& begin, const Shape& end) {
        if (found_.boxes.size() == kMostBoxes) {
            found_.because = "it is cut into too many boxes";
            return;
        }
        Operand root = rule_.step->outputs[state];
        for (std::size_t a = 0; a < begin.size(); ++a) {
            if (begin[a] == end[a]) return;
            root.dims =
                dimensions::select(root.dims, static_cast<index_t>(a), Range(begin[a], end[a]));
        }
        Resolver resolver(rule_, chains_, state, begin, found_);
        std::optional<Operand> made = resolver.resolve(root);
        if (resolver.cut) {
            const std::size_t axis = resolver.cut->axis;
            Shape middle = end;
            middle[axis] = begin[axis] + resolver.cut->at;
            add_boxes(state, begin, middle);
            Shape rest = begin;
            rest[axis] = middle[axis];
            if (found_.because.empty()) add_boxes(state, rest, end);
            return;
        }
        if (!made) {
            found_.because = resolver.because;
            return;
        }
        found_.operations = std::max(found_.operations, resolver.operations);
        found_.boxes.push_back({state, begin, std::move(*made)});
    }

    const LoopRule& rule_;
    const StateChains& chains_;
    std::array<bool, 2> is_one_length_{true, true};
    StepBoxes found_;
};

} // namespace

StepBoxes boxes_of(const LoopRule& rule, const StateChains& chains) {
    return BoxFinder(rule, chains).run();
}

} // namespace purview
