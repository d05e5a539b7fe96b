#include "functional/applied/saved/leaf_parts.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/function_ref.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>

#include "dimensions/layer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1::saved {
namespace {

/// `dims` of addresses that are lower by `first`.
Dimensions moved(const Dimensions& dims, index_t first) {
    std::vector<const Dimensions*> layers;
    for (const Dimensions* each = &dims; each != nullptr; each = dimensions::Layer::inner_of(*each))
        layers.push_back(each);
    dimensions::Layer innermost(*layers.back());
    innermost.base -= first;
    Dimensions made = std::move(innermost).finish(nullptr, "view");
    for (std::size_t i = layers.size() - 1; i-- > 0;)
        made = dimensions::Layer(*layers[i]).finish(&made, "view");
    return made;
}

/// Whether that can be written: offsets in views from elsewhere may be near the ends of an integer.
bool is_movable(const Dimensions& dims, index_t first) {
    index_t base = 0;
    if (__builtin_sub_overflow(dims.layer(dims.layer_count() - 1).base, first, &base)) return false;
    try {
        moved(dims, first);
        return true;
    } catch (const ShapeError&) {
        return false;
    }
}

/// Calls `f` for each operand that is a view of a leaf.
void for_leaf_operands(std::span<const Node* const> nodes, std::span<const TracedOutputs> programs,
                       FunctionRef<void(const Operand&)> f) {
    for (const Node* const node : nodes) {
        if (const auto* const operation = node_as<Elementwise>(*node)) { // most are
            for (std::size_t i = 0; i < operation->inputs().size(); ++i)
                if (operation->inputs()[i].node->kind() == NodeKind::leaf) f(operation->operand(i));
            continue;
        }
        for (std::size_t i = 0; i < operand_count(*node); ++i)
            if (node_below(*node, i).kind() == NodeKind::leaf) f(operand_of(*node, i));
    }
    for (const TracedOutputs& program : programs)
        for (const Operand& output : program.outputs)
            if (output.node->kind() == NodeKind::leaf) f(output);
}

} // namespace

LeafParts::LeafParts(std::span<const Node* const> nodes, std::span<const TracedOutputs> programs,
                     const std::string& places) {
    for_leaf_operands(nodes, programs, [&](const Operand& operand) { add(operand); });
    bool is_any_moved = false;
    for (const Node* const node : nodes) {
        const auto* const leaf = node_as<Leaf>(*node);
        if (leaf == nullptr) continue;
        LeafPart& part = *parts_.find(node);
        if (part.count > 0) part.place = place_in(places, *leaf);
        if (part.place || leaf->known_storage_kind() == Kind::sparse ||
            (part.view && part.view->size() >= part.count))
            part.view.reset();
        is_any_moved = is_any_moved || (part.first > 0 && !part.view);
    }
    if (!is_any_moved) return;
    for_leaf_operands(nodes, programs, [&](const Operand& operand) {
        LeafPart& part = *parts_.find(operand.node.get());
        if (part.first == 0 || part.view || operand.dims.size() == 0 ||
            is_movable(operand.dims, part.first))
            return;
        part.count += part.first;
        part.first = 0;
    });
    for (const Node* const node : nodes)
        if (LeafPart* const part = parts_.find(node); part != nullptr && part->place)
            part->place->offset += part->first * node->dtype().size_bytes();
}

void LeafParts::add(const Operand& operand) {
    const auto [part, is_new] = parts_.try_emplace(operand.node.get());
    const AddressRange range = operand.dims.address_range();
    if (range.empty) return;
    if (part.count == 0) {
        part.first = range.lowest;
        part.count = range.highest - range.lowest + 1;
        part.view = operand.dims;
        return;
    }
    const index_t end = std::max(part.first + part.count, range.highest + 1);
    part.first = std::min(part.first, range.lowest);
    part.count = end - part.first;
    if (part.view && *part.view != operand.dims) part.view.reset();
}

const Dimensions& LeafParts::dims_of(const Operand& operand, Dimensions& room) const {
    if (operand.node->kind() != NodeKind::leaf || operand.dims.size() == 0) return operand.dims;
    const LeafPart& part = *parts_.find(operand.node.get());
    if (part.view) return room = Dimensions::row_major(operand.dims.max_shape());
    return part.first == 0 ? operand.dims : room = moved(operand.dims, part.first);
}

} // namespace purview::saved
