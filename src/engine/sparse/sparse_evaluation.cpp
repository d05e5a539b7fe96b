#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/places/buffers.hpp"
#include "engine/sparse/graph.hpp"
#include "engine/sparse/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace purview::inline v0_1 {

using namespace engine;

namespace {

bool is_float_product(const Node& node) {
    const auto* const operation = node_as<Elementwise>(node);
    return operation != nullptr && node.dtype().is_floating() && operation->op() == Op::multiply;
}

/// Why an expression that reads sparse tensors is not sparse.
std::string_view why_dense(const Node& node) {
    if (is_float_product(node))
        return "0 times an infinity or NaN of what is dense is NaN, which where(mask, …) leaves out";
    if (node.known_storage_kind() == Node::kUndecided)
        return "a part of it is dense or computed, and no fill decides what it is there";
    return "a part of it is dense or computed";
}

} // namespace

void check_dense_of_sparse(const char* what, const Operand& operand) {
    if (!operand.node->reads(Below::sparse) || operand.dims.size() <= kLargestDenseOfSparse) return;
    throw KindError(fmt::format("{}: a tensor of shape {} made of sparse ones would be realised as "
                                "dense ({}); write to_dense to have that",
                                what, to_string(operand.dims.max_shape()),
                                why_dense(*operand.node)));
}

void require_not_sparse(const char* what, const Operand& operand) {
    if (!is_sparse(operand)) return;
    throw KindError(fmt::format("{}: a tensor of shape {} is sparse, and this has no sparse form; "
                                "write to_dense",
                                what, to_string(operand.dims.max_shape())));
}

struct SparseEvaluation::State {
    State(const Operand& source, const char* what, const SparseParts* parts) : root(source) {
        std::optional<MergedPairs> merged = merge_leaves(root);
        if (merged) {
            fill = {std::move(merged->fill), Dimensions()};
        } else {
            graph.emplace(root, what, parts);
            fill = graph->fill();
            merged = merge_sources(*graph, what);
        }
        if (merged) {
            indexes = std::move(merged->indexes);
            stored = merged->stored;
            values = {make_node<Leaf>(merged->values),
                      Dimensions::row_major(ShapeSpan(&stored, 1))};
            if (merged->are_pruned) computed = std::move(merged->values);
            return;
        }
        if (const SparseSource* const pairs = graph->source(SparseGraph::kRoot);
            pairs != nullptr && root.dtype().is_builtin()) {
            copy_pairs(*pairs, what);
            return;
        }
        support = graph->support();
        stored = support.count();
        values = graph->compact(SparseGraph::kRoot, support);
        if (support.own != nullptr && support.own->memory().data == support.indexes.data())
            indexes = support.own;
    }

    /// In a buffer of their own: those of a leaf are copied by the first call.
    const BufferPtr<index_t>& own_indexes() const {
        if (indexes == nullptr) {
            BufferPtr<index_t> own = allocate_uninitialized_buffer<index_t>(stored);
            std::ranges::copy(support.indexes, data_of(own));
            indexes = std::move(own);
        }
        return indexes;
    }

    /// Moves the pairs of a view straight into the memory in which they stay.
    void copy_pairs(const SparseSource& source, const char* what) {
        visit_dtype(root.dtype(), what, [&]<typename T>(std::type_identity<T>) {
            MovedValues<T> moved = move_values<T>(source.pairs(), source.view(), what);
            indexes = std::move(moved.indexes);
            computed = std::move(moved.values);
        });
        stored = indexes->size();
        values = {make_node<Leaf>(computed), Dimensions::row_major(ShapeSpan(&stored, 1))};
    }

    Operand root;
    std::optional<SparseGraph> graph; ///< of what is not merged from two leaves
    IndexSpan support; ///< where nothing was merged or moved: perhaps the memory of a leaf
    mutable BufferPtr<index_t> indexes;
    Operand values;
    Operand fill;
    std::shared_ptr<const AnyReader> computed;
    index_t stored = 0;
};

SparseEvaluation::SparseEvaluation(const Operand& source, const char* what,
                                   const SparseParts* parts) {
    if (storage_kind_of(*source.node) > Kind::sparse)
        throw KindError(fmt::format("{}: this tensor of {} is not sparse: {}; write to_sparse",
                                    what, source.dtype().name(),
                                    source.node->reads(Below::sparse) ? why_dense(*source.node)
                                                                      : "it is dense or computed"));
    state_ = Hidden<State>(new State(source, what, parts));
}
SparseEvaluation::~SparseEvaluation() = default;
SparseEvaluation::SparseEvaluation(SparseEvaluation&&) noexcept = default;
SparseEvaluation& SparseEvaluation::operator=(SparseEvaluation&&) noexcept = default;

void read_fill(const SparseEvaluation& pairs, void* fill) {
    try {
        Evaluation(pairs.fill()).read(0, 1, fill);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (...) {
        if (pairs.stored() < pairs.size()) throw;
    }
}

std::shared_ptr<AnyReader> realise_sparse(const Operand& source, const char* what) {
    return visit_dtype(source.dtype(), what,
                       [&]<typename T>(std::type_identity<T>) -> std::shared_ptr<AnyReader> {
                           return realise_sparse<T>(source, what);
                       });
}
#define PURVIEW_DEFINE_REALISE_SPARSE(T) \
 template PURVIEW_EXPORT SparseBufferPtr<T> realise_sparse<T>(const Operand&, const char*);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_REALISE_SPARSE)
#undef PURVIEW_DEFINE_REALISE_SPARSE

DType SparseEvaluation::dtype() const noexcept { return state_->root.dtype(); }
index_t SparseEvaluation::size() const noexcept { return state_->root.dims.size(); }
index_t SparseEvaluation::stored() const noexcept { return state_->stored; }
const BufferPtr<index_t>& SparseEvaluation::indexes() const { return state_->own_indexes(); }
std::span<const index_t> SparseEvaluation::stored_indexes() const noexcept {
    if (state_->indexes == nullptr) return state_->support.indexes;
    return std::span(data_of(state_->indexes), static_cast<std::size_t>(state_->stored));
}
const Operand& SparseEvaluation::values() const noexcept { return state_->values; }
const Operand& SparseEvaluation::fill() const noexcept { return state_->fill; }
bool SparseEvaluation::is_operation() const noexcept {
    return state_->root.node->kind() == NodeKind::elementwise;
}
const std::shared_ptr<const AnyReader>& SparseEvaluation::computed() const noexcept {
    return state_->computed;
}

} // namespace purview
