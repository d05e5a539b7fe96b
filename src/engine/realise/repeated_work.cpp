#include "engine/realise/repeated_work.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include "engine/places/costs.hpp"
#include "engine/places/gathered_places.hpp"
#include "engine/realise/leaf_gathers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <unistd.h>

namespace purview::inline v0_1::engine {
namespace {

/// A node is realised where lazy evaluation costs more than this many times as much, so that it
/// stays lazy where the estimates are close.
constexpr double kGain = 1.2;
/// Nested scopes take stack: gathers and pieces nested this deep are realised.
constexpr int kDeepestSearch = 24;
constexpr std::size_t kMostDemands = 16;

/// How often each element may be computed if the nodes cannot be realised, and the evaluation takes
/// longer than costs::kLongEvaluation.
constexpr double kMostRepeats = 256;

/// A realised node takes at most a quarter of the machine's memory.
double most_bytes() {
    static const double bytes = 0.25 * static_cast<double>(::sysconf(_SC_PHYS_PAGES)) *
                                static_cast<double>(::sysconf(_SC_PAGESIZE));
    return bytes;
}
/// The most bytes between the first element of a realised node and the place of its element 0,
/// which need not exist.
constexpr double kFarthest = 1e13;

Shape dense_strides(ShapeSpan extents) {
    Shape strides(extents.size(), 1);
    for (std::size_t a = extents.size(); a-- > 1;) strides[a - 1] = strides[a] * extents[a];
    return strides;
}

double elements_of_extents(ShapeSpan extents) {
    double size = 1;
    for (const index_t extent : extents) size *= static_cast<double>(extent);
    return size;
}

double cost_of(Op op) {
    if (op == Op::map) return costs::kUserFunction;
    if (is_transcendental(op)) return costs::kTranscendental;
    return op == Op::square_root || op == Op::divide || op == Op::remainder
               ? 4 * costs::kCheapOperation
               : costs::kCheapOperation;
}

const char* what_of(const Node& node) {
    return visit(
        node, [](const OneOf<Gather, Piecewise> auto& named) { return named.what(); },
        [](const StageNodeOr<Leaf, Constant, Elementwise, SymbolNode> auto&) {
            return "evaluation";
        });
}

} // namespace

Dimensions Slab::dims() const {
    return Dimensions::strided(extents, dense_strides(extents), first);
}

Slab slab_of(ShapeSpan shape, index_t lowest, index_t highest) {
    Slab slab;
    index_t below = element_count(shape);
    std::size_t axis = 0;
    for (; axis < shape.size(); ++axis) {
        below /= shape[axis];
        const index_t from = lowest / below;
        const index_t to = highest / below;
        slab.begin.push_back(from);
        slab.extents.push_back(to - from + 1);
        slab.first += from * below;
        lowest -= from * below;
        highest -= from * below;
        if (from != to) break;
    }
    for (++axis; axis < shape.size(); ++axis) {
        slab.begin.push_back(0);
        slab.extents.push_back(shape[axis]);
    }
    slab.size = element_count(slab.extents);
    return slab;
}

RepeatedWork::RepeatedWork(const Operand& root, Realise realise)
    : realise_(realise), order_(nodes_below(std::span(&root, 1))) {
    numbers_.reserve(order_.size());
    work_.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
        numbers_.emplace(order_[i], i);
        set_element_cost(*order_[i]);
    }
    if (root.dims.size() == 0) return;
    demand(*root.node, new_scope(static_cast<double>(root.dims.size()), 1, 0), root.dims);
    for (std::size_t i = order_.size(); i-- > 0;) examine(*order_[i]);
    std::ranges::reverse(realised_);
}

/// Sets the cost of an element of `node`, without that of pieces and gathers below it.
void RepeatedWork::set_element_cost(const Node& node) {
    const double cost = visit(
        node,
        [&](const Elementwise& operation) {
            double all = cost_of(operation.op());
            for (const Node& below : nodes_of(node))
                if (below.kind() == NodeKind::elementwise) all += work_of(below).element_cost;
            return all;
        },
        [](const Gather&) { return costs::kGatheredElement; },
        [](const Piecewise&) { return costs::kPlacedElement; },
        [](const StageNodeOr<Leaf, Constant, SymbolNode> auto&) { return 0.; });
    work_of(node).element_cost = std::min(cost, costs::kMostOfElement);
}

std::uint32_t RepeatedWork::new_scope(double elements, double preparations, int depth) {
    scopes_.push_back({elements, preparations, depth});
    return static_cast<std::uint32_t>(scopes_.size() - 1);
}

void RepeatedWork::demand(const Node& node, std::uint32_t scope, const Dimensions& view,
                          index_t run, const Gather* gather) {
    if (!is_computed(node)) return;
    NodeWork& work = work_of(node);
    for (const Demand& known : work.demands)
        if (known.scope == scope && known.view == view) return;
    const AddressRange range = view.address_range();
    if (range.empty) return;
    work.range = work.range.empty
                     ? range
                     : AddressRange{std::min(work.range.lowest, range.lowest),
                                    std::max(work.range.highest, range.highest), false};
    work.demands.push_back({scope, view, run, gather});
    if (work.demands.size() > kMostDemands) merge_demands(node, work);
}

/// The scopes of all demands as one.
RepeatedWork::Scope RepeatedWork::joined_scope(const NodeWork& work) const {
    Scope all{0, 0, 0};
    for (const Demand& each : work.demands) {
        const Scope& scope = scopes_[each.scope];
        all.elements += scope.elements;
        all.preparations += scope.preparations;
        all.depth = std::max(all.depth, scope.depth);
    }
    return all;
}

/// Makes one demand of many: passed on one by one, they would multiply with each step of a loop.
void RepeatedWork::merge_demands(const Node& node, NodeWork& work) {
    const Scope all = joined_scope(work);
    index_t run = 0;
    for (const Demand& each : work.demands) run = std::max(run, each.run);
    const Slab slab = slab_of(shape_of(node), work.range.lowest, work.range.highest);
    work.demands.clear();
    work.demands.push_back(
        {new_scope(all.elements, all.preparations, all.depth), slab.dims(), run});
}

void RepeatedWork::examine(const Node& node) {
    NodeWork& work = work_of(node);
    if (work.demands.empty()) return;
    const Slab slab = slab_of(shape_of(node), work.range.lowest, work.range.highest);
    if (is_read_at_leaves(work, slab)) {
        for (const Demand& each : work.demands) leaf_gathers_.insert(each.gather);
        work.demands = {};
        return;
    }
    if (is_realised(node, work, slab)) {
        realised_.push_back({&node, slab});
        work.demands.clear();
        work.demands.push_back({new_scope(static_cast<double>(slab.size), 1, 0), slab.dims(), 0});
    }
    if (const auto* const gather = node_as<Gather>(node)) propagate_to_source(*gather);
    for (const Demand& each : work.demands) propagate(node, each);
    work.demands = {};
}

/// Whether a node that only gathers read should be computed from gathered leaves: that has to be
/// cheaper than evaluating it lazily, and than computing it into an array, which is then gathered.
bool RepeatedWork::is_read_at_leaves(const NodeWork& work, const Slab& slab) {
    if (realise_ == Realise::nothing) return false;
    double leaves = 0;
    double lazy = 0;
    double gathered = 0;
    for (const Demand& each : work.demands) {
        const std::optional<LeafGathers> way =
            each.gather == nullptr ? std::nullopt : leaf_gathers(*each.gather);
        if (!way) return false;
        const Scope& scope = scopes_[each.scope];
        leaves +=
            scope.elements * (work.element_cost + way->element) +
            scope.preparations * costs::kPreparedScope * static_cast<double>(way->gathers - 1);
        lazy += scope.elements * (work.element_cost + way->of_one +
                                  costs::kShortRun / static_cast<double>(each.run));
        gathered += scope.elements * way->of_one;
    }
    const double realised =
        static_cast<double>(slab.size) * (work.element_cost + costs::kWrittenElement) + gathered +
        costs::kPreparedScope;
    if (leaves >= std::min(lazy, realised)) return false;
    cost_ += leaves;
    return true;
}

bool RepeatedWork::is_realised(const Node& node, const NodeWork& work, const Slab& slab) {
    const bool is_source = node.kind() != NodeKind::elementwise;
    double elements = 0;
    double lazy = 0;
    int depth = 0;
    for (const Demand& each : work.demands) {
        const Scope& scope = scopes_[each.scope];
        const double run = each.run == 0 ? 0 : costs::kShortRun / static_cast<double>(each.run);
        elements += scope.elements;
        lazy += scope.elements * (work.element_cost + run);
        lazy += is_source ? scope.preparations * costs::kPreparedScope : 0;
        depth = std::max(depth, scope.depth);
    }
    const auto size = static_cast<double>(slab.size);
    const double realised = size * (work.element_cost + costs::kWrittenElement) +
                            elements * costs::kReadElement + costs::kPreparedScope;
    const bool is_profitable = lazy > kGain * realised || (is_source && depth >= kDeepestSearch);
    const auto bytes = static_cast<double>(node.dtype().size_bytes());
    const bool fits = node.dtype().is_builtin() && size * bytes <= most_bytes() &&
                      static_cast<double>(slab.first) * bytes <= kFarthest;
    if (realise_ == Realise::profitable && is_profitable && fits) {
        cost_ += realised;
        return true;
    }
    cost_ += lazy;
    if (realise_ == Realise::profitable && !fits && lazy > costs::kLongEvaluation &&
        elements > kMostRepeats * size)
        throw ShapeError(fmt::format(
            "{}: each of {} elements of type {} would be computed {:.0f} times, and they are {}; "
            "clone what is read again and again",
            what_of(node), slab.size, node.dtype().name(), elements / size,
            node.dtype().is_builtin() ? "too many to keep" : "of no built-in type"));
    return false;
}

void RepeatedWork::propagate(const Node& node, const Demand& each) {
    visit(
        node, [&](const Gather& gather) { propagate_to_indexes(gather, each); },
        [&](const Piecewise& pieces) { propagate_to_pieces(pieces, each); },
        [&](const Elementwise& operation) {
            for (const Operand& operand : operands_of(operation))
                if (is_computed(*operand.node))
                    demand(*operand.node, each.scope, dimensions::compose(each.view, operand.dims));
        },
        [](const StageNodeOr<Leaf, Constant, SymbolNode> auto&) {});
}

/// All of the source is demanded, as only the indexes know which elements of it are read.
void RepeatedWork::propagate_to_source(const Gather& gather) {
    if (!is_computed(*gather.source().node)) return;
    const Scope all = joined_scope(work_of(gather));
    demand(*gather.source().node, new_scope(all.elements, all.preparations, all.depth + 1),
           gather.source().dims, gathered_run(gather), &gather);
}

void RepeatedWork::propagate_to_indexes(const Gather& gather, const Demand& each) {
    const Scope scope = scopes_[each.scope];
    for (const Operand& index : gather.indexes()) {
        if (!is_computed(*index.node)) continue;
        const Dimensions view = dimensions::compose(each.view, index.dims);
        // An index is computed once for all elements of the trailing axes along which it does not
        // change.
        double share = 1;
        if (view.is_strided())
            for (std::size_t a = view.max_shape().size(); a-- > 0 && view.strides()[a] == 0;)
                share /= static_cast<double>(view.max_shape()[a]);
        demand(*index.node, new_scope(scope.elements * share, scope.preparations, scope.depth + 1),
               view);
    }
}

void RepeatedWork::propagate_to_pieces(const Piecewise& pieces, const Demand& each) {
    const AddressRange range = each.view.address_range();
    const Slab slab = slab_of(pieces.shape(), range.lowest, range.highest);
    const Scope scope = scopes_[each.scope];
    for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
        const Operand& piece = pieces.operands()[i];
        if (!is_computed(*piece.node)) continue;
        // The intersection of the slab and the piece, in the coordinates of the piece.
        Shape extents;
        const Shape strides = dense_strides(piece.dims.max_shape());
        index_t first = 0;
        bool intersects = true;
        for (std::size_t a = 0; a < slab.begin.size(); ++a) {
            const index_t from = std::max(slab.begin[a] - pieces.begins()[i][a], index_t{0});
            const index_t to = std::min(slab.begin[a] + slab.extents[a] - pieces.begins()[i][a],
                                        piece.dims.max_shape()[a]);
            intersects = intersects && from < to;
            extents.push_back(to - from);
            first += from * strides[a];
        }
        if (!intersects) continue;
        const double share = elements_of_extents(extents) / static_cast<double>(slab.size);
        demand(*piece.node, new_scope(scope.elements * share, scope.preparations, scope.depth + 1),
               dimensions::compose(Dimensions::strided(extents, strides, first), piece.dims));
    }
}

} // namespace purview::engine
