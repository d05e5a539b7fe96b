// Defines purview/expression/derivatives.hpp.
#include <purview/expression/derivatives.hpp>

#include "expression/derivatives/dependence.hpp"
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
        : lead_(lead), depends_(y, x) {
        if (x.empty()) return;
        leading_ = led_shape(tangents[0], lead, {});
        for (std::size_t i = 0; i < x.size(); ++i) {
            const Operand own = led_adjoint(tangents[i], lead, x[i].dims, own_shape(*x[i].node));
            const auto [sum, is_first] = of_.try_emplace(x[i].node.get(), own);
            if (!is_first) sum = numbers_of(*x[i].node).binary(Op::add, sum, own);
        }
    }

    Operand run(const Operand& y) {
        for (const Node* const node : depends_.order()) {
            if (!depends_(*node) || of_.contains(node)) continue;
            if (std::optional<Operand> own =
                    visit(*node, [&](const auto& each) { return differentiated(each); }))
                of_.try_emplace(node, cast_operand(led_reshape(*own, lead_, own_shape(*node)),
                                                   numbers_of(*node).dtype(), Op::wrapping_cast));
        }
        if (std::optional<Operand> result = of(y)) return *std::move(result);
        return numbers_of(*y.node).filled(0, led(y.dims.max_shape()));
    }

private:
    using Tangent = std::optional<Operand>;

    static Numbers numbers_of(const Node& node) {
        return Numbers(type_of_derivatives(node.dtype()));
    }
    Shape led(ShapeSpan shape) const {
        Shape all = leading_;
        all.insert(all.end(), shape.begin(), shape.end());
        return all;
    }
    /// The derivative of an operand, of its shape behind the leading axes; nothing where it is 0.
    Tangent of(const Operand& operand) const {
        const Operand* const found = of_.find(operand.node.get());
        if (found == nullptr) return std::nullopt;
        return led_view(*found, lead_, operand.dims, size_of(*operand.node));
    }

    Tangent differentiated(const Elementwise& operation) const {
        Tangent all;
        for (std::size_t k = 0; k < operation.inputs().size(); ++k) {
            const Tangent own = of(operation.operand(k));
            if (!own) continue;
            const Tangent part = derivative({operation, *own, depends_.zero_orders(), true,
                                             depends_.may_be_infinite(*operation.inputs()[k].node),
                                             depends_.is_summed(operation)},
                                            k);
            if (!part) continue;
            all = all ? numbers_of(operation).binary(Op::add, *all, *part) : *part;
        }
        return all;
    }
    Tangent differentiated(const Gather& gather) const {
        const Tangent source = of(gather.source());
        if (!source) return std::nullopt;
        return gather_operand(gather.name(), *source, led_axes(gather.axes(), lead_),
                              gather.indexes(), led(gather.shape()));
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
            parts.push_back(own ? *own : numbers_of(pieces).filled(0, led(piece.dims.max_shape())));
        }
        return piecewise_operand(pieces.name(), std::move(parts), std::move(begins),
                                 led(pieces.shape()));
    }
    Tangent differentiated(const Reduce& fold) const {
        const Tangent own = of(fold.operand());
        return own ? Tangent(
                         forward(fold, *own, lead_, depends_.may_be_infinite(*fold.operand().node)))
                   : std::nullopt;
    }
    Tangent differentiated(const Scatter& scatter) const {
        const Tangent values = of(scatter.operands()[0]);
        if (!values) return std::nullopt;
        const ScatterPlace& place = scatter.place();
        // To the shape of `into`, and from there to its addresses.
        const Shape shape = led(place.into.max_shape());
        std::vector<Operand> indexes(scatter.operands().begin() + 1, scatter.operands().end());
        for (Operand& index : indexes)
            index.dims = dimensions::expand(index.dims, values->dims.max_shape());
        Operand sums = scatter_operand(*values, indexes,
                                       {led_axes(place.axes, lead_), Dimensions::row_major(shape),
                                        Dimensions::row_major(shape).size()});
        sums.dims = dimensions::reshape(sums.dims, shape);
        return led_adjoint(sums, lead_, place.into, ShapeSpan(&place.size, 1));
    }
    Tangent differentiated(const ScanNode& scan) const {
        const Tangent own = of(scan.operand());
        return own ? Tangent(led_scan(scan, *own, lead_, false)) : std::nullopt;
    }
    Tangent differentiated(const OneOf<Leaf, Constant, SymbolNode> auto&) const {
        return std::nullopt;
    }

    std::size_t lead_;
    Dependence depends_;
    Shape leading_;
    NodeMap<Operand> of_; ///< each of the shape of its node
};

} // namespace
} // namespace derivatives

Operand forward_derivative(const Operand& y, std::span<const Operand> x,
                           std::span<const Operand> tangents, std::size_t lead) {
    return derivatives::Forward(y, x, tangents, lead).run(y);
}

} // namespace purview
