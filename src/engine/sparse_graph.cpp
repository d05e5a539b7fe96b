#include "engine/sparse_graph.hpp"

#include <purview/base/errors.hpp>

#include "engine/sparse_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::engine {
namespace {

/// Operations that a 0 in one operand decides, if the other one is finite.
bool is_product(const Elementwise& operation) {
    return operation.dtype().is_builtin() &&
           (operation.op() == Op::multiply || operation.op() == Op::logical_and ||
            operation.op() == Op::bit_and);
}

std::string_view why_not(const Node& node) {
    if (node.kind() == NodeKind::gather) return "a gather by computed indexes has no sparse form";
    return node.reads_sparse() ? "a part of it is dense or computed" : "it is dense or computed";
}

} // namespace

SparseGraph::SparseGraph(const Operand& root, const char* what)
    : values_(root),
      order_(evaluation_order(values_)),
      sources_(values_.size()),
      constants_(values_.size()),
      supports_(values_.size()) {
    for (ValueId id = 0; id < values_.size(); ++id) {
        const Value& value = values_[id];
        const Node& node = *value.node;
        if (node.kind() == NodeKind::elementwise) continue;
        if (node.reveals() == Kind::sparse) {
            sources_[id] = std::make_unique<SparseSource>(node, *value.view, what);
        } else if (node.kind() == NodeKind::constant) {
            constants_[id] = NodePtr(&node);
        } else if (node.reveals() == Kind::constant) {
            ElementBlock element(node.dtype(), 1);
            value.leaf()->reader().read_into(0, 1, 1, element.data());
            constants_[id] = block_constant(node.dtype(), element.data());
        } else {
            throw KindError(fmt::format("{}: this tensor is not sparse: {}", what, why_not(node)));
        }
    }
}

IndexSpan SparseGraph::support(ValueId id) {
    // Once, operands before their users: each product asks for the support of its operands.
    if (!std::exchange(products_resolved_, true))
        for (const ValueId each : order_)
            if (const Elementwise* const operation = values_[each].operation();
                operation != nullptr && is_product(*operation))
                resolve_product(each);
    if (supports_[id]) return *supports_[id];
    std::vector<IndexSpan> lists;
    std::vector<bool> seen(values_.size(), false);
    std::vector<ValueId> stack{id};
    while (!stack.empty()) {
        const ValueId next = stack.back();
        stack.pop_back();
        if (seen[next]) continue;
        seen[next] = true;
        if (supports_[next]) {
            lists.push_back(*supports_[next]);
        } else if (sources_[next] != nullptr) {
            const MovedEntries& moved = sources_[next]->moved();
            supports_[next] = IndexSpan{moved.indexes, moved.own};
            lists.push_back(*supports_[next]);
        } else {
            for (const ValueId operand : values_.operands(next)) stack.push_back(operand);
        }
    }
    supports_[id] = union_of(std::move(lists));
    return *supports_[id];
}

SparseGraph::FillKind SparseGraph::fill_kind(ValueId id) {
    const Operand operand = fill(id);
    ElementBlock element(operand.dtype(), 1);
    try {
        Evaluation(operand).read(0, 1, element.data());
    } catch (const Error&) {
        return FillKind::other; // whoever needs it will throw
    }
    return is_zero(operand.dtype(), element.data())     ? FillKind::zero
           : is_finite(operand.dtype(), element.data()) ? FillKind::finite
                                                        : FillKind::other;
}

IndexSpan SparseGraph::not_finite(ValueId id) {
    const DType dtype = values_[id].node->dtype();
    if (!dtype.is_floating() || constants_[id] != nullptr) return {};
    if (sources_[id] != nullptr) return sources_[id]->not_finite();
    const IndexSpan indexes = support(id);
    if (indexes.count() == 0) return {};
    ElementBlock elements(dtype, indexes.count());
    Evaluation(compact(id, indexes)).read(0, indexes.count(), elements.data());
    std::vector<std::uint8_t> keep(indexes.indexes.size());
    bool any = false;
    for (index_t i = 0; i < indexes.count(); ++i) {
        const bool finite = is_finite(dtype, elements.at(i));
        keep[static_cast<std::size_t>(i)] = !finite;
        any |= !finite;
    }
    return any ? selected_of(indexes, keep) : IndexSpan{};
}

IndexSpan SparseGraph::intersection(ValueId x, ValueId y) {
    if (constants_[x] != nullptr || constants_[y] != nullptr) return {};
    const auto repeats = [&](ValueId id) {
        return sources_[id] != nullptr && sources_[id]->repeats() && !supports_[id];
    };
    // Of two that repeat what they store, the one that becomes less is spelt out.
    if (repeats(x) && repeats(y) && sources_[x]->pairs().stored() < sources_[y]->pairs().stored())
        return sources_[y]->stored_of(support(x));
    if (repeats(x) && !repeats(y)) std::swap(x, y);
    if (repeats(y)) return sources_[y]->stored_of(support(x));
    return intersection_of(support(x), support(y));
}

void SparseGraph::resolve_product(ValueId id) {
    const ValueId x = values_.operands(id)[0];
    const ValueId y = values_.operands(id)[1];
    const FillKind of_x = fill_kind(x);
    const FillKind of_y = fill_kind(y);
    // 0 decides, whatever finite number the other operand has.
    const bool by_x = of_x == FillKind::zero && of_y != FillKind::other;
    const bool by_y = of_y == FillKind::zero && of_x != FillKind::other;
    if (!by_x && !by_y) return;
    std::vector<IndexSpan> lists;
    if (by_x && by_y) {
        lists = {intersection(x, y), not_finite(x), not_finite(y)};
    } else if (by_x) {
        lists = {support(x), not_finite(y)};
    } else {
        lists = {support(y), not_finite(x)};
    }
    supports_[id] = union_of(std::move(lists));
}

template <typename LeafOperand>
Operand SparseGraph::rebuild(ValueId id, LeafOperand&& leaf_operand, ShapeSpan shape) {
    const Dimensions whole = Dimensions::row_major(shape);
    const Dimensions anywhere = Dimensions::strided(shape, Shape(shape.size(), 0));
    std::vector<Operand> made(values_.size());
    std::vector<bool> needed(values_.size(), false);
    needed[id] = true;
    for (auto each = order_.rbegin(); each != order_.rend(); ++each)
        if (needed[*each])
            for (const ValueId operand : values_.operands(*each)) needed[operand] = true;
    for (const ValueId each : order_) {
        if (!needed[each]) continue;
        if (constants_[each] != nullptr) {
            made[each] = {constants_[each], anywhere};
        } else if (sources_[each] != nullptr) {
            made[each] = leaf_operand(*sources_[each]);
        } else {
            std::vector<Operand> operands;
            for (const ValueId operand : values_.operands(each)) operands.push_back(made[operand]);
            made[each] = {
                make_node<ElementwiseList>(*values_[each].operation(), std::move(operands)), whole};
        }
    }
    return made[id];
}

Operand SparseGraph::compact(ValueId id, const IndexSpan& indexes) {
    const index_t count = indexes.count();
    return rebuild(
        id, [&](const SparseSource& source) { return source.values_at(indexes); },
        ShapeSpan(&count, 1));
}

Operand SparseGraph::fill(ValueId id) {
    return rebuild(
        id,
        [](const SparseSource& source) {
            return Operand{block_constant(source.dtype(), source.pairs().fill), Dimensions()};
        },
        {});
}

} // namespace purview::engine
