#include "engine/sparse/graph.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/evaluation/sparsity.hpp>

#include <purview/expression/graph.hpp>

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <ranges>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Entries that a view repeats are not expanded to more than this, and this many times what is
/// stored, and this part of all elements: such a result is dense.
constexpr double kManyExpanded = 1 << 24;
constexpr double kManyTimesStored = 16;
constexpr double kMostElements = 0.125;

/// The elements of a dense operand at row-major indexes, lazily: an operand of shape `[count]`. The
/// memory of the list must outlive it.
Operand gathered_at(const Operand& source, const IndexSpan& list) {
    const index_t size = source.dims.size();
    const index_t count = list.count();
    Operand flat{source.node, dimensions::reshape(source.dims, ShapeSpan(&size, 1))};
    Operand indexes = compact_leaf(std::make_shared<CompactReader>(
        int64, count, MemoryView{list.indexes.data(), sizeof(index_t)}));
    const ShapeSpan shape(&count, 1);
    Dimensions dims = Dimensions::row_major(shape);
    return {make_node<Gather>("sparse evaluation",
                              Gather::Operands{std::move(flat), std::move(indexes)},
                              GatherAxes{GatherAxis::at(0)}, shape),
            std::move(dims)};
}

} // namespace

SparseGraph::SparseGraph(const Operand& root, const char* what, const SparseParts* parts)
    : what_(what),
      values_(root),
      order_(evaluation_order(values_)),
      places_(values_.size()),
      marks_(values_.size()),
      is_sparse_(values_.size()),
      sources_(values_.size()),
      constants_(values_.size()),
      supports_(values_.size()),
      fills_(values_.size()),
      made_(values_.size()) {
    if (parts == nullptr) parts = &own_parts_.emplace(values_, what);
    for (std::size_t i = 0; i < order_.size(); ++i)
        places_[order_[i]] = static_cast<std::uint32_t>(i);
    std::vector<bool> needed(values_.size(), false);
    needed[kRoot] = is_sparse_[kRoot] = true;
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) {
        if (!needed[*id] || sources_[*id] != nullptr) continue;
        if (values_[*id].operation() == nullptr) take_leaf(*id, *parts);
        for (const ValueId operand : values_.operands(*id)) {
            needed[operand] = true;
            if (!is_sparse_[*id] || storage_kind_of(*values_[operand].node) > Kind::sparse)
                continue;
            is_sparse_[operand] = true;
            if (values_.operands(*id).size() > 1) take_repeated(operand, *parts);
        }
    }
    std::erase_if(order_, [&](ValueId id) { return !needed[id]; });
    find_fills();
}

void SparseGraph::take_leaf(ValueId id, const SparseParts& parts) {
    const Value& value = values_[id];
    const Node& node = *value.node;
    if (node.kind() == NodeKind::constant) {
        constants_[id] = NodePtr(&node);
    } else if (is_sparse_[id] && storage_kind_of(node) == Kind::sparse) {
        sources_[id] = std::make_unique<SparseSource>(
            node.dtype(),
            value.is_block_source() ? parts[node] : listed_pairs(value.leaf()->reader()),
            *value.view, what_);
    } else if (is_sparse_[id]) {
        ElementBlock element(node.dtype(), 1);
        value.leaf()->reader().read_into(0, 1, 1, element.data());
        constants_[id] = block_constant(node.dtype(), element.data());
    }
}

void SparseGraph::take_repeated(ValueId id, const SparseParts& parts) {
    const Value& value = values_[id];
    if (sources_[id] != nullptr || value.operation() == nullptr ||
        storage_kind_of(*value.node) != Kind::sparse)
        return;
    const std::optional<Repetition> repetition = repetition_of(*value.view);
    if (!repetition) return;
    const SparseEvaluation distinct({NodePtr(value.node), repetition->distinct}, what_, &parts);
    sources_[id] = std::make_unique<SparseSource>(value.node->dtype(), own_pairs(distinct),
                                                  repetition->repeating, what_);
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

IndexSpan SparseGraph::support() {
    // Operands before their users: each decision asks for the support of its operands.
    for (const ValueId id : order_)
        if (is_sparse_[id] && values_[id].operation() != nullptr && sources_[id] == nullptr)
            resolve_decision(id);
    return support(kRoot);
}

IndexSpan SparseGraph::support(ValueId id) {
    if (supports_[id]) return *supports_[id];
    std::vector<IndexSpan> lists;
    const auto ends = [&](ValueId each) { return supports_[each] || sources_[each] != nullptr; };
    for (const ValueId each : below(id, ends)) {
        if (!supports_[each] && sources_[each] != nullptr)
            supports_[each] = sources_[each]->moved().indexes;
        if (supports_[each]) lists.push_back(*supports_[each]);
    }
    supports_[id] = union_of(std::move(lists));
    return *supports_[id];
}

void SparseGraph::find_fills() {
    // An operation on sparse and dense operands was found to be sparse by the fills of its
    // operands: those below it stay what they were found to be.
    std::vector<bool> stays(values_.size(), false);
    for (const ValueId id : std::views::reverse(order_))
        if (stays[id] || has_dense_operand(id))
            for (const ValueId operand : values_.operands(id)) stays[operand] = true;
    for (const ValueId id : order_) {
        if (!is_sparse_[id]) continue;
        const Sparsity* const found = values_[id].node->known_sparsity();
        if (constants_[id] != nullptr) {
            fills_[id] = {constants_[id], Dimensions()};
        } else if (const SparseSource* const source = sources_[id].get()) {
            // Pairs that store all elements may have any fill.
            const bool any = found != nullptr && found->fill != nullptr;
            fills_[id] = {any && source->positions().are_all
                              ? found->fill
                              : block_constant(source->dtype(), source->pairs().fill),
                          Dimensions()};
        } else if (has_dense_operand(id)) {
            fills_[id] = fills_[values_.operands(id)[decision_of_value(id)->fill_of]];
        } else {
            fills_[id] = fill_of_operation(id, !stays[id]);
        }
    }
}

std::optional<std::size_t> SparseGraph::repeated_operand(ValueId id) const {
    const std::span<const ValueId> operands = values_.operands(id);
    if (!is_sparse_[id] || operands.size() < 2) return std::nullopt;
    const auto repeated = [&](ValueId operand) { return is_repeated(operand); };
    const auto found = std::ranges::find_if(operands, repeated);
    if (found == operands.end() || std::any_of(found + 1, operands.end(), repeated))
        return std::nullopt;
    return static_cast<std::size_t>(found - operands.begin());
}

std::optional<RepeatedOperand> SparseGraph::at_repeated(ValueId id, std::size_t operand) const {
    // Elements of other types may be equal and yet differ.
    if (!values_[id].node->dtype().is_builtin()) return std::nullopt;
    std::vector<Operand> fills;
    for (const ValueId each : values_.operands(id)) {
        const Node* const fill = fills_[each].node.get();
        const bool known = fill != nullptr && fill->kind() == NodeKind::constant;
        if (!known && fills.size() != operand) return std::nullopt;
        fills.push_back(fills_[each]);
    }
    try {
        return std::optional<RepeatedOperand>(std::in_place, *values_[id].operation(),
                                              std::move(fills), operand,
                                              *sources_[values_.operands(id)[operand]]);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        return std::nullopt; // the error belongs to whoever reads the element
    }
}

Operand SparseGraph::fill_of_operation(ValueId id, bool may_be_of_most) const {
    // (A decision is by the fills of the operands.)
    if (const auto operand = may_be_of_most ? repeated_operand(id) : std::nullopt;
        operand && !decision_of_value(id))
        if (const auto repeated = at_repeated(id, *operand); repeated && repeated->are_all())
            return {block_constant(values_[id].node->dtype(), repeated->most_frequent()),
                    Dimensions()};
    std::vector<Operand> fills;
    for (const ValueId operand : values_.operands(id)) fills.push_back(fills_[operand]);
    return computed_constant({with_operands(*values_[id].operation(), fills), Dimensions()});
}

void SparseGraph::check_expanded(ValueId id, double count) const {
    double stored = 0;
    for (const auto& source : sources_)
        if (source != nullptr) stored += static_cast<double>(source->pairs().stored());
    const index_t size = values_[id].view->size();
    if (count <= kManyExpanded || count <= kManyTimesStored * stored ||
        count <= kMostElements * static_cast<double>(size))
        return;
    const Op op = values_[id].operation()->op();
    throw KindError(fmt::format(
        "{}: {} of sparse tensors would store {:.0f} of {} elements, as entries are repeated by "
        "broadcasting: write to_dense to have that{}",
        what_, name_of(op), count, size,
        op == Op::divide ? "; without rows of NaN, x / where(y == 0, 1, y)" : ""));
}

IndexSpan SparseGraph::undecided_support(ValueId id) {
    const std::span<const ValueId> operands = values_.operands(id);
    const std::size_t repeats = *repeated_operand(id);
    const SparseSource& source = *sources_[operands[repeats]];
    std::vector<IndexSpan> lists;
    for (std::size_t i = 0; i < operands.size(); ++i)
        if (i != repeats) lists.push_back(support(operands[i]));
    const Node& fill = *fills_[id].node;
    const bool known = fill.kind() == NodeKind::constant;
    if (const auto repeated = known ? at_repeated(id, repeats) : std::nullopt) {
        const std::vector<index_t> differing =
            repeated->differing(static_cast<const Constant&>(fill).value());
        check_expanded(id, source.count_after_repetition(std::ssize(differing)));
        lists.push_back(source.moved(differing));
    } else {
        check_expanded(id, source.count_after_repetition());
        lists.push_back(support(operands[repeats]));
    }
    return union_of(std::move(lists));
}

bool SparseGraph::has_dense_operand(ValueId id) const {
    if (!is_sparse_[id] || values_[id].operation() == nullptr) return false;
    return std::ranges::any_of(values_.operands(id), [&](ValueId operand) {
        return storage_kind_of(*values_[operand].node) > Kind::sparse;
    });
}

std::optional<FillDecision> SparseGraph::decision_of_value(ValueId id) const {
    const Elementwise& operation = *values_[id].operation();
    boost::container::small_vector<Sparsity, 3> operands;
    std::optional<FillDecision> decision;
    if (may_be_decided(operation)) {
        for (const ValueId each : values_.operands(id)) {
            const Kind kind = storage_kind_of(*values_[each].node);
            Sparsity operand{constants_[each] != nullptr ? Kind::constant
                                                         : std::max(kind, Kind::sparse),
                             nullptr};
            if (const NodePtr& fill = fills_[each].node;
                kind <= Kind::sparse && fill != nullptr && fill->kind() == NodeKind::constant)
                operand.fill = fill;
            operands.push_back(std::move(operand));
        }
        decision = decision_of(operation, {operands.data(), operands.size()});
    }
    if (!decision && has_dense_operand(id))
        throw KindError(fmt::format("{}: the fill of a sparse reader has changed, and no longer "
                                    "decides what {} is where it is combined with what is dense",
                                    what_, name_of(operation.op())));
    return decision;
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

bool SparseGraph::stores_one_of(ValueId id, std::span<const IndexSpan> lists) {
    if (constants_[id] != nullptr || is_repeated(id)) return false;
    const IndexSpan own = support(id);
    return std::ranges::any_of(lists, [&](const IndexSpan& list) {
        return list.indexes.data() == own.indexes.data() && list.count() == own.count();
    });
}

IndexSpan SparseGraph::intersection(ValueId id, ValueId x, ValueId y) {
    if (constants_[x] != nullptr || constants_[y] != nullptr) return {};
    // If both repeat their entries, the one with fewer entries after repetition is expanded.
    if (is_repeated(x) && (!is_repeated(y) || sources_[y]->count_after_repetition() <
                                                  sources_[x]->count_after_repetition()))
        std::swap(x, y);
    if (is_repeated(x)) check_expanded(id, sources_[x]->count_after_repetition());
    if (is_repeated(y)) return sources_[y]->stored_of(support(x));
    return intersection_of(support(x), support(y));
}

void SparseGraph::resolve_decision(ValueId id) {
    const std::optional<FillDecision> decision = decision_of_value(id);
    if (!decision) {
        if (repeated_operand(id)) supports_[id] = undecided_support(id);
        return;
    }
    const std::span<const ValueId> operands = values_.operands(id);
    std::vector<IndexSpan> lists;
    for (const std::size_t i : decision->united) {
        if (is_repeated(operands[i]))
            check_expanded(id, sources_[operands[i]]->count_after_repetition());
        lists.push_back(support(operands[i]));
    }
    if (decision->intersected)
        lists.push_back(intersection(id, operands[(*decision->intersected)[0]],
                                     operands[(*decision->intersected)[1]]));
    for (const std::size_t i : decision->not_finite)
        if (!stores_one_of(operands[i], lists)) lists.push_back(not_finite(operands[i]));
    supports_[id] = union_of(std::move(lists));
}

Operand SparseGraph::compact(ValueId id, const IndexSpan& indexes) {
    const index_t count = indexes.count();
    const ShapeSpan shape(&count, 1);
    const Dimensions whole = Dimensions::row_major(shape);
    const Dimensions constant_view = Dimensions::strided(shape, Shape{0});
    const std::vector<ValueId> all =
        below(id, [&](ValueId each) { return sources_[each] != nullptr; });
    for (const ValueId each : all) {
        if (constants_[each] != nullptr) {
            made_[each] = {constants_[each], constant_view};
        } else if (sources_[each] != nullptr) {
            made_[each] = sources_[each]->values_at(indexes);
        } else if (values_[each].operation() == nullptr) {
            made_[each] = gathered_at({NodePtr(values_[each].node), *values_[each].view}, indexes);
        } else {
            std::vector<Operand> operands;
            for (const ValueId operand : values_.operands(each)) operands.push_back(made_[operand]);
            made_[each] = {with_operands(*values_[each].operation(), operands), whole};
        }
    }
    Operand result = made_[id];
    for (const ValueId each : all) made_[each] = {};
    return result;
}

} // namespace purview::engine
