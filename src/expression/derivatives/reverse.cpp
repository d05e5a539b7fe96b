// Defines purview/expression/derivatives.hpp.
#include <purview/expression/derivatives.hpp>

#include "expression/derivatives/dependence.hpp"
#include "expression/derivatives/reduction_rules.hpp"

#include <utility>

namespace purview::inline v0_1 {
namespace derivatives {
namespace {

/// The derivatives of one result by the nodes that it depends on, users before their operands.
class Reverse {
public:
    Reverse(const Operand& y, const Operand& seed, std::size_t lead, std::span<const Operand> x)
        : lead_(lead), depends_(y, x), x_(x) {
        if (depends_(*y.node)) give(y, seed);
    }

    std::vector<Operand> run(const Operand& seed) {
        const std::vector<const Node*>& order = depends_.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const Operand* const found = by_.find(order[i]);
            if (found == nullptr) continue;
            const Operand g = *found; // others are added to the table
            visit(*order[i], [&](const auto& node) { differentiate(node, g); });
        }
        std::vector<Operand> results;
        for (const Operand& x : x_) {
            const Operand* const found = by_.find(x.node.get());
            const Shape shape = led_shape(seed, lead_, x.dims.max_shape());
            results.push_back(found == nullptr
                                  ? Numbers(type_of_derivatives(x.dtype())).filled(0, shape)
                                  : led_view(*found, lead_, x.dims, size_of(*x.node)));
        }
        return results;
    }

private:
    /// Adds to the derivative by a node what that by an operand of it, of the operand's shape, is.
    void give(const Operand& operand, const Operand& g) {
        const Node& node = *operand.node;
        const DType dtype = type_of_derivatives(node.dtype());
        const Operand own = led_adjoint(cast_operand(g, dtype, Op::wrapping_cast), lead_,
                                        operand.dims, own_shape(node));
        const auto [sum, is_first] = by_.try_emplace(&node, own);
        if (!is_first) sum = Numbers(dtype).sum(sum, own);
    }

    void differentiate(const Elementwise& operation, const Operand& g) {
        for (std::size_t k = 0; k < operation.inputs().size(); ++k) {
            if (!depends_(*operation.inputs()[k].node)) continue;
            if (const std::optional<Operand> by =
                    derivative({operation, g, depends_.zero_orders(), false, false,
                                depends_.is_summed(operation)},
                               k))
                give(operation.operand(k), *by);
        }
    }
    void differentiate(const Gather& gather, const Operand& g) {
        const Operand& source = gather.source();
        if (!depends_(*source.node)) return;
        const Shape shape = led_shape(g, lead_, source.dims.max_shape());
        Operand by = scatter_operand(g, led_indexes(gather.indexes(), g),
                                     {led_axes(gather.axes(), lead_), Dimensions::row_major(shape),
                                      Dimensions::row_major(shape).size()});
        by.dims = dimensions::reshape(by.dims, shape);
        give(source, by);
    }
    void differentiate(const Piecewise& pieces, const Operand& g) {
        const Dimensions whole = Dimensions::row_major(g.dims.max_shape());
        for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
            const Operand& piece = pieces.operands()[i];
            if (!depends_(*piece.node)) continue;
            index_t first = 0;
            for (std::size_t a = 0; a < pieces.begins()[i].size(); ++a)
                first += pieces.begins()[i][a] * whole.strides()[lead_ + a];
            const Shape shape = led_shape(g, lead_, piece.dims.max_shape());
            give(piece, seen_through(Dimensions::strided(shape, whole.strides(), first), g));
        }
    }
    void differentiate(const Reduce& fold, const Operand& g) {
        if (depends_(*fold.operand().node)) give(fold.operand(), reverse(fold, g, lead_));
    }
    void differentiate(const Scatter& scatter, const Operand& g) {
        const Operand& values = scatter.operands()[0];
        if (!depends_(*values.node)) return;
        const ScatterPlace& place = scatter.place();
        const Operand from = led_view(g, lead_, place.into, place.size);
        give(values, gather_operand("gradient", from, led_axes(place.axes, lead_),
                                    scatter.operands().subspan(1),
                                    led_shape(g, lead_, values.dims.max_shape())));
    }
    void differentiate(const ScanNode& scan, const Operand& g) {
        if (depends_(*scan.operand().node)) give(scan.operand(), led_scan(scan, g, lead_, true));
    }
    void differentiate(const OneOf<Leaf, Constant, SymbolNode> auto&, const Operand&) {}

    static std::vector<Operand> led_indexes(std::span<const Operand> indexes, const Operand& g) {
        std::vector<Operand> led(indexes.begin(), indexes.end());
        for (Operand& index : led) index.dims = dimensions::expand(index.dims, g.dims.max_shape());
        return led;
    }

    std::size_t lead_;
    Dependence depends_;
    std::span<const Operand> x_;
    NodeMap<Operand> by_; ///< each of the shape of its node
};

} // namespace
} // namespace derivatives

std::vector<Operand> reverse_derivatives(const Operand& y, const Operand& seed, std::size_t lead,
                                         std::span<const Operand> x) {
    return derivatives::Reverse(y, seed, lead, x).run(seed);
}

Operand without_derivative(const Operand& x) {
    if (x.dtype().is_builtin() && !x.dtype().is_floating()) return x;
    return elementwise<1>(Op::cast, x.dtype(), {x});
}

} // namespace purview
