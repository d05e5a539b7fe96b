#include "engine/entrance/fold_way.hpp"

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include "dtype/element_block.hpp"
#include "engine/entrance/scaled_products.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/complex_folds.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace purview::inline v0_1::engine {
namespace {

/// Whether the elements of a group lie apart in memory, so that reading one after the other would use
/// a part of each cache line at a time: then the parts are summed as real numbers, by whole lines.
bool has_strided_groups(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    return leaf != nullptr && leaf->memory() && source.dims.is_strided() &&
           !source.dims.is_contiguous();
}

void sum_into(const Operand& source, index_t groups, void* out) {
    reduce_on_cpu({Reduction::sum, groups}, source, out);
}
std::shared_ptr<AnyReader> sum_sparse(const Operand& source, index_t groups) {
    return reduce_sparse(Reduction::sum, source, groups);
}

void sum_parts(const Operand& source, index_t groups, void* out) {
    const DType part = part_dtype(source.dtype());
    ElementBlock real(part, groups);
    ElementBlock imaginary(part, groups);
    sum_into(real_part(source), groups, real.data());
    sum_into(imaginary_part(source), groups, imaginary.data());
    lane_kernels().find_complex(ComplexOp::pair_up, part.id())(real.data(), imaginary.data(), out,
                                                               groups);
}

template <typename T>
void divide_each(T* elements, index_t count, T divisor) {
    if (divisor == 0) {
        std::fill_n(elements, count, std::numeric_limits<T>::quiet_NaN());
    } else if (std::has_single_bit(static_cast<std::uint64_t>(divisor))) { // exact
        const T part = 1 / divisor;
        for (index_t i = 0; i < count; ++i) elements[i] *= part;
    } else {
        for (index_t i = 0; i < count; ++i) elements[i] /= divisor;
    }
}

/// Divides sums by the number of their elements.
void average_each(const work::Fold& fold, const Operand& source, std::byte* sums) {
    if (fold.groups == 0) return;
    const index_t elements = source.dims.size() / fold.groups;
    if (source.dtype() == float32)
        divide_each(reinterpret_cast<float*>(sums), fold.groups, static_cast<float>(elements));
    else
        divide_each(reinterpret_cast<double*>(sums), fold.groups, static_cast<double>(elements));
}

/// Whether a fold is to one element, and not of a product that may be better than a flat graph.
bool may_be_flat(const work::Fold& fold, const Operand& source, Ways allowed) {
    return fold.groups == 1 && allowed.has(Way::flat) &&
           !(fold.reduction == Reduction::sum && allowed.has(Way::product) &&
             is_nested_product(source));
}

} // namespace

constinit const PartSums kPartSums{sum_into, sum_sparse};

bool FoldWay::is_flat() {
    if (fold_.groups != 1 || !allowed_.has(Way::flat)) return false;
    return kind_.emplace<FlatFold>().find(fold_.reduction, source_);
}

bool FoldWay::is_product(bool nested) {
    return choose_product(kind_.emplace<ProductWay>(), source_, fold_.groups, nested,
                          !so_far_.dense_product);
}

bool FoldWay::is_chunked() {
    if (!allowed_.has(Way::chunks) || is_sparse(source_)) return false;
    return (multiplies() && (kind_.emplace<ChunkedProduct>().find(fold_, source_) ||
                             kind_.emplace<SparseBySlabs>().find(fold_, source_))) ||
           kind_.emplace<ChunkedFold>().find(fold_, source_);
}

void FoldWay::choose() {
    const index_t groups = fold_.groups;
    if (source_.node->reads(Below::blocks)) [[unlikely]]
        if (is_chunked()) return;
    // First what needs no preparation: a product of factors in memory, and a flat graph.
    if (multiplies() && groups > 1 &&
        find_strided_calls(source_, groups, kind_.emplace<StridedProduct>()))
        return;
    const bool nested = multiplies() && is_nested_product(source_);
    if (!nested && !so_far_.flat && is_flat()) return;
    if (is_sparse(source_) && source_.dims.size() > 0) [[unlikely]]
        return static_cast<void>(kind_.emplace<Stored>());
    if (is_complex(source_.dtype())) [[unlikely]]
        return choose_for_complex();
    if (!so_far_.realised && may_repeat_work(source_)) [[unlikely]]
        return static_cast<void>(kind_.emplace<Realised>());
    if (multiplies() && is_product(nested)) return;
    if (nested && is_flat()) return;
    if (adds() && allowed_.has(Way::gathered_rows))
        if (std::optional<GatheredRows> rows = GatheredRows::of(source_, groups))
            return static_cast<void>(kind_.emplace<GatheredRows>(*std::move(rows)));
    if (source_.dims.size() == 0)
        kind_.emplace<Nothing>();
    else if (!std::holds_alternative<ProductWay>(kind_))
        kind_.emplace<Axes>();
}

void FoldWay::choose_for_complex() {
    if (adds() && fold_.groups > 1 && allowed_.has(Way::product) && is_product(false)) return;
    if (adds() && has_strided_groups(source_))
        kind_.emplace<PartsOfComplex>();
    else
        kind_.emplace<Complex>();
}

bool FoldWay::run_otherwise(FoldSoFar so_far, const Operand& source, std::byte* out) const {
    return FoldWay(fold_, source, allowed_, so_far).run(out);
}

bool FoldWay::run(std::byte* out) {
    const auto& [reduction, groups, averages] = fold_;
    const auto finish_products = [&] {
        if (reduction == Reduction::product) multiply_far_groups_again(source_, groups, out);
    };
    const auto by_axes = [&] {
        const bool averaged = reduce_axes(fold_kind(reduction, source_.dtype()), source_, groups,
                                          averages, out, allowed_);
        finish_products();
        return averaged;
    };
    const auto by_complex = [&](auto&& f) {
        count_way(Way::complex);
        f();
        finish_products();
        return false;
    };
    return std::visit(
        Overloads{
            [&](const ChunkedFold& chunked) { return chunked.run(out), false; },
            [&](const FlatFold& flat) { return flat.run(out), finish_products(), false; },
            [&](const OneOf<ChunkedProduct, SparseBySlabs> auto& product) {
                return product.run(out), false;
            },
            [&](const StridedProduct& calls) {
                count_way(Way::product);
                return calls->run(calls->a, calls->b, out), false;
            },
            [&](ProductWay& product) {
                if (!product.is_taken()) return by_axes();
                if (run_product(std::move(product), source_, groups, kPartSums, out)) return false;
                return run_otherwise({so_far_.flat, so_far_.realised, true}, source_, out);
            },
            [&](Realised) {
                const RealisedOperand realised(source_);
                return run_otherwise({false, true, so_far_.dense_product}, *realised, out);
            },
            [&](Stored) {
                reduce_sparse(reduction, source_, groups)->read_into(0, 1, groups, out);
                return false;
            },
            [&](PartsOfComplex) { return by_complex([&] { sum_parts(source_, groups, out); }); },
            [&](Complex) {
                return by_complex([&] { fold_complex(reduction, source_, groups, out); });
            },
            [&](const GatheredRows& rows) { return rows.run(out), false; },
            [&](Nothing) {
                const FoldKind& kind = fold_kind(reduction, source_.dtype());
                for (index_t g = 0; g < groups; ++g)
                    kind.store(kind.identity, out + g * kind.dtype.size_bytes());
                return false;
            },
            [&](Axes) { return by_axes(); }},
        kind_);
}

void reduce_on_cpu(const work::Fold& fold, const Operand& source, void* out, Ways allowed) {
    const WatchedOperation watched(is_watched() ? name_of(fold.reduction).data() : nullptr);
    auto* const results = static_cast<std::byte*>(out);
    // What most short calls are, without the members of other ways.
    FoldSoFar so_far;
    if (may_be_flat(fold, source, allowed)) {
        FlatFold flat;
        so_far.flat = !flat.find(fold.reduction, source);
        if (!so_far.flat) {
            flat.run(results);
            if (fold.reduction == Reduction::product) multiply_far_groups_again(source, 1, results);
            return fold.averages ? average_each(fold, source, results) : void();
        }
    }
    const bool averaged = FoldWay(fold, source, allowed, so_far).run(results);
    if (fold.averages && !averaged) average_each(fold, source, results);
}

} // namespace purview::engine
