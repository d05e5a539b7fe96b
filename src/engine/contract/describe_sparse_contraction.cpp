// Defines engine/contract/contract_sparse.hpp.

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/contract/contract_many.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/product_tree.hpp"
#include "expression/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

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
    FactorGroups found = factor_groups(source);
    if (found.factors.size() < 2) return {};
    const bool all_sparse = std::ranges::all_of(found.factors, is_sparse_factor);
    if (found.factors.size() > 2)
        return all_sparse && has_pairwise_order(source, groups)
                   ? fmt::format("{} sparse factors, pair by pair", found.factors.size())
                   : std::string();
    FactorPair pair = pair_of(std::move(found), source, groups);
    if (all_sparse && pair.is_elementwise()) return {};
    if (!is_sparse_factor(pair.x)) pair.swap();
    if (!is_sparse_factor(pair.x)) return {};
    // Not by `contract_with_dense`: the dense factor is read only where something is stored, or
    // BLAS is faster, or products wrap before they are summed.
    if (!all_sparse &&
        (is_sparse(source) || is_left_to_blas(pair) || (pair.is_narrow() && !pair.of_y().empty())))
        return {};
    const index_t k = pair.extent_of(pair.k());
    const index_t batch = pair.extent_of(pair.batch());
    std::string text =
        fmt::format("sparse product of [{}×{}] with {} and {}[{}×{}]", pair.extent_of(pair.m()), k,
                    pairs_of(pair.x), all_sparse ? "" : "dense ", k, pair.extent_of(pair.n()));
    if (all_sparse) text += " with " + pairs_of(pair.y);
    text += ", row by row";
    if (batch > 1) text += fmt::format(", batch {}", batch);
    if (!all_sparse && factor_at(pair.y.operand).memory == nullptr)
        text += ", the dense factor computed first";
    return text + (source.dtype().is_floating()
                       ? "; if fills are 0 and all elements finite, else by the products of all"
                       : "; if fills are 0, else by the products of all");
}

} // namespace purview
