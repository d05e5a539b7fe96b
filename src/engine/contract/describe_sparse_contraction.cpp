// Defines engine/contract/contract_sparse.hpp.

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/contract/contract_many.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "expression/graph.hpp"

#include <fmt/format.h>

#include <span>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

std::string pairs_of(const SummedFactor& factor) {
    return fmt::format("{} stored below", stored_below(factor.operand));
}

} // namespace

index_t engine::stored_below(const Operand& source) {
    index_t stored = 0;
    for (const Node* const node : nodes_below(std::span(&source, 1)))
        if (node->kind() == NodeKind::leaf && storage_kind_of(*node) == Kind::sparse)
            stored += static_cast<const Leaf*>(node)->reader().pairs().stored();
    return stored;
}

std::string describe_sparse_contraction(const Operand& source, index_t groups) {
    using Kind = SparseWay::Kind;
    const SparseWay way = choose_sparse_way(source, groups);
    if (way.kind == Kind::none) return {};
    if (way.kind == Kind::many_factors)
        return has_pairwise_order(source, groups)
                   ? fmt::format("{} factors, sparse ones among them, pair by pair", way.factors)
                   : std::string();
    const bool all_sparse = way.kind == Kind::both_sparse;
    const FactorPair& pair = *way.pair;
    const index_t k = pair.extent_of(pair.k());
    const index_t batch = pair.extent_of(pair.batch());
    std::string text =
        fmt::format("sparse product of [{}×{}] with {} and {}[{}×{}]", pair.extent_of(pair.m()), k,
                    pairs_of(pair.x), all_sparse ? "" : "dense ", k, pair.extent_of(pair.n()));
    if (all_sparse) text += " with " + pairs_of(pair.y);
    text += way.kind == Kind::dense_vector ? ", entry by entry" : ", row by row";
    if (batch > 1) text += fmt::format(", batch {}", batch);
    if (!all_sparse && factor_at(pair.y.operand).memory == nullptr)
        text += ", the dense factor computed first";
    return text + (source.dtype().is_floating()
                       ? "; if fills are 0 and all elements finite, else by the products of all"
                       : "; if fills are 0, else by the products of all");
}

} // namespace purview
