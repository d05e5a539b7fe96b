#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/reader/packed_indexes.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace purview {

/// A copy in dense memory, whatever the kind and size of the tensor. O(size).
struct ToDenseFunction : PipelineStage {
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x) const {
        MutableTensor<typename X::value_type> result =
            empty<typename X::value_type>(x.operand().dims.max_shape());
        assign(x.operand(), result.operand());
        return result;
    }
};
/// `to_dense(x)`, `x | to_dense`.
inline constexpr AcceptingArrays<ToDenseFunction> to_dense;

/// A sparse tensor of the elements that differ from a fill. O(stored) for a sparse tensor with that
/// fill, else O(size): every element is read once. Throws `KindError` for a sparse tensor of more
/// than 2³⁰ elements with another fill.
struct ToSparseFunction : PipelineStage {
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x) const { return (*this)(x, typename X::value_type{}); }
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x, const std::type_identity_t<typename X::value_type>& fill_value) const {
        using T = typename X::value_type;
        const Operand& operand = x.operand();
        const ShapeSpan shape = operand.dims.max_shape();
        if (is_sparse(operand)) {
            SparseBufferPtr<T> pairs = realise_sparse<T>(operand, "to_sparse");
            if (same_element(pairs->fill(), fill_value)) {
                pairs->prune();
                return sparse_tensor<T>(shape, std::move(pairs));
            }
        }
        check_dense_of_sparse("to_sparse", operand);
        return sparse_tensor<T>(shape, stored_of(operand, fill_value));
    }

private:
    template <ElementType T>
    static SparseBufferPtr<T> stored_of(const Operand& operand, const T& fill_value) {
        constexpr index_t kBlock = 4096;
        auto result = std::make_shared<SparseBuffer<T>>(operand.dims.size(), fill_value);
        if (operand.dims.size() == 0) return result;
        const Evaluation evaluation(operand, Reads::within_one_operation);
        const index_t size = evaluation.size();
        const BufferPtr<T> block = allocate_uninitialized_buffer<T>(size < kBlock ? size : kBlock);
        T* const values = static_cast<T*>(block->writable_memory().data);
        for (index_t begin = 0; begin < size; begin += kBlock) {
            const index_t count = size - begin < kBlock ? size - begin : kBlock;
            evaluation.read(begin, count, values);
            result->write_block(begin, 1, {values, static_cast<std::size_t>(count)});
        }
        return result;
    }
};
/// `to_sparse(x)`, `to_sparse(x, fill)`, `x | to_sparse`; the default fill is 0 or `T{}`.
inline constexpr AcceptingArrays<ToSparseFunction> to_sparse;

/// A copy of a sparse tensor without the stored elements that equal its fill. O(stored). Throws
/// `KindError` for a tensor that is not sparse.
struct PruneFunction : PipelineStage {
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x) const {
        using T = typename X::value_type;
        SparseBufferPtr<T> pairs = realise_sparse<T>(x.operand(), "prune");
        pairs->prune();
        return sparse_tensor<T>(x.operand().dims.max_shape(), std::move(pairs));
    }
};
inline constexpr AcceptingArrays<PruneFunction> prune;

/// A copy of a sparse tensor with packed indexes (`PackedIndexes`), for tensors that are stored for
/// long. Finding an element is O(log s) as before; operations decode the indexes first, and their
/// results have lists. O(stored). Throws `KindError` for a tensor that is not sparse.
struct PackIndexesFunction : PipelineStage {
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x) const {
        using T = typename X::value_type;
        const SparseBufferPtr<T> pairs = realise_sparse<T>(x.operand(), "pack_indexes");
        auto values = std::make_shared<ConstBuffer<T>>(pairs->values().data(), pairs->stored(),
                                                       index_t{sizeof(T)}, pairs->value_memory());
        return sparse_tensor<T>(x.operand().dims.max_shape(),
                                std::make_shared<SparseBuffer<T>>(
                                    pairs->size(),
                                    std::make_shared<PackedIndexes>(IndexSet(pairs->indexes())),
                                    std::move(values), pairs->fill()));
    }
};
inline constexpr AcceptingArrays<PackIndexesFunction> pack_indexes;

} // namespace purview
