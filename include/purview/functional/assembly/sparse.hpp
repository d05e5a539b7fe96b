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

/// A sparse copy with a fill; without the stored elements that equal the fill; with packed indexes.
template <typename T>
Operand to_sparse_operand(const Operand& source, const T& fill_value) {
    const ShapeSpan shape = source.dims.max_shape();
    if (is_sparse(source)) {
        SparseBufferPtr<T> pairs = realise_sparse<T>(source, "to_sparse");
        if (same_element(pairs->fill(), fill_value)) {
            pairs->prune();
            return sparse_tensor<T>(shape, std::move(pairs)).operand();
        }
    }
    check_dense_of_sparse("to_sparse", source);
    constexpr index_t kBlock = 4096;
    const index_t size = source.dims.size();
    auto result = std::make_shared<SparseBuffer<T>>(size, fill_value);
    if (size > 0) {
        const Evaluation evaluation(source, Reads::within_one_operation);
        const BufferPtr<T> block = allocate_uninitialized_buffer<T>(size < kBlock ? size : kBlock);
        T* const values = static_cast<T*>(block->writable_memory().data);
        for (index_t begin = 0; begin < size; begin += kBlock) {
            const index_t count = size - begin < kBlock ? size - begin : kBlock;
            evaluation.read(begin, count, values);
            result->write_block(begin, 1, {values, static_cast<std::size_t>(count)});
        }
    }
    return sparse_tensor<T>(shape, std::move(result)).operand();
}
template <typename T>
Operand pruned_operand(const Operand& source) {
    SparseBufferPtr<T> pairs = realise_sparse<T>(source, "prune");
    pairs->prune();
    return sparse_tensor<T>(source.dims.max_shape(), std::move(pairs)).operand();
}
template <typename T>
Operand packed_operand(const Operand& source) {
    const SparseBufferPtr<T> pairs = realise_sparse<T>(source, "pack_indexes");
    auto values = std::make_shared<ConstBuffer<T>>(pairs->values().data(), pairs->stored(),
                                                   index_t{sizeof(T)}, pairs->value_memory());
    return sparse_tensor<T>(source.dims.max_shape(),
                            std::make_shared<SparseBuffer<T>>(
                                pairs->size(),
                                std::make_shared<PackedIndexes>(IndexSet(pairs->indexes())),
                                std::move(values), pairs->fill()))
        .operand();
}
// Those of the built-in types are compiled once, in src/functional/assembly/sparse.cpp.
#define PURVIEW_SPARSE_COPIES_OF(what, T)                                             \
 what template PURVIEW_EXPORT Operand to_sparse_operand<T>(const Operand&, const T&); \
 what template PURVIEW_EXPORT Operand pruned_operand<T>(const Operand&);              \
 what template PURVIEW_EXPORT Operand packed_operand<T>(const Operand&);
#define PURVIEW_EXTERN_SPARSE_COPIES(T) PURVIEW_SPARSE_COPIES_OF(extern, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_SPARSE_COPIES)
#undef PURVIEW_EXTERN_SPARSE_COPIES

/// A sparse tensor of the elements that differ from a fill. O(stored) for a sparse tensor with that
/// fill, else O(size): every element is read once. Throws `KindError` for a sparse tensor of more
/// than 2³⁰ elements with another fill.
struct ToSparseFunction : PipelineStage {
    template <TypedTensor X>
        requires PlainOrOrdered<X> MutableTensor<typename X::value_type>
    operator()(const X& x,
               const std::type_identity_t<typename X::value_type>& fill_value = {}) const {
        using T = typename X::value_type;
        return MutableTensor<T>(to_sparse_operand<T>(x.operand(), fill_value));
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
        return MutableTensor<T>(pruned_operand<T>(x.operand()));
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
        return MutableTensor<T>(packed_operand<T>(x.operand()));
    }
};
inline constexpr AcceptingArrays<PackIndexesFunction> pack_indexes;

} // namespace purview
