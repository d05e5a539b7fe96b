#include "engine/entrance/chunked_fold.hpp"

#include <purview/evaluation/complex_numbers.hpp>

#include "evaluation/reducers.hpp"

namespace purview::inline v0_1::engine {

bool ChunkedFold::find(const work::Fold& fold, const Operand& source) {
    const DType dtype = source.dtype();
    const bool adds = fold.reduction == Reduction::sum || fold.reduction == Reduction::product;
    if (!dtype.is_builtin() && !(adds && is_complex(dtype))) return false;
    if (!parts_.find(source, fold.groups)) return false;
    reducer_ = fold_reducer(name_of(fold.reduction).data(), fold.reduction, dtype, false, false);
    source_ = &source;
    groups_ = fold.groups;
    return reducer_->result() == dtype;
}

void ChunkedFold::run(std::byte* out) const {
    const index_t elements = source_->dims.size() / groups_;
    fold_cells(*reducer_, parts_, {*source_, groups_, place_itself},
               [&](const Box& box, ShapeSpan kept, const std::byte* states) {
                   finish_to(*reducer_, elements, box, kept, states, out);
               });
}

} // namespace purview::engine
