#pragma once

#include <purview/sparse/convert.hpp>
#include <purview/tensor/shape_check.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <limits>
#include <memory>
#include <utility>

namespace purview {

/// Throws `KindError` where what is not stored is not zero.
PURVIEW_SPARSE_EXPORT void require_zero_fill(bool is_zero);
/// Throws `ShapeError` where I cannot say an index of an extent, or so many entries.
template <SparseIndex I>
void require_indexes(index_t most) {
    if (most > std::numeric_limits<I>::max())
        throw ShapeError("csr: int32 cannot say " + std::to_string(most) + "; use int64");
}

/// `csr(t)`, `csr<I>(t)`: a sparse tensor of rank 2 as compressed rows. The values are those of the tensor,
/// zero-copy where it is all of one sparse buffer; pointers and columns are made. O(stored + rows). Throws
/// `KindError` for a tensor that is not sparse or whose fill is not zero, `ShapeError` for another rank.
template <SparseIndex I>
struct CsrFunction : PipelineStage {
    template <TypedTensor X>
    auto operator()(const X& tensor) const {
        using T = typename X::value_type;
        using Result = CsrMatrix<T, I>;
        check_rank("csr", tensor.rank(), 2);
        const auto pairs = sparse_pairs(tensor);
        require_zero_fill(pairs->fill() == T{});
        const index_t height = tensor.extent(0);
        const index_t width = tensor.extent(1);
        const index_t stored = pairs->stored();
        require_indexes<I>(width - 1);
        require_indexes<I>(stored);
        const MutableTensor<I> pointers = empty<I>({checked_add(height, 1, "csr")});
        const MutableTensor<I> indices = empty<I>({stored});
        I* const begin = as_span(pointers).data();
        I* const place = as_span(indices).data();
        const index_t* const index = pairs->indexes().data();
        index_t k = 0;
        for (index_t row = 0; row < height; ++row) {
            begin[row] = static_cast<I>(k);
            const index_t first = row * width;
            for (; k < stored && index[k] - first < width; ++k)
                place[k] = static_cast<I>(index[k] - first);
        }
        begin[height] = static_cast<I>(stored);
        Tensor<T> values = empty<T>({0});
        if (stored > 0) values = wrap(pairs->values().data(), {stored}, pairs->value_memory());
        return Result(typename Result::Unchecked{}, height, width, pointers, indices,
                      std::move(values));
    }
};
template <SparseIndex I = index_t>
inline constexpr CsrFunction<I> csr;

/// A matrix as a sparse tensor of rank 2 with a fill of zero; its values are those of the matrix, zero-copy
/// (the first write copies them). O(stored + rows + columns). Throws `ShapeError` for more than 2⁶² elements.
template <typename T, typename I, Major M>
MutableTensor<T> sparse_tensor(const CompressedMatrix<T, I, M>& matrix) {
    const auto by_rows = std::make_shared<const CsrMatrix<T, I>>(to_csr(matrix));
    const CompressedPointers<T, I>& raw = by_rows->raw();
    const BufferPtr<index_t> indexes = allocate_uninitialized_buffer<index_t>(raw.stored);
    auto* const index = static_cast<index_t*>(indexes->writable_memory().data);
    const index_t size = checked_multiply(raw.rows, raw.columns, "sparse_tensor");
    for (index_t row = 0; row < raw.rows; ++row)
        for (index_t k = raw.pointers[row]; k < raw.pointers[row + 1]; ++k)
            index[k] = row * raw.columns + raw.indices[k];
    auto values =
        std::make_shared<const ConstBuffer<T>>(raw.values, raw.stored, index_t{sizeof(T)}, by_rows);
    return sparse_tensor<T>({raw.rows, raw.columns},
                            std::make_shared<SparseBuffer<T>>(size, indexes, std::move(values)));
}

} // namespace purview
