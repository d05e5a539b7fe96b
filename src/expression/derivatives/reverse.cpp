// Defines purview/expression/derivatives.hpp.
#include <purview/expression/derivatives.hpp>

#include "expression/derivatives/dependence.hpp"
#include "expression/derivatives/loop_rules.hpp"
#include "expression/derivatives/reduction_rules.hpp"

#include <purview/dimensions/select.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace derivatives {
namespace {

/// The derivatives of results by the nodes that they depend on, users before their operands.
class Reverse {
public:
    Reverse(std::span<const Operand> y, std::span<const Operand> seeds, std::size_t lead,
            std::span<const Operand> x)
        : lead_(lead), depends_(y, x), x_(x) {
        for (std::size_t i = 0; i < y.size(); ++i)
            if (depends_(*y[i].node)) give(y[i], Slope::given(seeds[i]));
    }

    std::vector<Operand> run(const Operand& seed) {
        const std::vector<const Node*>& order = depends_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            if (const auto* const stage = node_as<OpaqueStage>(*order[i])) {
                differentiate_stage(*stage);
                continue;
            }
            if (const auto* const results = by_results_.find(order[i])) {
                differentiate_several(*order[i], *results);
                continue;
            }
            const Slope* const found = by_.find(order[i]);
            if (found == nullptr) continue;
            const Slope g = *found; // others are added to the table
            visit(*order[i], [&](const auto& node) { differentiate(node, g); });
        }
        std::vector<Operand> results;
        for (const Operand& x : x_) {
            const Slope* const found = by_.find(x.node.get());
            const Shape shape = led_shape(seed, lead_, x.dims.max_shape());
            results.push_back(found == nullptr
                                  ? Numbers(type_of_derivatives(x.dtype())).filled(0, shape)
                                  : led_view(found->whole(), lead_, x.dims, size_of(*x.node)));
        }
        return results;
    }

private:
    /// Adds to the derivative by a node what that by an operand of it, of the operand's shape, is.
    void give(const Operand& operand, const Slope& g) {
        const Node& node = *operand.node;
        const bool careful = depends_.may_be_infinite(node);
        const Slope own =
            at_addresses(g.cast_to(type_of_derivatives(node.dtype())), operand, careful);
        const auto [all, is_first] = by_.try_emplace(&node, own);
        if (!is_first) all = sum(all, own, careful);
    }

    /// What belongs to a view of a node, as it belongs to the node. Where nothing below is infinite, the
    /// factors need not be kept apart.
    Slope at_addresses(const Slope& g, const Operand& operand, bool careful) const {
        const Dimensions& view = operand.dims;
        const Shape own = own_shape(*operand.node);
        const auto bring = [&](const Operand& x) { return led_adjoint(x, lead_, view, own); };
        const index_t size = size_of(*operand.node);
        const bool is_whole = view.is_identity() && view.size() == size;
        if (view.size() == 0 || (!careful && (g.chosen || !is_whole)))
            return Slope::given(bring(g.whole()));
        if (is_whole) return g.moved(bring);
        if (g.chosen || Numbers::value(g.value)) return added_up(g, bring, careful);
        const Operand brought = bring(g.value);
        const NodeKind kind = brought.node->kind();
        if (view.layer_count() == 1 && kind != NodeKind::piecewise && kind != NodeKind::scatter)
            return {brought, std::nullopt};
        // What the view leaves out is not chosen.
        const Numbers in(g.value.dtype());
        const Dimensions once = without_repeats(view);
        const Operand read = led_adjoint(in.filled(1, led_shape(g.value, lead_, once.max_shape())),
                                         lead_, once, own);
        return {brought, in.binary(Op::not_equal, read, 0)};
    }

    /// `g`, brought to where some elements may be left out, and some added up.
    template <typename Bring>
    static Slope added_up(const Slope& g, const Bring& bring, bool careful) {
        const Operand brought = bring(g.whole());
        if (!careful || Numbers::value(g.value)) return Slope::given(brought);
        const Numbers in(g.value.dtype());
        const Operand chosen = g.chosen ? cast_operand(g.is_chosen(), in.dtype(), Op::cast)
                                        : in.filled(1, g.value.dims.max_shape());
        const Operand any = in.binary(Op::not_equal, bring(chosen), 0);
        return g.is_weighted() ? Slope::marked(any, brought) : Slope{brought, any};
    }

    /// The first of what a view repeats.
    static Dimensions without_repeats(const Dimensions& view) {
        Dimensions once = view;
        const LayerView layer = view.layer(0);
        for (int axis = 0; axis < once.rank(); ++axis)
            if (layer.strides[static_cast<std::size_t>(axis)] == 0)
                once = dimensions::select(once, axis, Range(0, 1));
        return once;
    }

    void differentiate(const Elementwise& operation, const Slope& g) {
        for (std::size_t k = 0; k < operation.inputs().size(); ++k) {
            if (!depends_(*operation.inputs()[k].node)) continue;
            if (const std::optional<Slope> by =
                    derivative({operation, g, depends_.nodes(), depends_.zero_orders(), false,
                                depends_.is_summed(operation)},
                               k))
                give(operation.operand(k), *by);
        }
    }
    void differentiate(const Gather& gather, const Slope& g) {
        const Operand& source = gather.source();
        if (!depends_(*source.node)) return;
        const auto bring = [&](const Operand& x) {
            const Shape shape = led_shape(x, lead_, source.dims.max_shape());
            const Dimensions all = Dimensions::row_major(shape);
            Operand by = scatter_operand(x, led_indexes(gather.indexes(), x),
                                         {led_axes(gather.axes(), lead_), all, all.size()});
            by.dims = dimensions::reshape(by.dims, shape);
            return by;
        };
        give(source, added_up(g, bring, depends_.may_be_infinite(*source.node)));
    }
    void differentiate(const Piecewise& pieces, const Slope& g) {
        const Dimensions whole = Dimensions::row_major(g.value.dims.max_shape());
        for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
            const Operand& piece = pieces.operands()[i];
            if (!depends_(*piece.node)) continue;
            index_t first = 0;
            for (std::size_t a = 0; a < pieces.begins()[i].size(); ++a)
                first += pieces.begins()[i][a] * whole.strides()[lead_ + a];
            const Shape shape = led_shape(g.value, lead_, piece.dims.max_shape());
            const Dimensions part = Dimensions::strided(shape, whole.strides(), first);
            give(piece, g.moved([&](const Operand& x) { return seen_through(part, x); }));
        }
    }
    void differentiate(const Reduce& fold, const Slope& g) {
        if (depends_(*fold.operand().node)) give(fold.operand(), reverse(fold, g, lead_));
    }
    void differentiate(const Scatter& scatter, const Slope& g) {
        const Operand& values = scatter.operands()[0];
        if (!depends_(*values.node)) return;
        const ScatterPlace& place = scatter.place();
        give(values, g.as_one_factor().moved([&](const Operand& x) {
            const Operand from = led_view(x, lead_, place.into, place.size);
            return gather_operand("gradient", from, led_axes(place.axes, lead_),
                                  scatter.operands().subspan(1),
                                  led_shape(x, lead_, values.dims.max_shape()));
        }));
    }
    void differentiate(const ScanNode& scan, const Slope& g) {
        if (!depends_(*scan.operand().node)) return;
        give(scan.operand(), g.as_one_factor().moved(
                                 [&](const Operand& x) { return led_scan(scan, x, lead_, true); }));
    }
    void differentiate(const StageResult& result, const Slope& g) {
        const auto [results, is_first] = by_results_.try_emplace(&result.source());
        if (is_first) results.resize(result_count(result.source()));
        std::optional<Operand>& by = results[result.number()];
        const Operand all = g.whole();
        by = by ? Numbers(all.dtype()).binary(Op::add, *by, all) : all;
    }
    /// A loop or a choice, of which the derivatives by results are known.
    void differentiate_several(const Node& source, const Derivatives& by_results) {
        const Derivatives by = [&] {
            const auto depends = [&](const Node& node) { return depends_(node); };
            if (const auto* const loop = node_as<Loop>(source))
                return reverse(*loop, by_results, lead_, depends);
            return reverse(static_cast<const Choice&>(source), by_results, lead_, depends);
        }();
        for (std::size_t i = 0; i < by.size(); ++i)
            if (by[i]) give(operand_of(source, i), Slope::given(*by[i]));
    }
    void differentiate_stage(const OpaqueStage& stage) {
        const auto depends = [&](const Operand& operand) { return depends_(*operand.node); };
        if (std::ranges::none_of(stage.operands(), depends)) return;
        Derivatives seeds(1);
        if (const Slope* const own = by_.find(&stage)) seeds[0] = own->whole();
        if (const auto* const others = by_results_.find(&stage))
            seeds.insert(seeds.end(), others->begin(), others->end());
        seeds.resize(stage.results().size());
        if (std::ranges::none_of(seeds, [](const auto& seed) { return seed.has_value(); })) return;
        const std::vector<Operand> results = results_of_stage(NodePtr(&stage));
        const Derivatives by = stage.function().reverse(stage.operands(), results, seeds, lead_);
        for (std::size_t i = 0; i < by.size(); ++i)
            if (by[i] && depends(stage.operands()[i]))
                give(stage.operands()[i], Slope::given(*by[i]));
    }
    void differentiate(const OneOf<Leaf, Constant, SymbolNode, OpaqueStage, Loop, Choice> auto&,
                       const Slope&) {}

    static std::vector<Operand> led_indexes(std::span<const Operand> indexes, const Operand& g) {
        std::vector<Operand> led(indexes.begin(), indexes.end());
        for (Operand& index : led) index.dims = dimensions::expand(index.dims, g.dims.max_shape());
        return led;
    }

    std::size_t lead_;
    Dependence depends_;
    std::span<const Operand> x_;
    NodeMap<Slope> by_;               ///< each of the shape of its node
    NodeMap<Derivatives> by_results_; ///< of loops, choices and opaque stages
};

} // namespace
} // namespace derivatives

std::vector<Operand> reverse_derivatives(std::span<const Operand> y, std::span<const Operand> seeds,
                                         std::size_t lead, std::span<const Operand> x) {
    return derivatives::Reverse(y, seeds, lead, x).run(seeds[0]);
}

Operand without_derivative(const Operand& x) {
    if (x.dtype().is_builtin() && !x.dtype().is_floating()) return x;
    return elementwise<1>(Op::cast, x.dtype(), {x});
}

} // namespace purview
