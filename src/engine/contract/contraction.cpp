#include "engine/contract/contraction.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/lanes/complex_blocks.hpp"
#include "engine/places/load.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

const Elementwise* product_at(const Operand& source) noexcept {
    if (source.node->kind() != NodeKind::elementwise) return nullptr;
    const auto& operation = static_cast<const Elementwise&>(*source.node);
    return operation.op() == Op::multiply || is_complex_product(operation) ? &operation : nullptr;
}

/// Sets the memory and strides of a factor that can be passed to BLAS in place: strided memory,
/// aligned, at strides of whole elements.
void set_memory(Factor& factor) {
    const Leaf* const leaf = leaf_of(factor.operand);
    if (leaf == nullptr || !leaf->memory() || !factor.operand.dims.is_strided()) return;
    const index_t size = leaf->dtype().size_bytes();
    const index_t stride_bytes = leaf->memory().stride_bytes;
    const std::byte* const first = element_of(*leaf, factor.operand.dims.base());
    if (stride_bytes % size != 0 ||
        reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) != 0)
        return;
    factor.memory = first;
    for (index_t& stride : factor.strides) stride *= stride_bytes / size;
}

} // namespace

Factor factor_at(Operand operand) {
    Factor factor{std::move(operand), nullptr, {}};
    factor.strides = to_shape(factor.operand.dims.strides());
    set_memory(factor);
    return factor;
}

namespace {

Factor factor_of(const Operand& source, const Operand& operand) {
    const Dimensions& view = source.dims;
    const bool plain =
        view.is_identity() && std::ranges::equal(view.max_shape(), operand.dims.max_shape());
    return factor_at(
        {operand.node, plain ? operand.dims : dimensions::compose(view, operand.dims)});
}

/// Puts each axis into its class: batch, m, n or k. Returns why one has none, or why the sum is no
/// matrix product.
Reason classify(Contraction& contraction, ShapeSpan shape) {
    const std::size_t kept = kept_axes(shape, contraction.groups);
    index_t c = contraction.groups;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool is_kept = axis < kept;
        if (is_kept) c /= shape[axis];
        if (shape[axis] == 1) continue;
        const ContractedAxis entry{axis, shape[axis], contraction.a.strides[axis],
                                   contraction.b.strides[axis], is_kept ? c : 0};
        if (entry.a != 0 && entry.b != 0)
            (is_kept ? contraction.batch : contraction.k).push_back(entry);
        else if (!is_kept)
            return kSummedInOne;
        else if (entry.a != 0)
            contraction.m.push_back(entry);
        else if (entry.b != 0)
            contraction.n.push_back(entry);
        else
            return "a kept axis is in no factor";
    }
    if (contraction.k.empty()) return "no axis is summed";
    if (contraction.m.empty() && contraction.n.empty())
        return "each product has one element (dot products)";
    return nullptr;
}

} // namespace

namespace {

/// Whether the product is large enough, of a type and of a form that can be summed as a
/// contraction.
bool may_be_contraction(const Operand& source, index_t groups, Reason& refusal) {
    const DType dtype = source.dtype();
    if ((!dtype.is_builtin() && !is_complex(dtype)) || dtype == boolean) return false;
    if (source.dims.size() < kFewestProducts || groups < 2)
        refusal = groups == 1 ? "a dot product" : "too small";
    return refusal == nullptr;
}

std::optional<Contraction> contraction_of(const Operand& source, Factor a, Factor b, index_t groups,
                                          Reason& refusal) {
    std::optional<Contraction> contraction(Contraction{
        source.dtype(), std::move(a), std::move(b), {}, {}, {}, {}, source.dims.size(), groups});
    refusal = classify(*contraction, source.dims.max_shape());
    if (refusal != nullptr) contraction.reset();
    return contraction;
}

bool is_cast_product(const Operand& source) {
    if (source.node->kind() != NodeKind::elementwise) return false;
    const auto& operation = static_cast<const Elementwise&>(*source.node);
    return operation.op() == Op::cast && product_at(operation.operands()[0]) != nullptr;
}

} // namespace

std::optional<Contraction> find_contraction(const Operand& source, index_t groups,
                                            Reason& refusal) {
    refusal = nullptr;
    const Elementwise* const product = product_at(source);
    if (product == nullptr) {
        // A product of narrow integers wraps before it is widened.
        if (is_cast_product(source)) refusal = "the product is rounded or wraps before it is cast";
        return {};
    }
    if (!may_be_contraction(source, groups, refusal)) return {};
    const std::span<const Operand> factors = product->operands();
    for (const Operand& factor : factors)
        if (factor.node->kind() == NodeKind::constant) {
            refusal = "a factor is a constant";
            return {};
        }
    return contraction_of(source, factor_of(source, factors[0]), factor_of(source, factors[1]),
                          groups, refusal);
}

std::optional<Contraction> find_contraction(const Operand& source, const ProductTree& tree,
                                            index_t groups, Reason& refusal) {
    refusal = nullptr;
    if (!may_be_contraction(source, groups, refusal)) return {};
    std::optional<Contraction> contraction = contraction_of(
        source, factor_at(tree.factors[0]), factor_at(tree.factors[1]), groups, refusal);
    if (contraction) contraction->scale = tree.scale;
    return contraction;
}

} // namespace purview::engine
