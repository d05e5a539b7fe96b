#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <cstdint>
#include <memory>
#include <utility>

namespace purview {

namespace engine {
class SparseParts;
} // namespace engine

/// Elements that a sparse expression may have and still be realised as dense without `to_dense`.
inline constexpr index_t kLargestDenseOfSparse = index_t{1} << 30;

/// Whether an operand is pairs, or made of pairs and constants, or of what is dense too where the fills of pairs decide
/// (`Node::reveals`), so that its elements can be had in time proportional to what is stored. O(1); where fills
/// decide, they are computed when first asked.
inline bool is_sparse(const Operand& operand) {
    return operand.node->reads_sparse() && operand.node->reveals() == Kind::sparse;
}

/// Throws `KindError` naming `what` for more than `kLargestDenseOfSparse` elements that sparse ones are below of.
PURVIEW_EXPORT void check_dense_of_sparse(const char* what, const Operand& operand);
/// Throws `KindError` naming `what` for an operand that is sparse, where an operation has no sparse form.
PURVIEW_EXPORT void require_not_sparse(const char* what, const Operand& operand);

/// The pairs that a sparse operand comes to: where it may differ from its fill, the elements there, and the fill.
/// Stored entries are moved to row-major indexes of the operand by the inverses of the views they are seen
/// through; the operations then run on the stored elements alone, and once on the fills. Where a fill of 0
/// annihilates a product, the indexes are those stored in both operands, and those of elements that are not
/// finite. What is dense is read at the indexes alone. O(stored) of all sparse leaves, and a sort where a view changes
/// the order of what is stored.
class PURVIEW_EXPORT SparseEvaluation {
public:
    /// Throws `KindError` naming `what` for an operand that is not sparse, or where more elements than
    /// `kLargestDenseOfSparse` would have to be stored.
    explicit SparseEvaluation(const Operand& source, const char* what = "sparse evaluation");
    /// The same where all pieces and gathers that the operand looks at are pairs already. For the engine.
    SparseEvaluation(const Operand& source, const char* what, const engine::SparseParts& parts);
    ~SparseEvaluation();
    SparseEvaluation(SparseEvaluation&&) noexcept;
    SparseEvaluation& operator=(SparseEvaluation&&) noexcept;

    DType dtype() const noexcept;
    /// Elements of the operand.
    index_t size() const noexcept;
    /// Elements that are stored.
    index_t stored() const noexcept;
    /// Their row-major indexes, ascending, each once; of at least `stored()` elements.
    const BufferPtr<index_t>& indexes() const noexcept;
    /// The elements there as an operand of shape `[stored()]`; valid as long as this.
    const Operand& values() const noexcept;
    /// What every other element is, as an operand of rank 0.
    const Operand& fill() const noexcept;
    /// Whether values are computed, so that some may equal the fill by chance.
    bool is_operation() const noexcept;
    /// The buffer that holds the values where they are computed already, without those that equal the fill; else null.
    const std::shared_ptr<const AnyReader>& computed() const noexcept;

private:
    SparseEvaluation(const Operand& source, const char* what, const engine::SparseParts* parts);

    struct State;
    std::unique_ptr<State> state_;
};

/// Assigns the fill to a constructed element. An expression need not have one that nothing shows: where every element is
/// stored and computing the fill throws, the element stays as it is.
PURVIEW_EXPORT void read_fill(const SparseEvaluation& pairs, void* fill);

/// The pairs in a buffer of their own. What an operation makes equal to the fill is not stored.
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
template <ElementType T>
SparseBufferPtr<T> realise_sparse(const Operand& source, const char* what) {
    return realise_sparse<T>(SparseEvaluation(source, what));
}

} // namespace purview
