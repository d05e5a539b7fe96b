// Defines purview/evaluation/matrix_products.hpp.
#include <purview/evaluation/matrix_products.hpp>

#include "engine/contract/contraction.hpp"
#include "engine/contract/product_tree.hpp"

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
    ProductTree tree;
    if (is_nested_product(source) && source.dims.size() >= kFewestProducts)
        flatten_product(source, tree);
    Reason refusal = nullptr;
    const auto found =
        find_contraction(source, groups, refusal, tree.factors.size() == 2 ? &tree : nullptr);
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

} // namespace purview
