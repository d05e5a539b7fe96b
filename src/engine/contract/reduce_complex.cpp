#include "engine/contract/reduce_complex.hpp"

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "engine/contract/contract.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/reduce/complex_folds.hpp"

namespace purview::inline v0_1::engine {
namespace {

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

} // namespace

void reduce_complex(Reduction reduction, const Operand& source, index_t groups, void* out) {
    if (reduction != Reduction::sum) return fold_complex(reduction, source, groups, out);
    if (groups > 1 && contract(source, groups, out)) return;
    if (lies_across(source)) return sum_parts(source, groups, out);
    fold_complex(reduction, source, groups, out);
}

} // namespace purview::engine
