#include "engine/contraction.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/load.hpp"

#include <algorithm>

namespace purview::engine {
namespace {

/// Sums of fewer products are not looked at: a fused loop over them takes about as long as looking.
constexpr index_t kSmallest = 512;

const Elementwise* product_at(const Operand& source) noexcept {
    if (source.node->kind() != NodeKind::elementwise) return nullptr;
    const auto& operation = static_cast<const Elementwise&>(*source.node);
    return operation.op() == Op::multiply ? &operation : nullptr;
}

/// Elements that can be passed to BLAS where they lie: aligned, whole elements apart.
void look_into_memory(Factor& factor) {
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

Factor factor_of(const Operand& source, const Operand& operand) {
    const Dimensions& view = source.dims;
    const bool plain =
        view.is_identity() && std::ranges::equal(view.max_shape(), operand.dims.max_shape());
    Factor factor{{operand.node, plain ? operand.dims : dimensions::compose(view, operand.dims)},
                  nullptr,
                  {}};
    factor.strides = to_shape(factor.operand.dims.strides());
    look_into_memory(factor);
    return factor;
}

/// How many leading axes are kept: as many as have `groups` elements.
std::size_t kept_axes(ShapeSpan shape, index_t groups) {
    std::size_t kept = 0;
    for (index_t count = 1; kept < shape.size() && count < groups; ++kept) count *= shape[kept];
    return kept;
}

/// Puts every axis into its class. Returns why one has none.
Refusal classify(Contraction& contraction, ShapeSpan shape) {
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
            return "a summed axis is in one factor only";
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

std::optional<Contraction> find_contraction(const Operand& source, index_t groups,
                                            Refusal& refusal) {
    refusal = nullptr;
    const Elementwise* const product = product_at(source);
    if (product == nullptr) return {};
    const DType dtype = product->dtype();
    if (!dtype.is_builtin() || dtype == boolean) return {};
    const index_t size = source.dims.size();
    if (size < kSmallest || groups < 2) {
        refusal = groups == 1 ? "a dot product" : "too small";
        return {};
    }
    const std::span<const Operand> factors = product->operands();
    for (const Operand& factor : factors)
        if (factor.node->kind() == NodeKind::constant) {
            refusal = "a factor is a constant";
            return {};
        }
    std::optional<Contraction> contraction(Contraction{dtype,
                                                       factor_of(source, factors[0]),
                                                       factor_of(source, factors[1]),
                                                       {},
                                                       {},
                                                       {},
                                                       {},
                                                       size,
                                                       groups});
    refusal = classify(*contraction, source.dims.max_shape());
    if (refusal != nullptr) contraction.reset();
    return contraction;
}

} // namespace purview::engine
