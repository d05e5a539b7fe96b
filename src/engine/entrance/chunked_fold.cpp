#include "engine/entrance/chunked_fold.hpp"

#include <purview/evaluation/complex_numbers.hpp>

#include "engine/entrance/fold_way.hpp"
#include "engine/entrance/scaled_products.hpp"

#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Products of floats `E`: those of cells may lie outside of the range of the type.
template <typename E>
void run_products(const ChunkedParts& parts, Ways allowed, std::byte* out) {
    using Product = ScaledProductOf<E>;
    parts.run(
        name_of(Reduction::product).data(), sizeof(Product),
        [&](const WalkedCell& cell, index_t groups, void* products) {
            scaled_products_by<E>(allowed, cell.operand, groups, static_cast<Product*>(products));
        },
        [](void* into, const void* more, index_t count) {
            for (index_t i = 0; i < count; ++i)
                static_cast<Product*>(into)[i].multiply(static_cast<const Product*>(more)[i]);
        },
        [&](const Box& kept, const void* products) {
            std::vector<E> values;
            for (index_t i = 0; i < kept.size(); ++i)
                values.push_back(static_cast<const Product*>(products)[i].template value<E>());
            place_results(kept, parts.kept(), sizeof(E), values.data(), out);
        });
}

} // namespace

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
    if (reduction_ == Reduction::product && kind_->dtype == float32)
        return run_products<float>(parts_, allowed, out);
    if (reduction_ == Reduction::product && kind_->dtype == float64)
        return run_products<double>(parts_, allowed, out);
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
