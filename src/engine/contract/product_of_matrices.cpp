// Defines purview/evaluation/matrix_products.hpp.
#include <purview/evaluation/matrix_products.hpp>

#include "engine/contract/contract.hpp"

#include <initializer_list>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// The axes of some classes, one class after the other.
template <typename Of>
Shape in_classes(std::initializer_list<const ContractedAxes*> classes, Of of) {
    Shape all;
    for (const ContractedAxes* const axes : classes)
        for (const ContractedAxis& axis : *axes) all.push_back(of(axis));
    return all;
}

} // namespace

std::optional<ProductOfMatrices> product_of_matrices(const Operand& source, index_t groups) {
    ProductWay way;
    find_factors(source, groups, is_nested_product(source), way);
    const auto& found = way.contraction;
    if (!found) return {};
    const auto& [batch, m, n, k] = static_cast<const ClassedAxes&>(*found);
    const auto root = [](const ContractedAxis& axis) { return static_cast<index_t>(axis.root); };
    const auto extent = [](const ContractedAxis& axis) { return axis.extent; };
    const auto place = [](const ContractedAxis& axis) { return axis.c; };
    return ProductOfMatrices{over_axes(found->a.operand, in_classes({&batch, &m, &k}, root)),
                             over_axes(found->b.operand, in_classes({&batch, &k, &n}, root)),
                             Dimensions::strided(in_classes({&batch, &m, &n}, extent),
                                                 in_classes({&batch, &m, &n}, place)),
                             batch.size(),
                             m.size(),
                             n.size(),
                             k.size(),
                             found->scale};
}

bool sum_pair_by_pair(const Operand& source, index_t groups,
                      FunctionRef<NodePtr(const Operand&, index_t, bool)> sum) {
    ProductWay way;
    find_factors(source, groups, is_nested_product(source), way);
    if (way.kind != ProductWay::Kind::many_factors) return false;
    visit_pairs(source, way.tree, groups, *way.pairs, sum);
    return true;
}

} // namespace purview
