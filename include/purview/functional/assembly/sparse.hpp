#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/reader/packed_indexes.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// `to_dense(x)`, `x | to_dense`: a copy in dense memory, whatever the kind and size of the tensor.
/// O(size).
struct ToDenseFunction : ArrayFunction<ToDenseFunction> {
    using ArrayFunction::operator();
    template <plain_array X>
        requires typed_array<X>
    auto operator()(const X& x) const {
        using T = ElementOrVoid<X>;
        const Operand& source = operand_for_call(x);
        return MutableTensor<T>(brought_to(source, dense_copy<T>(source).operand()));
    }
};
inline constexpr ToDenseFunction to_dense;

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
    require_host_reads("to_sparse", source);
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

/// `to_sparse(x)`, `to_sparse(x, fill)`, `x | to_sparse`: a sparse tensor of the elements that differ
/// from a fill, by default 0 or `T{}`. O(stored) for a sparse tensor with that fill, else O(size):
/// every element is read once. Throws `KindError` for a sparse tensor of more than 2³⁰ elements
/// with another fill.
struct ToSparseFunction : ArrayFunction<ToSparseFunction> {
    using ArrayFunction::operator();
    template <plain_array X>
        requires typed_array<X>
    auto operator()(const X& x,
                    const std::type_identity_t<ElementOrVoid<X>>& fill_value = {}) const {
        using T = ElementOrVoid<X>;
        return MutableTensor<T>(to_sparse_operand<T>(operand_for_call(x), fill_value));
    }
};
inline constexpr ToSparseFunction to_sparse;

/// Functions of sparse tensors that store them otherwise.
template <bool packs>
struct RepackFunction : ArrayFunction<RepackFunction<packs>> {
    using ArrayFunction<RepackFunction>::operator();
    template <plain_array X>
        requires typed_array<X>
    auto operator()(const X& x) const {
        using T = ElementOrVoid<X>;
        const Operand operand = operand_for_call(x);
        return MutableTensor<T>(packs ? packed_operand<T>(operand) : pruned_operand<T>(operand));
    }
};
/// A copy of a sparse tensor without the stored elements that equal its fill. O(stored). Throws
/// `KindError` for a tensor that is not sparse.
inline constexpr RepackFunction<false> prune;
/// A copy of a sparse tensor with packed indexes (`PackedIndexes`), for tensors that are stored for
/// long. Finding an element is O(log s) as before; operations decode the indexes first, and their
/// results have lists. O(stored). Throws `KindError` for a tensor that is not sparse.
inline constexpr RepackFunction<true> pack_indexes;

} // namespace purview
