// Defines purview/evaluation/evaluate.hpp.

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "engine/contract/contract.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/reduce/complex_folds.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/reduce/reduce_gather.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Whether groups lie across the order of memory, so that reading one after the other would use a
/// part of each cache line at a time: then the parts are summed as real numbers, by whole lines.
bool lies_across(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    return leaf != nullptr && leaf->memory() && source.dims.is_strided() &&
           !source.dims.is_contiguous();
}

void sum_parts(const Operand& source, index_t groups, void* out) {
    const DType part = part_dtype(source.dtype());
    ElementBlock real(part, groups);
    ElementBlock imaginary(part, groups);
    reduce(Reduction::sum, real_part(source), groups, real.data());
    reduce(Reduction::sum, imaginary_part(source), groups, imaginary.data());
    lane_kernels().find_complex(ComplexOp::pair_up, part.id())(real.data(), imaginary.data(), out,
                                                               groups);
}

/// `reduce` of complex numbers: sums and products. Throws `DtypeError` for other reductions.
void reduce_complex(Reduction reduction, const Operand& source, index_t groups, void* out) {
    if (reduction != Reduction::sum) return fold_complex(reduction, source, groups, out);
    if (groups > 1 && allowed_ways().has(Way::product) && contract(source, groups, false, out))
        return;
    if (lies_across(source)) return sum_parts(source, groups, out);
    fold_complex(reduction, source, groups, out);
}

/// What `reduce` does, by the first way that can do it of those that are allowed: `tell_fold` tells
/// them in the same order. With `averages`, sums may be divided by the number of elements of a group
/// as they are computed: returns whether they are.
bool reduce_or_average(Reduction reduction, const Operand& given, index_t groups, bool averages,
                       void* out) {
    const WatchedOperation watched(name_of(reduction).data());
    const Ways allowed = allowed_ways();
    const bool multiplies = reduction == Reduction::sum && allowed.has(Way::product);
    // First what needs no preparation: a product of factors in memory, and a flat graph.
    if (multiplies && groups > 1 && multiply_in_place(given, groups, out)) return false;
    const bool is_nested = multiplies && is_nested_product(given);
    auto* const results = static_cast<std::byte*>(out);
    if (groups == 1 && !is_nested && allowed.has(Way::flat) && fold_flat(reduction, given, results))
        return false;
    if (is_sparse(given) && given.dims.size() > 0) [[unlikely]] {
        reduce_sparse(reduction, given, groups)->read_into(0, 1, groups, out);
        return false;
    }
    if (is_complex(given.dtype())) [[unlikely]] {
        reduce_complex(reduction, given, groups, out);
        return false;
    }
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    const bool changed = &source != &given;
    if (multiplies && groups > 1 && changed && multiply_in_place(source, groups, out)) return false;
    if (multiplies &&
        contract(source, groups, changed ? is_nested_product(source) : is_nested, out))
        return false;
    if (groups == 1 && is_nested && allowed.has(Way::flat) && fold_flat(reduction, source, results))
        return false;
    if (reduction == Reduction::sum && allowed.has(Way::gathered_rows) &&
        sum_gathered_rows(source, groups, out))
        return false;
    const FoldKind& kind = fold_kind(reduction, source.dtype());
    if (source.dims.size() == 0) {
        for (index_t g = 0; g < groups; ++g)
            kind.store(kind.identity, results + g * kind.dtype.size_bytes());
        return false;
    }
    return reduce_axes(kind, source, groups, averages, results);
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

} // namespace

void reduce(Reduction reduction, const Operand& source, index_t groups, void* out) {
    reduce_or_average(reduction, source, groups, false, out);
}

void average(const Operand& source, index_t groups, void* out) {
    if (reduce_or_average(Reduction::sum, source, groups, true, out) || groups == 0) return;
    const index_t elements = source.dims.size() / groups;
    if (source.dtype() == float32)
        divide_each(static_cast<float*>(out), groups, static_cast<float>(elements));
    else
        divide_each(static_cast<double*>(out), groups, static_cast<double>(elements));
}

} // namespace purview
