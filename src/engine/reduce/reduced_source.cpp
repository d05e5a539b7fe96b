#include "engine/reduce/reduced_source.hpp"

#include <purview/dimensions/flip.hpp>

#include <optional>

namespace purview::inline v0_1::engine {
namespace {

/// The strided leaves' strides; false if there is a leaf of another kind, or none.
bool collect_strides(const Values& values, LeafStrides& leaves) {
    for (const Value& value : values) {
        if (value.is_streamed()) return false;
        if (value.leaf() == nullptr) continue;
        leaves.push_back(value.view->strides());
    }
    return !leaves.empty();
}

/// Whether all leaves are strided once axes are merged: where nodes of several shapes are involved,
/// views that were strided may not be any more.
bool stays_strided(const ReducedSource& source) {
    if (source.node->kind() == NodeKind::leaf) return true;
    const Operand operand = source.operand();
    const Values values(operand);
    LeafStrides leaves;
    return collect_strides(values, leaves);
}

} // namespace

bool arrange(const Operand& given, index_t groups, ArrangedSource& arranged) {
    if (!given.dims.is_strided()) return false;
    Operand source = given;
    std::optional<Values> values(std::in_place, source);
    LeafStrides leaves;
    if (!collect_strides(*values, leaves)) return false;
    // All axes are kept where an order is asked for, not a reduction.
    const Shape backward = groups < source.dims.size() ? backward_axes(leaves) : Shape{};
    if (!backward.empty()) {
        source.dims = dimensions::flip(source.dims, backward);
        values.emplace(source);
        leaves.clear();
        collect_strides(*values, leaves);
    }
    const std::size_t kept = kept_axes(source.dims.max_shape(), groups);
    const ReducedAxes separate = arrange_axes(source, kept, backward, leaves, arranged);
    ReducedSource& result = arranged.source;
    if (result.axes.size() < separate.size() && !stays_strided(result)) result.axes = separate;
    return true;
}

} // namespace purview::engine
