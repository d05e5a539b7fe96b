#pragma once

#include <purview/base/hidden.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/sparse_buffer_template.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace purview::inline v0_1 {

namespace engine {
class SparseParts;
} // namespace engine

/// The most elements that a sparse expression may have to be realised as dense without `to_dense`.
inline constexpr index_t kLargestDenseOfSparse = index_t{1} << 30;

/// Throws `KindError` naming `what` if the operand reads sparse data and has more than
/// `kLargestDenseOfSparse` elements.
PURVIEW_EXPORT void check_dense_of_sparse(const char* what, const Operand& operand);
/// Throws `KindError` naming `what`, an operation without a sparse form, if the operand is sparse.
PURVIEW_EXPORT void require_not_sparse(const char* what, const Operand& operand);

/// The pairs that a sparse operand evaluates to: the indexes at which it may differ from its fill,
/// its elements there, and the fill. Stored entries are mapped to row-major indexes of the operand
/// by the inverses of the views they are seen through; then the operations run on the stored
/// elements alone, and once on the fills. Where a fill of 0 annihilates a product, the indexes are
/// those stored in both operands, and those of elements that are not finite. Dense operands are
/// read at these indexes alone. O(stored) over all sparse leaves, and a sort where a view changes
/// the order of stored entries.
class PURVIEW_EXPORT SparseEvaluation {
public:
    /// Throws `KindError` naming `what` for an operand that is not sparse, or where more elements
    /// than `kLargestDenseOfSparse` would have to be stored. The engine gives `parts`, the pairs of
    /// all pieces and gathers that the operand is a view of, where it has them already.
    explicit SparseEvaluation(const Operand& source, const char* what = "sparse evaluation",
                              const engine::SparseParts* parts = nullptr);
    ~SparseEvaluation();
    SparseEvaluation(SparseEvaluation&&) noexcept;
    SparseEvaluation& operator=(SparseEvaluation&&) noexcept;

    DType dtype() const noexcept;
    /// The number of elements of the operand, stored or not.
    index_t size() const noexcept;
    /// The number of stored elements.
    index_t stored() const noexcept;
    /// The row-major indexes of the stored elements, ascending, each once. The buffer has at least
    /// `stored()` elements.
    const BufferPtr<index_t>& indexes() const;
    /// The row-major indexes of the stored elements where they are, valid as long as this object
    /// and what it was made of.
    std::span<const index_t> stored_indexes() const noexcept;
    /// The stored elements as an operand of shape `[stored()]`, valid as long as this object.
    const Operand& values() const noexcept;
    /// The value of all elements that are not stored, as an operand of rank 0.
    const Operand& fill() const noexcept;
    /// Whether the values are the result of operations, so that some may happen to equal the fill.
    bool is_operation() const noexcept;
    /// The buffer of the values if they have been computed already, without those that equal the
    /// fill; else null.
    const std::shared_ptr<const AnyReader>& computed() const noexcept;

private:
    struct State;
    Hidden<State> state_;
};

/// Assigns the fill to a constructed element. If every element is stored, no element shows the
/// fill: if computing it throws then, the exception is dropped and the element stays as it is.
PURVIEW_EXPORT void read_fill(const SparseEvaluation& pairs, void* fill);

/// Evaluates the pairs into a sparse buffer. Results that equal the fill are not stored.
template <ElementType T>
SparseBufferPtr<T> realise_sparse(const SparseEvaluation& pairs) {
    T fill{};
    read_fill(pairs, &fill);
    if (auto computed = std::static_pointer_cast<const Buffer<T>>(pairs.computed()))
        return SparseBuffer<T>::of_sorted(pairs.size(), pairs.indexes(),
                                          std::const_pointer_cast<Buffer<T>>(std::move(computed)),
                                          pairs.stored(), std::move(fill));
    BufferPtr<T> values = allocate_uninitialized_buffer<T>(pairs.stored());
    if (pairs.stored() > 0)
        Evaluation(pairs.values())
            .read(0, pairs.stored(), static_cast<T*>(values->writable_memory().data));
    SparseBufferPtr<T> result = SparseBuffer<T>::of_sorted(
        pairs.size(), pairs.indexes(), std::move(values), pairs.stored(), std::move(fill));
    if (pairs.is_operation()) result->prune();
    return result;
}
/// Evaluates an operand into a sparse buffer. Results that equal the fill are not stored. For the
/// built-in types it is compiled in the library. T has no constraint: clang would make it part of
/// the symbol's name, gcc does not.
template <class T>
SparseBufferPtr<T> realise_sparse(const Operand& source, const char* what) {
    return realise_sparse<T>(SparseEvaluation(source, what));
}
#define PURVIEW_EXTERN_REALISE_SPARSE(T) \
 extern template PURVIEW_EXPORT SparseBufferPtr<T> realise_sparse<T>(const Operand&, const char*);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_REALISE_SPARSE)
#undef PURVIEW_EXTERN_REALISE_SPARSE
/// Evaluates an operand whose type is known at run time alone into a sparse buffer.
PURVIEW_EXPORT std::shared_ptr<AnyReader> realise_sparse(const Operand& source, const char* what);

} // namespace purview
