#include "engine/contract/contraction.hpp"

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/complex/complex_blocks.hpp"
#include "engine/places/load.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1::engine {

const Elementwise* product_at(const Operand& source) noexcept {
    const auto* const operation = node_as<Elementwise>(*source.node);
    const bool is_product =
        operation != nullptr && (operation->op() == Op::multiply || is_complex_product(*operation));
    return is_product ? operation : nullptr;
}

const std::byte* strided_memory(const Operand& operand, index_t* step) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr || !leaf->memory() || !operand.dims.is_strided()) return nullptr;
    const index_t size = leaf->dtype().size_bytes();
    const index_t stride_bytes = leaf->memory().stride_bytes;
    const std::byte* const first = element_of(*leaf, operand.dims.base());
    if (reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) != 0)
        return nullptr;
    if (step != nullptr) *step = stride_bytes / size;
    return stride_bytes == size || (step != nullptr && stride_bytes % size == 0) ? first : nullptr;
}

Factor factor_at(Operand operand) {
    Factor factor{std::move(operand), nullptr, {}};
    factor.strides = to_shape(factor.operand.dims.strides());
    index_t step = 1;
    factor.memory = strided_memory(factor.operand, &step);
    if (factor.memory != nullptr)
        for (index_t& stride : factor.strides) stride *= step;
    return factor;
}

Reason classify(ClassedAxes& axes, ShapeSpan shape, index_t groups, ShapeSpan a, ShapeSpan b) {
    const std::size_t kept = kept_axes(shape, groups);
    index_t c = groups;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool is_kept = axis < kept;
        if (is_kept) c /= shape[axis];
        if (shape[axis] == 1) continue;
        const ContractedAxis entry{axis, shape[axis], a[axis], b[axis], is_kept ? c : 0};
        if (entry.a != 0 && entry.b != 0)
            (is_kept ? axes.batch : axes.k).push_back(entry);
        else if (!is_kept)
            return kSummedInOne;
        else if (entry.a != 0)
            axes.m.push_back(entry);
        else if (entry.b != 0)
            axes.n.push_back(entry);
        else
            return "a kept axis is in no factor";
    }
    if (axes.k.empty()) return "no axis is summed";
    if (axes.m.empty() && axes.n.empty()) return "each product has one element (dot products)";
    return nullptr;
}

namespace {

bool is_cast_product(const Operand& source) {
    const auto* const operation = node_as<Elementwise>(*source.node);
    return operation != nullptr && operation->op() == Op::cast &&
           product_at(operation->operand(0)) != nullptr;
}

} // namespace

std::optional<Contraction> find_contraction(const Operand& source, index_t groups, Reason& refusal,
                                            const ProductTree* apart) {
    refusal = nullptr;
    const DType dtype = source.dtype();
    const Elementwise* const product = product_at(source);
    if (apart == nullptr && product == nullptr) {
        // A product of narrow integers wraps before it is widened.
        if (is_cast_product(source)) refusal = "the product is rounded or wraps before it is cast";
        return {};
    }
    if ((!dtype.is_builtin() && !is_complex(dtype)) || dtype == boolean) return {};
    const auto is_constant = [](const Node& factor) { return factor.kind() == NodeKind::constant; };
    if (groups == 1)
        refusal = "a dot product";
    else if (source.dims.size() < kFewestProducts || groups < 1)
        refusal = "too small";
    else if (apart == nullptr && std::ranges::any_of(nodes_of(*product), is_constant))
        refusal = "a factor is a constant";
    if (refusal != nullptr) return {};
    const auto factor = [&](std::size_t i) {
        return factor_at(apart != nullptr ? apart->factors[i]
                                          : seen(source.dims, product->operand(i)));
    };
    std::optional<Contraction> contraction(Contraction{{},
                                                       dtype,
                                                       factor(0),
                                                       factor(1),
                                                       source.dims.size(),
                                                       groups,
                                                       apart != nullptr ? apart->scale : 1});
    refusal = classify(*contraction, source.dims.max_shape(), groups, contraction->a.strides,
                       contraction->b.strides);
    if (refusal != nullptr) contraction.reset();
    return contraction;
}

} // namespace purview::engine
