// Defines purview/evaluation/evaluate.hpp.

#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>

#include "engine/contract/contract.hpp"
#include "engine/contract/product_tree.hpp"
#include "engine/contract/reduce_complex.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/reduce/reduce_gather.hpp"
#include "engine/threads/watch.hpp"

namespace purview::inline v0_1 {

void reduce(Reduction reduction, const Operand& given, index_t groups, void* out) {
    using namespace engine;
    const WatchedOperation watched(name_of(reduction).data());
    const bool adds = reduction == Reduction::sum;
    const bool is_product = adds && is_nested_product(given);
    auto* const results = static_cast<std::byte*>(out);
    // What a flat graph is needs no preparation, and is nothing of what follows but a product.
    if (groups == 1 && !is_product && fold_flat(reduction, given, results)) return;
    if (is_sparse(given) && given.dims.size() > 0) [[unlikely]]
        return reduce_sparse(reduction, given, groups)->read_into(0, 1, groups, out);
    if (is_complex(given.dtype())) [[unlikely]]
        return reduce_complex(reduction, given, groups, out);
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    if (adds && contract(source, groups, out)) return;
    if (groups == 1 && is_product && fold_flat(reduction, source, results)) return;
    if (adds && sum_gathered_rows(source, groups, out)) return;
    const FoldKind& kind = fold_kind(reduction, source.dtype());
    if (source.dims.size() == 0) {
        for (index_t g = 0; g < groups; ++g)
            kind.store(kind.identity, results + g * kind.dtype.size_bytes());
        return;
    }
    reduce_axes(kind, source, groups, results);
}

} // namespace purview
