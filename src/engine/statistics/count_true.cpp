// Defines purview/evaluation/statistics.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/reduce/count_all_true.hpp"
#include "evaluation/other_backend.hpp"

#include <algorithm>

namespace purview::inline v0_1 {

namespace {

void count_in_memory(const Operand& given, index_t groups, std::int64_t* out) {
    using namespace engine;
    const EnteredOperation entered("count", given);
    const Operand& source = *entered;
    if (source.dims.size() == 0)
        std::fill_n(out, groups, std::int64_t{0});
    else if (is_sparse(source))
        count_true_sparse(source, groups)->read_into(0, 1, groups, out);
    else if (groups == 1)
        *out = count_all_true(source);
    else
        reduce_groups(Reduction::sum, cast_operand(source, int64, Op::cast), groups, out);
}

} // namespace

void count_true_elements(const Operand& source, index_t groups, const Destination& out) {
    const bool elsewhere = lies_elsewhere(source) && !is_sparse(source);
    if (elsewhere || engine::ChunkedParts::may_find(source)) [[unlikely]]
        return reduce_groups(Reduction::sum, cast_operand(source, int64, Op::cast), groups, out);
    compute_into(out, int64, groups, [&](void* counts) {
        count_in_memory(source, groups, static_cast<std::int64_t*>(counts));
    });
}

} // namespace purview
