#include "engine/contract/factor_pair.hpp"

#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/elementwise.hpp>

#include <purview/expression/graph.hpp>

#include <algorithm>

namespace purview::inline v0_1::engine {
namespace {

AxisSet first_axes(std::size_t count) noexcept {
    return count >= 64 ? ~AxisSet{0} : (AxisSet{1} << count) - 1;
}

/// Whether elements of type `dtype` are summed in type `result`.
bool is_summed_in(DType dtype, DType result) {
    if (!dtype.is_builtin()) return false;
    return visit_dtype(dtype, "sum", [&]<typename T>(std::type_identity<T>) {
        return kDType<Accumulated<T>> == result;
    });
}

/// The product below the root, before it is cast to the type of the sum. Without a node if elements
/// of its type are not summed in that type.
Operand product_below(const Operand& source) {
    Operand product = source;
    const auto* const operation = node_as<Elementwise>(*source.node);
    if (operation != nullptr &&
        (operation->op() == Op::cast || operation->op() == Op::wrapping_cast))
        product = seen_through(source.dims, operation->operand(0));
    return is_summed_in(product.dtype(), source.dtype()) ? product : Operand{};
}

/// Takes a product of two bools apart, which `flatten_product` does not: it is a conjunction.
/// Nested ones are not looked for.
bool flatten_conjunction(const Operand& product, ProductTree& tree) {
    const auto* const operation = node_as<Elementwise>(*product.node);
    if (product.dtype() != boolean || operation == nullptr) return false;
    if (operation->op() != Op::multiply && operation->op() != Op::logical_and &&
        operation->op() != Op::bit_and)
        return false;
    for (const Operand& factor : operands_of(*operation))
        tree.factors.push_back(seen_through(product.dims, factor));
    return std::ranges::all_of(tree.factors,
                               [](const Operand& factor) { return factor.dtype() == boolean; });
}

SummedFactor product_of(const SummedFactor& a, const SummedFactor& b, DType dtype) {
    return {elementwise<2>(Op::multiply, dtype, {a.operand, b.operand}), a.axes | b.axes};
}

} // namespace

FactorGroups factor_groups(const Operand& source) {
    const Operand product = product_below(source);
    ProductTree tree;
    if (product.node == nullptr) return {};
    if (!flatten_conjunction(product, tree) && !flatten_product(product, tree)) return {};
    FactorGroups groups{{}, tree.scale};
    std::vector<Operand> numbers;
    for (const Operand& factor : tree.factors) {
        const Kind kind = storage_kind_of(*factor.node);
        if (kind == Kind::constant) {
            numbers.push_back(factor);
            continue;
        }
        const SummedFactor found{factor, axes_of(factor)};
        const auto alike = std::ranges::find_if(groups.factors, [&](const SummedFactor& other) {
            return other.axes == found.axes &&
                   (storage_kind_of(*other.operand.node) == Kind::sparse) == (kind == Kind::sparse);
        });
        if (alike == groups.factors.end())
            groups.factors.push_back(found);
        else
            *alike = product_of(*alike, found, product.dtype());
    }
    if (groups.factors.empty()) return {};
    for (const Operand& number : numbers) {
        // Numbers multiply a sparse factor, if there is one: it has fewer elements.
        SummedFactor& factor =
            *std::ranges::min_element(groups.factors, {}, [](const SummedFactor& each) {
                return storage_kind_of(*each.operand.node);
            });
        factor = product_of(factor, {number, 0}, product.dtype());
    }
    return groups;
}

AxisSet FactorPair::kept_axes() const noexcept { return first_axes(kept); }

index_t FactorPair::repeats() const {
    return extent_of(first_axes(shape.size()) & ~kept_axes() & ~x.axes & ~y.axes);
}

} // namespace purview::engine
