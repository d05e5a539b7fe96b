#include "expression/derivatives/zero_orders.hpp"

#include "expression/derivatives/elementwise_rules.hpp"
#include "expression/derivatives/numbers.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/expression/visit_node.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace purview::inline v0_1::derivatives {
namespace {

constexpr double kNoZero = std::numeric_limits<double>::infinity();

std::optional<double> value_of_constant(const Operand& x) {
    if (x.dtype() != float32 && x.dtype() != float64) return std::nullopt;
    return Numbers::value(x);
}

/// Whether two operands are known to have the same elements: the same view of one node, or of the same
/// operation of such operands, a few of them deep.
bool are_same(const Operand& x, const Operand& y, int depth = 4) {
    if (!(x.dims == y.dims)) return false;
    if (x.node == y.node) return true;
    const std::optional<double> value = value_of_constant(x);
    if (value && x.dtype() == y.dtype()) return value == value_of_constant(y);
    const auto* const of_x = node_as<Elementwise>(*x.node);
    const auto* const of_y = node_as<Elementwise>(*y.node);
    if (depth == 0 || of_x == nullptr || of_y == nullptr || of_x->op() != of_y->op() ||
        of_x->op() == Op::map || of_x->dtype() != of_y->dtype() ||
        of_x->inputs().size() != of_y->inputs().size())
        return false;
    for (std::size_t i = 0; i < of_x->inputs().size(); ++i)
        if (!are_same(of_x->operand(i), of_y->operand(i), depth - 1)) return false;
    return true;
}

} // namespace

double ZeroOrders::known(const Node& node) const {
    const double* const found = orders_.find(&node);
    return found == nullptr ? 0 : *found;
}

double ZeroOrders::made(const Node& node) const {
    // What the derivative does not depend on may have any sign where it is a factor: the sign of a
    // weight.
    const auto of_factor = [&](const Node& factor) {
        const bool is_weight = !depends_.contains(&factor) && factor.kind() != NodeKind::constant;
        return is_weight ? kNoZero : known(factor);
    };
    const auto of_choice = [&](const Node& choice) {
        return depends_.contains(&choice) ? known(choice) : kNoZero;
    };
    return visit(
        node,
        [&](const Elementwise& operation) {
            const auto input = [&](std::size_t i) -> const Node& {
                return *operation.inputs()[i].node;
            };
            const auto of = [&](std::size_t i) { return known(input(i)); };
            switch (zeros_of(operation.op())) {
            case Zeros::unknown: return 0.;
            case Zeros::nowhere: return kNoZero;
            case Zeros::of_operand: return of(0);
            case Zeros::of_absolute: return of(0) > 0 ? of(0) : 1.;
            case Zeros::of_square: return of(0) > 0 ? 2 * of(0) : 2.;
            case Zeros::of_root: return of(0) / 2;
            case Zeros::of_length: return 1.;
            case Zeros::of_sum: return std::min(of(0), of(1));
            case Zeros::of_product:
                if (are_same(operation.operand(0), operation.operand(1)))
                    return of(0) > 0 ? 2 * of(0) : 2.;
                return std::min(of_factor(input(0)), of_factor(input(1)));
            case Zeros::of_quotient: return of_factor(input(1)) > 0 ? of_factor(input(0)) : 0.;
            case Zeros::of_choice: return std::min(of_choice(input(1)), of_choice(input(2)));
            case Zeros::of_power: {
                const double y = value_of_constant(operation.operand(1)).value_or(0);
                if (!(y > 0)) return 0.;
                return of(0) > 0 ? y * of(0) : std::fmod(y, 2) == 0 ? y : 0.;
            }
            }
            std::unreachable();
        },
        [&](const Reduce& fold) {
            return fold.reduction() == Reduction::product ? 0. : known(*fold.operand().node);
        },
        [&](const Gather& gather) { return known(*gather.source().node); },
        [&](const Piecewise& pieces) {
            double least = kNoZero;
            for (const Operand& piece : pieces.operands())
                least = std::min(least, of_choice(*piece.node));
            return least;
        },
        [&](const Scatter& scatter) { return known(*scatter.operands()[0].node); },
        [&](const ScanNode& scan) { return known(*scan.operand().node); },
        [&](const Constant& constant) {
            const auto value = value_of_constant({NodePtr(&constant), Dimensions()});
            return value && *value >= 0 ? kNoZero : 0.;
        },
        [](const OneOf<Leaf, SymbolNode, OpaqueStage, Loop, Choice, StageResult> auto&) {
            return 0.;
        });
}

double ZeroOrders::operator()(const Node& node) const {
    if (!is_made_)
        for (const Node* const each : order_)
            if (const double found = made(*each); found > 0) orders_.try_emplace(each, found);
    is_made_ = true;
    return known(node);
}

bool ZeroOrders::is_norm(const Node& node, double exponent) const {
    // 1 / p is rounded, and p times that may be a little less than 1.
    const double order = (*this)(node)*exponent;
    return order > 1 - 1e-6 && order < kNoZero;
}

} // namespace purview::derivatives
