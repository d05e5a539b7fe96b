#pragma once

#include <purview/sparse/convert.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/shape_check.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Throws `KindError` naming `what` unless `is_zero`: a sparse matrix needs a fill of zero.
PURVIEW_SPARSE_EXPORT void require_zero_fill(const char* what, bool is_zero);
/// Throws `ShapeError` naming `what` where `most`, an index or a number of entries, does not fit I.
template <SparseIndex I>
void require_indexes(const char* what, index_t most) {
    if (most > (std::numeric_limits<I>::max)())
        throw ShapeError(std::string(what) + ": int32 cannot say " + std::to_string(most) +
                         "; use int64");
}

/// The pairs of a sparse tensor of rank 2 whose fill is zero, with indexes as a list (not packed).
/// Throws as `csr`.
template <TypedTensor X>
auto matrix_pairs(const char* what, const X& tensor) {
    check_rank(what, tensor.rank(), 2);
    auto pairs = sparse_pairs(tensor);
    if (pairs->is_packed()) pairs = realise_sparse<typename X::value_type>(tensor.operand(), what);
    require_zero_fill(what, pairs->fill() == typename X::value_type{});
    return pairs;
}
/// The stored values, `[stored]`: zero-copy unless they are strided.
template <typename T>
Tensor<T> stored_values(const SparseBuffer<T>& pairs) {
    if (pairs.stored() == 0) return empty<T>({0});
    return contiguous(tensor(pairs.value_memory())(range(0, pairs.stored())));
}

/// `csr(t)`, `csr<I>(t)`, `t | csr<I>()`: a sparse tensor of rank 2 as compressed rows. The values
/// are those of the tensor, zero-copy where it is all of one sparse buffer; pointers and columns
/// are new memory. O(stored + rows). Throws `KindError` for a tensor that is not sparse or whose
/// fill is not zero, `ShapeError` for another rank, and where I is too narrow for columns or
/// entries.
template <SparseIndex I>
struct CsrFunction : PipelineStage {
    template <TypedTensor X>
    auto operator()(const X& tensor) const {
        using Result = CsrMatrix<typename X::value_type, I>;
        const auto pairs = matrix_pairs("csr", tensor);
        const index_t height = tensor.extent(0);
        const index_t width = tensor.extent(1);
        const index_t stored = pairs->stored();
        require_indexes<I>("csr", width - 1);
        require_indexes<I>("csr", stored);
        const MutableTensor<I> pointers = empty<I>({checked_add(height, 1, "csr")});
        const MutableTensor<I> indices = empty<I>({stored});
        I* const begin = as_span(pointers).data();
        I* const place = as_span(indices).data();
        const index_t* const index = pairs->indexes().data();
        index_t k = 0;
        for (index_t row = 0; row < height; ++row) {
            begin[row] = static_cast<I>(k);
            const index_t origin = row * width;
            for (; k < stored && index[k] - origin < width; ++k)
                place[k] = static_cast<I>(index[k] - origin);
        }
        begin[height] = static_cast<I>(stored);
        return Result(typename Result::Unchecked{}, height, width, pointers, indices,
                      stored_values(*pairs));
    }
};
template <SparseIndex I = index_t, TypedTensor X>
auto csr(const X& tensor) {
    return CsrFunction<I>{}(tensor);
}
/// The stage that makes compressed rows: `t | csr()`, `t | csr<I>()`.
template <SparseIndex I = index_t>
constexpr CsrFunction<I> csr() noexcept {
    return {};
}

/// `coo(t)`, `coo<I>(t)`, `t | coo<I>()`: a sparse tensor of rank 2 as coordinates, row by row.
/// O(stored), however many rows there are. Otherwise as `csr`.
template <SparseIndex I>
struct CooFunction : PipelineStage {
    template <TypedTensor X>
    auto operator()(const X& tensor) const {
        const auto pairs = matrix_pairs("coo", tensor);
        const index_t height = tensor.extent(0);
        const index_t width = tensor.extent(1);
        require_indexes<I>("coo", height - 1);
        require_indexes<I>("coo", width - 1);
        const MutableTensor<I> row_indices = empty<I>({pairs->stored()});
        const MutableTensor<I> column_indices = empty<I>({pairs->stored()});
        I* const row = as_span(row_indices).data();
        I* const column = as_span(column_indices).data();
        index_t k = 0;
        index_t current = 0;
        index_t origin = 0; // of the current row
        for (const index_t index : pairs->indexes()) {
            if (index - origin >= width) {
                current = index / width;
                origin = current * width;
            }
            row[k] = static_cast<I>(current);
            column[k++] = static_cast<I>(index - origin);
        }
        return CooMatrix<typename X::value_type, I>(height, width, row_indices, column_indices,
                                                    stored_values(*pairs));
    }
};
template <SparseIndex I = index_t, TypedTensor X>
auto coo(const X& tensor) {
    return CooFunction<I>{}(tensor);
}
/// The stage that makes coordinates: `t | coo()`, `t | coo<I>()`.
template <SparseIndex I = index_t>
constexpr CooFunction<I> coo() noexcept {
    return {};
}

/// Coordinates as a sparse tensor of rank 2 with a fill of zero. O(stored), and a sort unless they
/// come row by row. Throws `IndexError` naming a place given twice, unless `duplicates` says what
/// that means, and `ShapeError` for more than 2⁶² elements.
template <typename T, typename I>
MutableTensor<T> sparse_tensor(const CooMatrix<T, I>& matrix,
                               Duplicates duplicates = Duplicates::error) {
    checked_size(matrix.shape(), "sparse_tensor");
    const std::span<const I> row = as_span(matrix.row_indices());
    const std::span<const I> column = as_span(matrix.column_indices());
    std::vector<index_t> indexes(row.size());
    for (std::size_t k = 0; k < row.size(); ++k) indexes[k] = row[k] * matrix.columns() + column[k];
    return sparse_tensor<T>(matrix.shape(), std::move(indexes), to_vector(matrix.values()), T{},
                            duplicates);
}

/// A matrix as a sparse tensor of rank 2 with a fill of zero; its values are those of the matrix,
/// zero-copy (the first write copies them). O(stored + rows + columns). Throws `ShapeError` for
/// more than 2⁶² elements.
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
