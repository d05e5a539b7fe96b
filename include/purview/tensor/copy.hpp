#pragma once

#include <purview/base/refused.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/scatter.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <vector>

namespace purview::inline v0_1 {

/// Throws `ReadOnlyError` for an `AnyTensor` destination that was made from something read-only.
template <WritableHandle X>
void require_may_write(const char* what, const X& destination) {
    if constexpr (!TypedTensor<X>) destination.require_may_write(what);
}

/// Assigns `source`, checked, cast and broadcast, to `destination`. Throws `ReadOnlyError`,
/// `ShapeError`, `CastError`, `DtypeError`.
PURVIEW_EXPORT void copy_operand(const Operand& source, const Operand& destination,
                                 const char* what = "copy");
/// The operand that `copy_operand` assigns: `source` checked, broadcast and cast for `destination`.
/// Lazy. Throws `ReadOnlyError`, `ShapeError`, `DtypeError`.
PURVIEW_EXPORT Operand copied_operand(const Operand& source, const Operand& destination,
                                      const char* what = "copy");
/// A copy in new dense memory: where the source lies, unless it is of sparse tensors.
template <ElementType T>
MutableTensor<T> dense_copy(const Operand& source) {
    if (source.node->reads(Below::device) && !source.node->reads(Below::sparse)) [[unlikely]]
        return MutableTensor<T>(cloned_operand<T>(source));
    const MutableTensor<T> result = empty<T>(source.dims.max_shape());
    assign(source, result.operand());
    return result;
}
/// A copy of the elements, which are numbers, strings or times, in new dense memory. Throws
/// `KindError` for more than 2³⁰ elements of sparse tensors, `DtypeError` for other types.
PURVIEW_EXPORT AnyTensor dense_clone_tensor(const AnyTensor& source);
/// The same in this process's memory, wherever the source lies.
PURVIEW_EXPORT Operand copied_to_memory(const Operand& source);
/// A copy of the elements in new memory; a sparse tensor gives sparse pairs. Throws `DtypeError`
/// for types other than numbers, strings and times.
PURVIEW_EXPORT AnyTensor clone_tensor(const AnyTensor& source);

/// Whether the elements of an operand lie in memory as C++ reads objects: in row-major order without
/// gaps, aligned, bools as bytes 0 and 1. What others have made may be otherwise: records without
/// padding, files, bools that are any byte. O(rank), of bools O(size).
PURVIEW_EXPORT bool lies_as_objects(const Operand& source);

/// Writes every element of `source` to `destination`, and returns `destination`. Casts, with
/// checks, if the types differ. Broadcasts axes of size 1 and missing axes. Between different
/// shapes of equal size, one of which has rank 1, copies in global order. Correct when the two
/// overlap. If a cast or a reader throws half way, `destination` is left partly written. Throws
/// `ShapeError`, `CastError`, `ReadOnlyError`.
struct CopyFunction {
    template <TensorLike Source, WritableHandle Destination>
    Destination operator()(const Source& source, const Destination& destination) const {
        require_may_write("copy", destination);
        copy_operand(source.operand(), destination.operand());
        return destination;
    }
    /// Copies from any array, and into foreign memory: a vector or span with as many elements.
    template <ForeignArray Source, WritableHandle Destination>
    Destination operator()(const Source& source, const Destination& destination) const {
        return (*this)(tensor_for_call(source), destination);
    }
    template <array_like Source, ForeignArray Destination>
        requires WritableMemory<Destination>
    void operator()(const Source& source, Destination&& destination) const {
        (*this)(source, borrow(destination));
    }
    template <array_like Source, TensorLike Destination>
        requires(!WritableHandle<Destination>)
    PURVIEW_REFUSED("copy(source, destination): the destination is a Tensor, which only reads",
                    operator()(const Source&, const Destination&) const);
    template <array_like Source>
    PURVIEW_REFUSED("copy(source, destination) writes to a destination: a copy in new memory is "
                    "clone(x)",
                    operator()(const Source&) const);
};
inline constexpr CopyFunction copy;

/// Sets every element of a mutable tensor to a value (also over bound dims), and returns the
/// tensor. Throws `CastError` when the value does not fit, `ReadOnlyError`.
struct FillFunction {
    template <TypedTensor X, std::convertible_to<typename X::value_type> V>
    requires WritableHandle<X> X operator()(const X& destination, const V& value) const {
        using T = typename X::value_type;
        const Operand element = [&] {
            if constexpr (BuiltinType<T> && std::is_arithmetic_v<V>)
                return constant_operand(checked_cast<T>(static_cast<Canonical<V>>(value)));
            else
                return constant_operand(static_cast<T>(value));
        }();
        if constexpr (HasDims<X>) // named/scatter_dims.hpp
            scatter_bound("fill", ScatterKind::assign, element, destination);
        else
            copy_operand(element, destination.operand(), "fill");
        return destination;
    }
    template <TypedTensor X, typename V>
        requires(!WritableHandle<X>)
    PURVIEW_REFUSED("fill(destination, value): the destination is a Tensor, which only reads",
                    operator()(const X&, const V&) const);
    template <typename V>
    requires std::is_arithmetic_v<V> AnyTensor operator()(const AnyTensor& destination,
                                                          V value) const {
        destination.require_writable("fill");
        copy_operand(constant_operand(static_cast<Canonical<V>>(value)), destination.operand(),
                     "fill");
        return destination;
    }
    /// A text or a time.
    template <WrittenValue V>
    AnyTensor operator()(const AnyTensor& destination, const V& value) const {
        destination.require_writable("fill");
        copy_operand(written_operand(value), destination.operand(), "fill");
        return destination;
    }
};
inline constexpr FillFunction fill;

/// Realises a tensor: copies its present elements into new row-major memory. O(size). A tensor with
/// dims keeps them.
struct CloneFunction : ArrayFunction<CloneFunction> {
    using ArrayFunction::operator();
    template <array_like X>
    auto operator()(const X& source) const {
        if constexpr (ForeignArray<X>)
            return tensor(tensor_for_call(source));
        else if constexpr (!TypedTensor<X>)
            return clone_tensor(source);
        else if constexpr (HasDims<X>)
            return cloned(source);
        else if constexpr (kDefersReductions<X>)
            return source; // a computation decides itself what it keeps in memory
        else
            return tensor(source);
    }
    template <typename X>
        requires(!array_like<X> && !StageLike<X>)
    PURVIEW_REFUSED("clone(x): x is a tensor, or an array", operator()(const X&) const);
};
inline constexpr CloneFunction clone;

/// The tensor itself if it is in memory in row-major order without gaps, aligned, and its bools are
/// bytes 0 and 1, so that `as_span` gives what C++ may read; else its clone. Of a sparse tensor, a
/// dense clone. What lies on a device is cloned there. O(rank) where it is the tensor itself, of bools
/// O(size). Throws `KindError` for a sparse tensor of more than 2³⁰ elements.
struct ContiguousFunction : ArrayFunction<ContiguousFunction> {
    using ArrayFunction::operator();
    template <array_like X>
    TensorOf<X> operator()(X&& x) const {
        const TensorOf<X>& source = lasting_tensor(std::forward<X>(x));
        if (lies_as_objects(source.operand())) return source;
        if constexpr (!TypedTensor<TensorOf<X>>)
            return source.operand().node->reads(Below::sparse)
                       ? AnyTensor(copied_to_memory(source.operand()))
                       : clone_tensor(source);
        else
            return TensorOf<X>(realised(source));
    }

private:
    template <TypedTensor X>
    static Operand realised(const X& source) {
        if constexpr (!HasDims<X>) {
            if (source.operand().node->reads(Below::sparse)) [[unlikely]] {
                check_dense_of_sparse("contiguous", source.operand());
                return dense_copy<typename X::value_type>(source.operand()).operand();
            }
        }
        return clone(source).operand();
    }
};
inline constexpr ContiguousFunction contiguous;

/// A vector of the elements in row-major order. O(size).
struct ToVectorFunction : ArrayFunction<ToVectorFunction> {
    using ArrayFunction::operator();
    template <array_like X>
        requires TypedTensor<TensorOf<X>>
    auto operator()(const X& source) const {
        if constexpr (ForeignArray<X>) {
            return (*this)(tensor_for_call(source));
        } else {
            using T = typename X::value_type;
            if constexpr (std::same_as<T, bool>) {
                return std::vector<bool>(source.begin(), source.end());
            } else {
                std::vector<T> values(static_cast<std::size_t>(source.size()));
                Evaluation(source.operand()).read(0, source.size(), values.data());
                return values;
            }
        }
    }
};
inline constexpr ToVectorFunction to_vector;

template <ElementType T>
Tensor<T>::operator std::vector<T>() const {
    return to_vector(*this);
}

template <typename T, std::size_t Rank>
struct NestedVector {
    using type = std::vector<typename NestedVector<T, Rank - 1>::type>;
};
template <typename T>
struct NestedVector<T, 0> {
    using type = T;
};

/// Vectors of vectors, `Rank` deep: `to_nested<2>(matrix)`. Throws `ShapeError` for another rank.
template <std::size_t Rank, TypedTensor X>
    requires(Rank >= 1)
typename NestedVector<typename X::value_type, Rank>::type to_nested(const X& source) {
    check_rank("to_nested", source.rank(), static_cast<int>(Rank));
    typename NestedVector<typename X::value_type, Rank>::type result;
    if constexpr (Rank == 1) {
        result = to_vector(source);
    } else {
        for (index_t i = 0; i < source.extent(0); ++i)
            result.push_back(to_nested<Rank - 1>(Tensor<typename X::value_type>(
                select_operand(source.operand(), std::array<TensorIndex, 1>{TensorIndex(i)}))));
    }
    return result;
}

} // namespace purview
