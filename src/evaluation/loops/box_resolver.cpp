#include "evaluation/loops/box_resolver.hpp"

#include "dimensions/layer.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Distinct views of nodes in a box: what is larger is compiled as a whole.
constexpr std::size_t kMostValues = 1024;

/// Coordinates as addresses, without maps: what a view is in a box in which it does not wrap round.
struct Strided {
    Shape extents;
    Shape strides;
    index_t base = 0;

    Dimensions dims() const { return Dimensions::strided(extents, strides, base); }
};

/// Along which axis of what is read each axis of a view goes, and by which step.
struct AxesOfView {
    static constexpr std::size_t kNowhere = ~std::size_t{0}; ///< it stands still
    Shape first;                                             ///< coordinates of what is read
    std::vector<std::size_t> axes;
    Shape steps;
};

/// Of a view of elements that lie in row-major order. Nothing where an axis goes across several of them.
std::optional<AxesOfView> axes_of(const Strided& view, ShapeSpan shape) {
    const Dimensions whole = Dimensions::row_major(shape);
    AxesOfView found{Shape(shape.size(), 0), {}, Shape(view.extents.size(), 0)};
    found.axes.resize(view.extents.size(), AxesOfView::kNowhere);
    index_t rest = view.base;
    for (std::size_t p = 0; p < shape.size(); ++p) {
        found.first[p] = rest / whole.strides()[p];
        rest %= whole.strides()[p];
    }
    for (std::size_t a = 0; a < view.extents.size(); ++a) {
        if (view.extents[a] == 1 || view.strides[a] == 0) continue;
        for (std::size_t p = 0; p < shape.size() && found.axes[a] == AxesOfView::kNowhere; ++p) {
            if (shape[p] == 1 || view.strides[a] % whole.strides()[p] != 0) continue;
            const index_t step = view.strides[a] / whole.strides()[p];
            const index_t last = found.first[p] + step * (view.extents[a] - 1);
            if (last < 0 || last >= shape[p] || std::ranges::count(found.axes, p) > 0) continue;
            found.axes[a] = p;
            found.steps[a] = step;
        }
        if (found.axes[a] == AxesOfView::kNowhere) return std::nullopt;
    }
    return found;
}

class BoxResolver {
public:
    BoxResolver(const LoopRule& rule, const StateChains& chains, std::size_t output,
                ShapeSpan begin, StepBoxes& found, MarginSearch* search)
        : rule_(rule),
          chains_(chains),
          output_(output),
          begin_(begin),
          found_(found),
          search_(search) {}

    /// Nothing where the box has to be cut, or `because` says what is in the way.
    std::optional<Operand> resolve(const Operand& operand) {
        const auto [first, last] = known_.equal_range(operand.node.get());
        for (auto known = first; known != last; ++known)
            if (known->second.first == operand.dims) return known->second.second;
        if (entered_++ == kMostValues) return refused("it has too many operations");
        std::optional<Operand> made =
            visit(*operand.node, [&](const auto& node) { return resolved(node, operand.dims); });
        if (made) known_.emplace(operand.node.get(), std::pair(operand.dims, *made));
        return made;
    }

    /// What was found besides.
    ResolvedBox box;

private:
    std::nullopt_t refused(std::string why) {
        box.because = std::move(why);
        return std::nullopt;
    }

    /// The view without maps. Nothing where it wraps round within the box, or has several layers or lists. `over`, of a state:
    /// by how much its coordinates go on, into margins, where the view would wrap round.
    std::optional<Strided> strided(const Dimensions& dims, Shape* over = nullptr) {
        if (dims.layer_count() > 1) return refused("a view is of another shape");
        const LayerView layer = dims.layer(0);
        Strided view{to_shape(layer.extents), to_shape(layer.strides), layer.base};
        for (std::size_t axis = 0; axis < layer.maps.size(); ++axis) {
            const AxisMap& map = layer.maps[axis];
            if (view.strides[axis] == 0) continue; // one element, wherever it is asked for
            if (map.table != nullptr) return refused("elements are read at a list of indexes");
            if (map.period == 0) continue;
            if (over != nullptr && goes_on(map, view, axis, *over)) continue;
            const index_t run = dimensions::before_wrap(map, 0);
            if (run < view.extents[axis]) {
                box.cut = {axis, run};
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
        box.operations += operation.op() == Op::map || is_transcendental(operation.op()) ? 16 : 1;
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
        const bool is_state = symbol.slot() < rule_.states;
        const bool is_padded = found_.margins.empty()
                                   ? is_state
                                   : symbol.slot() < found_.are_inputs_padded.size() &&
                                         found_.are_inputs_padded[symbol.slot()];
        std::optional<Strided> own = is_padded ? state(symbol, view) : strided(view);
        if (!own) return std::nullopt;
        if (is_padded && search_ != nullptr)
            own = Strided{own->extents, Shape(own->extents.size(), 0)};
        else if (is_state && !adds_rows(symbol, *own))
            return std::nullopt;
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

    /// Whether a view that wraps round a whole axis of states, and not round as many elements that begin elsewhere, goes on
    /// into their margins instead.
    bool goes_on(const AxisMap& map, const Strided& view, std::size_t axis, Shape& over) const {
        const ShapeSpan extents = found_.margins.shape;
        index_t stride = 1;
        for (std::size_t p = extents.size(); p-- > 0; stride *= extents[p]) {
            if (map.step != 1 || map.period != extents[p] || view.strides[axis] != stride ||
                view.base / stride % extents[p] != 0)
                continue;
            const index_t from = map.phase > map.period / 2 ? map.phase - map.period : map.phase;
            const index_t reach = std::max(-from, from + view.extents[axis] - map.period);
            const index_t most = search_ == nullptr ? found_.margins.reach[p] : search_->most[p];
            if (reach <= 0 || reach > most) return false;
            if (search_ != nullptr) search_->reach[p] = std::max(search_->reach[p], reach);
            over[p] += from;
            return true;
        }
        return false;
    }
    /// A view of a state, where that lies in memory.
    std::optional<Strided> state(const SymbolNode& state, const Dimensions& dims) {
        Shape over(state.shape().size(), 0);
        std::optional<Strided> view = strided(dims, &over);
        if (!view || search_ != nullptr || found_.margins.empty()) return view;
        const std::optional<AxesOfView> axes = axes_of(*view, state.shape());
        if (!axes) return refused("a view goes across the axes of a state");
        const Dimensions memory = found_.margins.memory();
        for (std::size_t p = 0; p < over.size(); ++p) over[p] += axes->first[p];
        view->base = found_.margins.address(over);
        for (std::size_t a = 0; a < view->extents.size(); ++a)
            view->strides[a] = axes->axes[a] == AxesOfView::kNowhere
                                   ? 0
                                   : axes->steps[a] * memory.strides()[axes->axes[a]];
        return view;
    }

    /// Counts the rows of a state that a view reads. False where these do not go with the row that is computed.
    bool adds_rows(const SymbolNode& state, const Strided& view) {
        const ShapeSpan shape = state.shape();
        const StateMargins memory = found_.margins.empty() ? StateMargins(shape) : found_.margins;
        if (output_ >= rule_.states || !is_where_computed(view, memory) ||
            chains_.head(state.slot()) != output_)
            found_.moves[state.slot()] = true;
        if (memory.axes == MarginAxes::every) return true; // the step is taken as a whole
        const Dimensions lines = memory.memory();
        const index_t row = lines.strides()[0];
        const index_t column = shape.size() > 1 ? lines.strides()[1] : 1;
        // Of two coordinates, a view that wraps round between them has a stride as good as any.
        const auto wraps = [&](std::size_t axis, index_t stride) {
            if (view.extents.size() <= axis || view.extents[axis] != 2 ||
                view.strides[axis] == stride || view.strides[axis] == 0)
                return false;
            box.cut = {axis, 1};
            return true;
        };
        if (wraps(0, row) || (shape.size() > 1 && wraps(1, column))) return false;
        if (row == 0 || (view.extents[0] > 1 && view.strides[0] != row))
            return refused("a state is not read row by row"), false;
        const auto [first, last] = addresses(view, 1);
        const auto along = [&](AxisReach& reach, std::size_t axis, index_t from, index_t to) {
            const index_t here = memory.before[axis] + begin_[axis];
            add(reach, from - here, to - here, shape[axis]);
        };
        along(found_.rows, 0, first / row, last / row);
        if (shape.size() == 1) return true;
        // Of one row, its columns.
        const auto [left, right] = addresses(view, 2);
        if (view.extents.size() < 2 || (view.extents[1] > 1 && view.strides[1] != column) ||
            left / row != right / row)
            found_.columns_move = false;
        else
            along(found_.columns, 1, left % row / column, right % row / column);
        return true;
    }
    /// Whether a view reads the very elements of the box.
    bool is_where_computed(const Strided& view, const StateMargins& memory) const {
        const Dimensions lines = memory.memory();
        if (view.extents.size() != memory.extents.size()) return false;
        for (std::size_t a = 0; a < view.extents.size(); ++a)
            if (view.extents[a] > 1 && view.strides[a] != lines.strides()[a]) return false;
        return memory.address(begin_) == view.base;
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
        const std::optional<AxesOfView> found = axes_of(*own, shape);
        if (!found) return refused("a view goes across what was put together");
        const auto& [first, axes, steps] = *found;
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
                if (axes[a] == AxesOfView::kNowhere) continue;
                const std::size_t p = axes[a];
                const index_t room =
                    steps[a] > 0 ? begin[p] + extents[p] - 1 - first[p] : first[p] - begin[p];
                const index_t fitting = room / std::abs(steps[a]) + 1;
                if (fitting < own->extents[a]) {
                    box.cut = {a, fitting};
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
    std::size_t output_;
    ShapeSpan begin_;
    StepBoxes& found_;
    MarginSearch* search_;
    std::unordered_multimap<const Node*, std::pair<Dimensions, Operand>> known_;
    std::size_t entered_ = 0; // values, with those whose operands are still looked at
};

} // namespace

ResolvedBox resolve_box(const LoopRule& rule, const StateChains& chains, std::size_t output,
                        ShapeSpan begin, const Operand& root, StepBoxes& found,
                        MarginSearch* search) {
    BoxResolver resolver(rule, chains, output, begin, found, search);
    std::optional<Operand> made = resolver.resolve(root);
    resolver.box.root = std::move(made);
    return std::move(resolver.box);
}

} // namespace purview
