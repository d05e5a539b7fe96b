#include "engine/contract/contract.hpp"

#include <purview/evaluation/blas.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/reader/allocation.hpp>

#include "engine/places/memory_leaf.hpp"
#include "engine/sparse/assign.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// A copy of a factor, computed if need be, in row-major order over `axes`, which are its own, at
/// `place`.
NodePtr realise(const Factor& factor, ShapeSpan axes, const void*& place) {
    const Operand own = over_axes(factor.operand, axes);
    void* memory = nullptr;
    NodePtr copy = new_memory_leaf(own.dtype(), own.dims.size(), memory);
    assign_on_cpu(own, {copy, Dimensions::row_major(own.dims.max_shape())});
    place = memory;
    return copy;
}

/// Copies results that are in row-major order over the kept axes, those of batch, m and n, to their
/// places in `out`.
void put_in_place(NodePtr staged, const Contraction& contraction, void* out) {
    Shape extents;
    Shape strides;
    for (const ContractedAxes* const kept : {&contraction.batch, &contraction.m, &contraction.n})
        for (const ContractedAxis& axis : *kept) {
            extents.push_back(axis.extent);
            strides.push_back(axis.c);
        }
    assign_on_cpu({std::move(staged), Dimensions::row_major(extents)},
                  {memory_leaf(contraction.dtype, out, contraction.groups),
                   Dimensions::strided(extents, strides)});
}

void run(const BlasCalls& calls, const Contraction& contraction, void* out) {
    const void* a = calls.a;
    const void* b = calls.b;
    NodePtr copy_of_a;
    NodePtr copy_of_b;
    if (!calls.copy_a.empty()) copy_of_a = realise(contraction.a, calls.copy_a, a);
    if (!calls.copy_b.empty()) copy_of_b = realise(contraction.b, calls.copy_b, b);
    if (!calls.stages_c) return calls.run(a, b, out);
    void* results = nullptr;
    NodePtr staged = new_memory_leaf(contraction.dtype, contraction.groups, results);
    calls.run(a, b, results);
    put_in_place(std::move(staged), contraction, out);
}

/// Whether the fused loop should read a copy of a factor in which elements that are added up are
/// contiguous.
bool is_worth_copying(const Factor& factor, index_t stride_of_sum, index_t uses) {
    return (factor.memory == nullptr || stride_of_sum != 1) && uses >= kLeastReuse;
}

Operand copy_along_sum(const Factor& factor, const ContractedAxes& batch, const ContractedAxes& own,
                       const ContractedAxes& k) {
    Shape axes;
    for (const ContractedAxes* const list : {&batch, &own, &k})
        for (const ContractedAxis& axis : *list) axes.push_back(static_cast<index_t>(axis.root));
    const void* place = nullptr;
    return {realise(factor, axes, place), packed_over(factor.operand.dims.max_shape(), axes)};
}

/// Multiplies the smaller factor by the contraction's scale, which becomes 1.
void scale_factor(Contraction& contraction) {
    if (contraction.scale == 1) return;
    Factor& factor =
        extent_of(contraction.m) < extent_of(contraction.n) ? contraction.a : contraction.b;
    factor.operand = scaled(factor.operand, std::exchange(contraction.scale, 1));
    factor.memory = nullptr;
}

/// Sums what BLAS cannot, by a fused loop over copies of factors in which elements that are added
/// up are contiguous.
void sum_over_copies(Contraction contraction, bool copy_a, bool copy_b, const PartSums& sums,
                     void* out) {
    const auto& [batch, m, n, k] = static_cast<const ClassedAxes&>(contraction);
    Operand& a = contraction.a.operand;
    Operand& b = contraction.b.operand;
    if (copy_a) a = copy_along_sum(contraction.a, batch, m, k);
    if (copy_b) b = copy_along_sum(contraction.b, batch, n, k);
    // Which finds nothing to copy then.
    sums.into(elementwise<2>(Op::multiply, contraction.dtype, {a, b}), contraction.groups, out);
}

std::string describe_factor(const char* name, const std::byte* memory, const Shape& copy,
                            bool transposed) {
    if (!copy.empty())
        return fmt::format(", {} {}", name, memory == nullptr ? "computed first" : "copied");
    return transposed ? fmt::format(", {} transposed", name) : "";
}

} // namespace

std::string describe_calls(const BlasCalls& calls) {
    const auto& [m, n, k] = std::tie(calls.m, calls.n, calls.k);
    std::string text = calls.vector
                           ? fmt::format("gemv {}x{}", std::max(m.extent, n.extent), k.extent)
                           : fmt::format("gemm {}x{}x{}", m.extent, n.extent, k.extent);
    text.append(" ").append(calls.dtype.name());
    text += describe_factor("A", calls.a, calls.copy_a, m.a == 1 && k.a != 1);
    text += describe_factor("B", calls.b, calls.copy_b, n.extent > 1 && k.b == 1 && n.b != 1);
    const index_t batch = extent_of(calls.loops) / calls.additions;
    if (calls.stages_c) text += ", result in another order";
    if (batch > 1) text += fmt::format(", batch {}", batch);
    if (calls.additions > 1) text += fmt::format(", sum of {}", calls.additions);
    if (calls.scale != 1) text += fmt::format(", times {}", calls.scale);
    if (calls.small) return text + ", by the kernel of small products";
    if (calls.blas != nullptr) return fmt::format("{}, by {}", text, blas_library());
    return fmt::format("fused loop instead of {}: {}", text, blas_library());
}

void find_factors(const Operand& source, index_t groups, bool nested, ProductWay& way) {
    nested = nested && source.dims.size() >= kFewestProducts && flatten_product(source, way.tree);
    const std::size_t factors = nested ? way.tree.factors.size() : 0;
    bool many = factors > 2;
    if (!many)
        way.contraction =
            find_contraction(source, groups, way.refusal, factors == 2 ? &way.tree : nullptr);
    // A summed axis that only one factor has is summed first, as a step of its own.
    if (way.refusal == kSummedInOne) many = nested || flatten_product(source, way.tree);
    if (!many) return;
    way.pairs = order_of_pairs(source, way.tree, groups);
    way.kind = way.pairs ? ProductWay::Kind::many_factors : ProductWay::Kind::loop;
    if (!way.pairs && way.refusal == nullptr) way.refusal = "one loop over all factors is faster";
}

namespace {

std::string describe_with_copies(const ProductWay& way) {
    std::string text;
    if (way.calls)
        text = describe_calls(*way.calls);
    else if (way.refusal != nullptr)
        text = fmt::format("fused loop: {}", way.refusal);
    if (way.copies_a) text += ", A laid along the sum first";
    if (way.copies_b) text += ", B laid along the sum first";
    return text;
}

} // namespace

bool choose_product(ProductWay& way, const Operand& source, index_t groups, bool nested,
                    bool may_be_sparse) {
    using enum ProductWay::Kind;
    if (may_be_sparse && source.node->reads(Below::sparse) && source.dims.size() > 0) {
        way.sparse = choose_sparse_way(source, groups);
        if (way.sparse.with_dense()) {
            way.kind = with_dense;
            return true;
        }
    }
    find_factors(source, groups, nested, way);
    if (way.kind != none) return way.is_taken();
    if (!way.contraction) {
        if (way.refusal != nullptr) way.kind = loop;
        return false;
    }
    way.calls = choose_calls(*way.contraction, way.refusal);
    if (way.calls && (way.calls->small || way.calls->blas != nullptr)) {
        way.kind = calls;
        return true;
    }
    way.kind = loop;
    if (is_complex(way.contraction->dtype)) return false; // only read block by block
    Contraction& contraction = *way.contraction;
    scale_factor(contraction);
    way.copies_a =
        is_worth_copying(contraction.a, contraction.k.back().a, extent_of(contraction.n));
    way.copies_b =
        is_worth_copying(contraction.b, contraction.k.back().b, extent_of(contraction.m));
    if (way.copies_a || way.copies_b) way.kind = loop_over_copies;
    return way.is_taken();
}

bool run_product(ProductWay&& way, const Operand& source, index_t groups, const PartSums& sums,
                 void* out) {
    const Ways before = ways_taken();
    switch (way.kind) {
    case ProductWay::Kind::with_dense:
        if (!contract_with_dense(way.sparse, groups, sums, out)) return false;
        break;
    case ProductWay::Kind::many_factors:
        contract_many(source, way.tree, groups, *way.pairs, sums, out);
        break;
    case ProductWay::Kind::calls: run(*way.calls, *way.contraction, out); break;
    case ProductWay::Kind::loop_over_copies:
        sum_over_copies(*std::move(way.contraction), way.copies_a, way.copies_b, sums, out);
        break;
    case ProductWay::Kind::none:
    case ProductWay::Kind::loop: return false;
    }
    count_way_alone(before, Way::product);
    return true;
}

std::string describe_product(const ProductWay& way, const Operand& source, index_t groups) {
    if (way.kind == ProductWay::Kind::with_dense)
        return describe_sparse_contraction(way.sparse, source);
    if (way.kind != ProductWay::Kind::many_factors) return describe_with_copies(way);
    std::string text;
    visit_pairs(
        source, way.tree, groups, *way.pairs, [&](const Operand& product, index_t count, bool) {
            text += text.empty() ? fmt::format("{} factors pair by pair: ", way.tree.factors.size())
                                 : "; then ";
            const std::string step = describe_product(product, count);
            text +=
                step.empty() ? fmt::format("sum of {} to {}", product.dims.size(), count) : step;
            // An address that is never read.
            return memory_leaf(source.dtype(), reinterpret_cast<void*>(kAllocationAlignment),
                               count);
        });
    return text;
}

std::string describe_product(const Operand& source, index_t groups) {
    if (source.node->reads(Below::sparse))
        if (std::string text =
                describe_sparse_contraction(choose_sparse_way(source, groups), source);
            !text.empty())
            return text;
    std::optional<BlasCalls> calls;
    if (groups > 1 && find_strided_calls(source, groups, calls)) return describe_calls(*calls);
    ProductWay way;
    choose_product(way, source, groups, is_nested_product(source), true);
    return describe_product(way, source, groups);
}

} // namespace purview::engine
