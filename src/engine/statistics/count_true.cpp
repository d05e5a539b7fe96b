// Defines purview/evaluation/statistics.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/realise/entered_operation.hpp"
#include "engine/reduce/count_all_true.hpp"

#include <algorithm>

namespace purview::inline v0_1 {

void count_true_elements(const Operand& given, index_t groups, std::int64_t* out) {
    using namespace engine;
    if (ChunkedParts::may_find(given)) [[unlikely]]
        return reduce(Reduction::sum, cast_operand(given, int64, Op::cast), groups, out);
    const EnteredOperation entered("count", given);
    const Operand& source = *entered;
    if (source.dims.size() == 0)
        std::fill_n(out, groups, std::int64_t{0});
    else if (is_sparse(source))
        count_true_sparse(source, groups)->read_into(0, 1, groups, out);
    else if (groups == 1)
        *out = count_all_true(source);
    else
        reduce(Reduction::sum, cast_operand(source, int64, Op::cast), groups, out);
}

} // namespace purview
