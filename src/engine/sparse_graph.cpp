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
    if (node.kind() == NodeKind::gather) return "what it gathers from is dense or computed";
    return node.reads_sparse() ? "a part of it is dense or computed" : "it is dense or computed";
}

/// A strided view without the axes along which it repeats elements, and the view that repeats those again.
struct Repetition {
    Dimensions once;
    Dimensions again;
};

std::optional<Repetition> repetition_of(const Dimensions& view) {
    if (!view.is_strided() || !view.is_broadcast() || view.size() == 0) return std::nullopt;
    Shape extents;
    Shape strides;
    for (std::size_t a = 0; a < view.strides().size(); ++a) {
        if (view.strides()[a] == 0) continue;
        extents.push_back(view.max_shape()[a]);
        strides.push_back(view.strides()[a]);
    }
    const Dimensions packed = Dimensions::row_major(extents);
    Shape again;
    for (std::size_t a = 0, kept = 0; a < view.strides().size(); ++a)
        again.push_back(view.strides()[a] == 0 ? 0 : packed.strides()[kept++]);
    return Repetition{Dimensions::strided(extents, strides, view.base()),
                      Dimensions::strided(view.max_shape(), again)};
}

/// An operation on constants as a constant; as it is where another one is below, or computing it throws: the error
/// belongs to whoever reads it.
Operand computed_constant(Operand operation) {
    for (const Operand& operand : static_cast<const Elementwise&>(*operation.node).operands())
        if (operand.node->kind() != NodeKind::constant) return operation;
    ElementBlock element(operation.dtype(), 1);
    try {
        Evaluation(operation).read(0, 1, element.data());
    } catch (const Error&) {
        return operation;
    }
    return {block_constant(operation.dtype(), element.data()), Dimensions()};
}

} // namespace

SparseGraph::SparseGraph(const Operand& root, const char* what, const SparseParts* parts)
    : what_(what),
      values_(root),
      order_(evaluation_order(values_)),
      places_(values_.size()),
      marks_(values_.size()),
      sources_(values_.size()),
      constants_(values_.size()),
      supports_(values_.size()),
      made_(values_.size()) {
    if (parts == nullptr) parts = &own_parts_.emplace(values_, what);
    for (std::size_t i = 0; i < order_.size(); ++i)
        places_[order_[i]] = static_cast<std::uint32_t>(i);
    std::vector<bool> needed(values_.size(), false);
    needed[kRoot] = true;
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
        if (!needed[*id] || is_known(*id)) continue;
        const Elementwise* const operation = values_[*id].operation();
        if (operation == nullptr) {
            take_leaf(*id, *parts);
            continue;
        }
        for (const ValueId operand : values_.operands(*id)) {
            needed[operand] = true;
            if (is_product(*operation)) take_repeated(operand, *parts);
        }
    }
}

void SparseGraph::take_leaf(ValueId id, const SparseParts& parts) {
    const Value& value = values_[id];
    const Node& node = *value.node;
    if (node.reveals() == Kind::sparse) {
        sources_[id] = std::make_unique<SparseSource>(
            node.dtype(),
            value.is_block_source() ? parts[node] : listed_pairs(value.leaf()->reader()),
            *value.view, what_);
    } else if (node.kind() == NodeKind::constant) {
        constants_[id] = NodePtr(&node);
    } else if (node.reveals() == Kind::constant) {
        ElementBlock element(node.dtype(), 1);
        value.leaf()->reader().read_into(0, 1, 1, element.data());
        constants_[id] = block_constant(node.dtype(), element.data());
    } else {
        throw KindError(fmt::format("{}: this tensor is not sparse: {}", what_, why_not(node)));
    }
}

void SparseGraph::take_repeated(ValueId id, const SparseParts& parts) {
    const Value& value = values_[id];
    if (is_known(id) || value.operation() == nullptr || value.node->reveals() != Kind::sparse)
        return;
    const std::optional<Repetition> repetition = repetition_of(*value.view);
    if (!repetition) return;
    const SparseEvaluation once({NodePtr(value.node), repetition->once}, what_, parts);
    sources_[id] = std::make_unique<SparseSource>(value.node->dtype(), own_pairs(once),
                                                  repetition->again, what_);
}

template <typename Ends>
std::vector<ValueId> SparseGraph::below(ValueId id, Ends&& ends) {
    ++walks_;
    marks_[id] = walks_;
    std::vector<ValueId> found{id};
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (ends(found[i])) continue;
        for (const ValueId operand : values_.operands(found[i]))
            if (std::exchange(marks_[operand], walks_) != walks_) found.push_back(operand);
    }
    std::ranges::sort(found, {}, [&](ValueId each) { return places_[each]; });
    return found;
}

IndexSpan SparseGraph::support(ValueId id) {
    // Once, operands before their users: each product asks for the support of its operands.
    if (!std::exchange(products_resolved_, true)) resolve_products();
    if (supports_[id]) return *supports_[id];
    std::vector<IndexSpan> lists;
    const auto ends = [&](ValueId each) { return supports_[each] || sources_[each] != nullptr; };
    for (const ValueId each : below(id, ends)) {
        if (!supports_[each] && sources_[each] != nullptr) {
            const MovedEntries& moved = sources_[each]->moved();
            supports_[each] = IndexSpan{moved.indexes, moved.own};
        }
        if (supports_[each]) lists.push_back(*supports_[each]);
    }
    supports_[id] = union_of(std::move(lists));
    return *supports_[id];
}

void SparseGraph::find_fills(bool computed) {
    fills_.assign(values_.size(), {});
    for (const ValueId id : below(kRoot, [&](ValueId each) { return is_known(each); })) {
        if (constants_[id] != nullptr) {
            fills_[id] = {constants_[id], Dimensions()};
        } else if (sources_[id] != nullptr) {
            const SparseSource& source = *sources_[id];
            fills_[id] = {block_constant(source.dtype(), source.pairs().fill), Dimensions()};
        } else {
            std::vector<Operand> operands;
            for (const ValueId operand : values_.operands(id)) operands.push_back(fills_[operand]);
            fills_[id] = {make_node<ElementwiseList>(*values_[id].operation(), std::move(operands)),
                          Dimensions()};
            if (computed) fills_[id] = computed_constant(std::move(fills_[id]));
        }
    }
}

Operand SparseGraph::fill() {
    if (fills_.empty()) find_fills(false);
    return fills_[kRoot];
}

SparseGraph::FillKind SparseGraph::fill_kind(ValueId id) const {
    const Node& node = *fills_[id].node;
    if (node.kind() != NodeKind::constant) return FillKind::other; // whoever needs it will throw
    const void* const element = static_cast<const Constant&>(node).value();
    return is_zero(node.dtype(), element)     ? FillKind::zero
           : is_finite(node.dtype(), element) ? FillKind::finite
                                              : FillKind::other;
}

void SparseGraph::realise(ValueId id) {
    const IndexSpan indexes = support(id);
    const index_t count = indexes.count();
    const DType dtype = values_[id].node->dtype();
    auto values = std::make_unique<ElementBlock>(dtype, count);
    if (count > 0) Evaluation(compact(id, indexes)).read(0, count, values->data());
    OwnPairs own{indexes, std::make_shared<CompactReader>(dtype, count, std::move(values)),
                 std::make_unique<ElementBlock>(dtype, 1)};
    Evaluation(fills_[id]).read(0, 1, own.fill->data());
    sources_[id] = std::make_unique<SparseSource>(
        dtype, std::move(own), Dimensions::row_major(values_[id].view->max_shape()), what_);
}

IndexSpan SparseGraph::not_finite(ValueId id) {
    const DType dtype = values_[id].node->dtype();
    if (!dtype.is_floating() || constants_[id] != nullptr) return {};
    if (sources_[id] == nullptr) realise(id);
    return sources_[id]->not_finite();
}

IndexSpan SparseGraph::intersection(ValueId x, ValueId y) {
    if (constants_[x] != nullptr || constants_[y] != nullptr) return {};
    const auto repeats = [&](ValueId id) {
        return sources_[id] != nullptr && sources_[id]->repeats() && !supports_[id];
    };
    // Of two that repeat what they store, the one that becomes less is spelt out.
    if (repeats(x) && (!repeats(y) || sources_[y]->spelt_out() < sources_[x]->spelt_out()))
        std::swap(x, y);
    if (repeats(y)) return sources_[y]->stored_of(support(x));
    return intersection_of(support(x), support(y));
}

void SparseGraph::resolve_products() {
    std::vector<ValueId> products = below(kRoot, [&](ValueId each) { return is_known(each); });
    std::erase_if(products, [&](ValueId id) {
        const Elementwise* const operation = values_[id].operation();
        return is_known(id) || operation == nullptr || !is_product(*operation);
    });
    if (products.empty()) return;
    find_fills(true);
    for (const ValueId id : products) resolve_product(id);
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

Operand SparseGraph::compact(ValueId id, const IndexSpan& indexes) {
    const index_t count = indexes.count();
    const ShapeSpan shape(&count, 1);
    const Dimensions whole = Dimensions::row_major(shape);
    const Dimensions anywhere = Dimensions::strided(shape, Shape{0});
    const std::vector<ValueId> all = below(id, [&](ValueId each) { return is_known(each); });
    for (const ValueId each : all) {
        if (constants_[each] != nullptr) {
            made_[each] = {constants_[each], anywhere};
        } else if (sources_[each] != nullptr) {
            made_[each] = sources_[each]->values_at(indexes);
        } else {
            std::vector<Operand> operands;
            for (const ValueId operand : values_.operands(each)) operands.push_back(made_[operand]);
            made_[each] = {
                make_node<ElementwiseList>(*values_[each].operation(), std::move(operands)), whole};
        }
    }
    Operand result = made_[id];
    for (const ValueId each : all) made_[each] = {};
    return result;
}

} // namespace purview::engine
