#include "engine/entrance/chunked_fold.hpp"

#include <purview/evaluation/complex_numbers.hpp>

#include "engine/entrance/fold_way.hpp"

namespace purview::inline v0_1::engine {

bool ChunkedFold::find(const work::Fold& fold, const Operand& source) {
    reduction_ = fold.reduction;
    const DType dtype = source.dtype();
    const bool complex = is_complex(dtype);
    if (complex ? reduction_ != Reduction::sum : !dtype.is_builtin()) return false;
    kind_ = &fold_kind(reduction_, complex ? part_dtype(dtype) : dtype);
    bytes_ = dtype.size_bytes();
    return parts_.find(source, fold.groups);
}

void ChunkedFold::run(Ways allowed, std::byte* out) const {
    const index_t numbers = bytes_ / kind_->dtype.size_bytes(); // in a result
    parts_.run(
        name_of(reduction_).data(), bytes_,
        [&](const WalkedCell& cell, index_t groups, void* results) {
            reduce_on_cpu({reduction_, groups}, cell.operand, results, allowed);
        },
        [&](void* into, const void* more, index_t count) {
            kind_->combine_each(into, more, numbers * count);
        },
        [&](const Box& kept, const void* results) {
            place_results(kept, parts_.kept(), bytes_, results, out);
        });
}

} // namespace purview::engine
