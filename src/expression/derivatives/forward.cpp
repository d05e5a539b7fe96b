// Defines purview/expression/derivatives.hpp.
#include <purview/expression/derivatives.hpp>

#include "expression/derivatives/dependence.hpp"
#include "expression/derivatives/loop_rules.hpp"
#include "expression/derivatives/reduction_rules.hpp"

#include <utility>

namespace purview::inline v0_1 {
namespace derivatives {
namespace {

/// The derivatives of the nodes that a result depends on along some tangents, operands before their
/// users.
class Forward {
public:
    Forward(const Operand& y, std::span<const Operand> x, std::span<const Operand> tangents,
            std::size_t lead)
        : lead_(lead), depends_({&y, 1}, x) {
        if (x.empty()) return;
        const std::vector<const Node*>& order = depends_.order();
        for (std::size_t i = order.size(); i-- > 0;)
            if (is_careful(*order[i]) || has_infinite_factors(*order[i]))
                for (const Node& below : nodes_of(*order[i])) careful_.insert(&below);
        leading_ = led_shape(tangents[0], lead, {});
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Slope own =
                Slope::given(led_adjoint(tangents[i], lead, x[i].dims, own_shape(*x[i].node)));
            const auto [all, is_first] = of_.try_emplace(x[i].node.get(), own);
            if (!is_first) all = sum(all, own, is_careful(*x[i].node));
        }
    }

    Operand run(const Operand& y) {
        for (const Node* const node : depends_.order()) {
            if (!depends_(*node) || of_.contains(node)) continue;
            const Tangent own =
                visit(*node, [&](const auto& each) { return differentiated(each); });
            if (!own) continue;
            const Slope reshaped = own->moved(
                [&](const Operand& t) { return led_reshape(t, lead_, own_shape(*node)); });
            of_.try_emplace(node, reshaped.cast_to(numbers_of(*node).dtype()));
        }
        if (const Tangent result = of(y)) return result->whole();
        return numbers_of(*y.node).filled(0, led(y.dims.max_shape()));
    }

private:
    bool has_infinite_factors(const Node& node) const {
        if (Dependence::makes_infinite(node)) return true;
        if (!depends_.may_be_infinite(node)) return false;
        if (const auto* const operation = node_as<Elementwise>(node))
            return !is_linear(operation->op());
        const auto* const fold = node_as<Reduce>(node);
        return fold != nullptr && fold->reduction() == Reduction::product;
    }
    static bool is_linear(Op op) {
        return op == Op::add || op == Op::subtract || op == Op::negative || op == Op::choose ||
               op == Op::cast;
    }
    /// Whether there may be infinite factors above a node, for finite elements.
    bool is_careful(const Node& node) const { return careful_.contains(&node); }

    using Tangent = std::optional<Slope>;

    static Numbers numbers_of(const Node& node) {
        return Numbers(type_of_derivatives(node.dtype()));
    }
    Shape led(ShapeSpan shape) const {
        Shape all = leading_;
        all.insert(all.end(), shape.begin(), shape.end());
        return all;
    }
    /// The derivative of an operand, of its shape behind the leading axes; nothing where it is 0.
    Tangent of(const Operand& operand, bool as_one_factor = false) const {
        const Slope* const found = of_.find(operand.node.get());
        if (found == nullptr) return std::nullopt;
        return (as_one_factor ? found->as_one_factor() : *found).moved([&](const Operand& t) {
            return led_view(t, lead_, operand.dims, size_of(*operand.node));
        });
    }

    Tangent differentiated(const Elementwise& operation) const {
        Tangent all;
        for (std::size_t k = 0; k < operation.inputs().size(); ++k) {
            const Operand operand = operation.operand(k);
            const bool is_summed = depends_.is_summed(operation);
            const Tangent own = of(operand, is_summed && operand.dims.is_broadcast());
            if (!own) continue;
            const Tangent part = derivative(
                {operation, *own, depends_.nodes(), depends_.zero_orders(), true, is_summed}, k);
            if (part) all = all ? sum(*all, *part, is_careful(operation)) : *part;
        }
        return all;
    }
    Tangent differentiated(const Gather& gather) const {
        const Tangent source = of(gather.source());
        if (!source) return std::nullopt;
        return source->as_one_factor().moved([&](const Operand& t) {
            return gather_operand(gather.name(), t, led_axes(gather.axes(), lead_),
                                  gather.indexes(), led(gather.shape()));
        });
    }
    Tangent differentiated(const Piecewise& pieces) const {
        std::vector<Operand> parts;
        std::vector<Shape> begins;
        for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
            const Operand& piece = pieces.operands()[i];
            Shape begin(lead_, 0);
            begin.insert(begin.end(), pieces.begins()[i].begin(), pieces.begins()[i].end());
            begins.push_back(std::move(begin));
            const Tangent own = of(piece);
            parts.push_back(own ? own->whole()
                                : numbers_of(pieces).filled(0, led(piece.dims.max_shape())));
        }
        return Slope::given(piecewise_operand(pieces.name(), std::move(parts), std::move(begins),
                                              led(pieces.shape())));
    }
    Tangent differentiated(const Reduce& fold) const {
        const Tangent own = of(fold.operand());
        return own ? Tangent(forward(fold, *own, lead_, is_careful(fold))) : std::nullopt;
    }
    Tangent differentiated(const Scatter& scatter) const {
        const Tangent of_values = of(scatter.operands()[0]);
        if (!of_values) return std::nullopt;
        const Operand values = of_values->whole();
        const ScatterPlace& place = scatter.place();
        // To the shape of `into`, and from there to its addresses.
        const Shape shape = led(place.into.max_shape());
        std::vector<Operand> indexes(scatter.operands().begin() + 1, scatter.operands().end());
        for (Operand& index : indexes)
            index.dims = dimensions::expand(index.dims, values.dims.max_shape());
        Operand sums = scatter_operand(values, indexes,
                                       {led_axes(place.axes, lead_), Dimensions::row_major(shape),
                                        Dimensions::row_major(shape).size()});
        sums.dims = dimensions::reshape(sums.dims, shape);
        return Slope::given(led_adjoint(sums, lead_, place.into, ShapeSpan(&place.size, 1)));
    }
    Tangent differentiated(const ScanNode& scan) const {
        const Tangent own = of(scan.operand());
        if (!own) return std::nullopt;
        return own->as_one_factor().moved(
            [&](const Operand& t) { return led_scan(scan, t, lead_, false); });
    }
    Tangent differentiated(const OpaqueStage& stage) { return of_result(stage, 0); }
    Tangent differentiated(const StageResult& result) {
        const bool is_behind_own = result.source().kind() == NodeKind::opaque;
        return of_result(result.source(), result.number() + is_behind_own);
    }
    /// Those of all results are made for the first.
    Tangent of_result(const Node& source, std::size_t number) {
        const auto [all, is_first] = of_results_.try_emplace(&source);
        if (is_first) {
            Derivatives tangents;
            for (const Operand& operand : operands_of(source)) {
                const Tangent own = of(operand);
                tangents.push_back(own ? std::optional(own->whole()) : std::nullopt);
            }
            all = of_all_results(source, tangents);
        }
        const std::optional<Operand>& own = all[number];
        return own ? Tangent(Slope::given(*own)) : std::nullopt;
    }
    Derivatives of_all_results(const Node& source, const Derivatives& tangents) const {
        if (const auto* const loop = node_as<Loop>(source))
            return forward(*loop, tangents, leading_);
        if (const auto* const choice = node_as<Choice>(source))
            return forward(*choice, tangents, leading_);
        const auto& stage = static_cast<const OpaqueStage&>(source);
        return stage.function().forward(stage.operands(), results_of_stage(NodePtr(&stage)),
                                        tangents, leading_);
    }
    Tangent differentiated(const OneOf<Leaf, Constant, SymbolNode, Loop, Choice> auto&) const {
        return std::nullopt;
    }

    std::size_t lead_;
    Dependence depends_;
    NodeSet careful_; ///< above which a factor may be infinite
    Shape leading_;
    NodeMap<Slope> of_;               ///< each of the shape of its node
    NodeMap<Derivatives> of_results_; ///< of loops, choices and opaque stages
};

} // namespace
} // namespace derivatives

Operand forward_derivative(const Operand& y, std::span<const Operand> x,
                           std::span<const Operand> tangents, std::size_t lead) {
    return derivatives::Forward(y, x, tangents, lead).run(y);
}

} // namespace purview
