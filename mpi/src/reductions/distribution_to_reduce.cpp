// Defines reductions/reduced_distribution.hpp.
#include "reductions/reduced_distribution.hpp"

#include "distributions/axis_parts.hpp"
#include "distributions/derived.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/seen_part.hpp"
#include "messages/ranks.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

using Counts = std::vector<index_t>; // of coordinates, for each place along an axis

/// Places that have all coordinates in order, each a stretch of them. O(places), or O(list).
std::optional<Counts> counts_in_order(const AxisCoordinates& coordinates, const AxisParts& parts) {
    if (!parts.is_blocks() && coordinates.count > 1) return std::nullopt;
    Counts counts;
    index_t next = 0;
    for (const Runs& runs : runs_by_place(coordinates, parts)) {
        const index_t begin = next;
        for (const Run& run : runs) {
            if (run.position != next) return std::nullopt;
            next += run.count;
        }
        counts.push_back(next - begin);
    }
    return counts;
}

/// Of two axes of a grid as one, the first outside.
Counts product(const Counts& outer, const Counts& inner) {
    Counts counts;
    for (const index_t o : outer)
        for (const index_t i : inner) counts.push_back(o * i);
    return counts;
}

/// A distribution of what a view shows of a distributed tensor, in which each rank has what it has of the tensor.
/// None where blocks are not so: for views that turn an axis round or exchange two that are divided, and for diagonals.
std::optional<Distribution> where_it_lies(const Dimensions& view, const Distribution& d) {
    if (view.size() == 0) return std::nullopt;
    const ShapeSpan shape = view.max_shape();
    const SeenPart seen(view, d.shape());
    if (!seen.is_followed()) return std::nullopt;
    std::vector<Counts> counts;
    for (const index_t extent : shape) counts.push_back({extent});
    Counts before{
        1}; // of divided axes that the view does not run along, before the first that it does
    int last = -1;
    for (std::size_t k = 0; k < d.shape().size(); ++k) {
        const AxisParts& parts = d.state().axes[k];
        if (!parts.is_divided()) continue;
        const std::optional<Counts> of_places = counts_in_order(seen.region()[k], parts);
        if (!of_places) return std::nullopt;
        const int r = seen.follower(k);
        if (r >= 0 ? r <= last : seen.region()[k].count > 1) return std::nullopt;
        if (r >= 0) {
            counts[static_cast<std::size_t>(r)] = product(std::exchange(before, {1}), *of_places);
            last = r;
        } else {
            Counts& beside = last < 0 ? before : counts[static_cast<std::size_t>(last)];
            beside = product(beside, *of_places);
        }
    }
    if (last < 0) counts[0] = product(before, counts[0]);
    std::vector<AxisParts> axes;
    for (Counts& ends : counts) {
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        axes.emplace_back(std::move(ends));
    }
    return divided(d.communicator(), shape, std::move(axes));
}

/// Where the elements of the first distributed tensor lie of which the expression reads all as they are, else of the
/// first whose view has a distribution. Of views through element-wise operations alone, and not of very many.
std::optional<Distribution> where_its_leaves_lie(const Operand& e) {
    constexpr int kMostLookedAt = 64;
    std::optional<Distribution> found;
    std::vector<std::pair<const Node*, Dimensions>> left{{e.node.get(), e.dims}};
    for (int looked_at = 0; !left.empty() && looked_at < kMostLookedAt; ++looked_at) {
        const auto [node, view] = std::move(left.back());
        left.pop_back();
        if (!node->reads(Below::device)) continue; // what all ranks have
        if (const DistributedElements* const elements = distributed_elements(*node)) {
            const Distribution& d = elements->distribution();
            if (view == Dimensions::row_major(d.shape())) return d;
            if (!found) found = where_it_lies(view, d);
        } else if (node->kind() == NodeKind::elementwise) {
            for (std::size_t i = operand_count(*node); i-- > 0;) {
                const Operand& operand = operands_of(*node)[i];
                left.emplace_back(operand.node.get(), dimensions::compose(view, operand.dims));
            }
        }
    }
    return found;
}

} // namespace

Distribution distribution_to_reduce(const char* what, const Operand& e) {
    const ShapeSpan shape = e.dims.max_shape();
    const Communicator* const communicator = communicator_below(e);
    if (communicator == nullptr)
        throw DistributionError(fmt::format(
            "{}: nothing below this expression of shape {} is distributed: the function of this name for "
            "tensors in memory reduces it, all_sum adds up what ranks have by themselves",
            what, purview::to_string(shape)));
    const ExitNotice exit_notice(communicator->ranks(), what);
    if (std::optional<Distribution> found = where_its_leaves_lie(e)) return *std::move(found);
    const DistributedElements* first = nullptr;
    for (const Node* const node : nodes_below({&e, 1})) {
        const DistributedElements* const elements = distributed_elements(*node);
        if (elements == nullptr) continue;
        if (std::ranges::equal(elements->distribution().shape(), shape))
            return elements->distribution();
        if (first == nullptr) first = elements;
    }
    return blocks_on(first->distribution().grid(), shape);
}

} // namespace purview
