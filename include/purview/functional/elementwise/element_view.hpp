#pragma once

#include <purview/expression/leaf.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/reader/buffer.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {

/// The handle of a view of a part of each element: it writes to what `X` can write to.
template <typename X, ElementType M>
struct PartHandle {
    using type = ResultHandle<M, X>;
};
template <ElementType S, ElementType M>
struct PartHandle<MutableTensor<S>, M> {
    using type = MutableTensor<M>;
};
template <HasDims X, ElementType M>
    requires WritableHandle<X>
struct PartHandle<X, M> {
    using type = WritableForm<ResultHandle<M, X>, true>;
};
template <typename X, ElementType M>
using PartOf = typename PartHandle<std::remove_cvref_t<X>, M>::type;

/// The `count` elements of type M from `offset_bytes` within a leaf in memory on: a node that views
/// that memory, and writes to it where the leaf can.
template <ElementType M>
NodePtr memory_as(const Leaf& leaf, std::ptrdiff_t offset_bytes, index_t count,
                  index_t stride_bytes) {
    const Owner owner = leaf.shared_reader();
    const StorageId storage = leaf.reader().storage();
    if (leaf.writer() != nullptr && leaf.writable_memory()) {
        auto* const data = reinterpret_cast<M*>(
            static_cast<std::byte*>(leaf.writable_memory().data) + offset_bytes);
        auto buffer = std::make_shared<Buffer<M>>(data, count, stride_bytes, owner, storage);
        AnyWriter& writer = *buffer;
        return make_node<Leaf>(std::move(buffer), writer);
    }
    const auto* const data = reinterpret_cast<const M*>(
        static_cast<const std::byte*>(leaf.memory().data) + offset_bytes);
    return make_node<Leaf>(
        std::make_shared<const ConstBuffer<M>>(data, count, stride_bytes, owner, storage));
}

/// The parts of type M at `offset_bytes` within the elements of an operand in memory, as a view of
/// that memory; nothing if `x` is not in memory. O(1).
template <ElementType M>
std::optional<Operand> part_of_memory(const Operand& x, std::ptrdiff_t offset_bytes) {
    const Leaf* const leaf = leaf_of(x);
    if (leaf == nullptr || !leaf->memory()) return std::nullopt;
    return Operand{memory_as<M>(*leaf, offset_bytes, leaf->size(), leaf->memory().stride_bytes),
                   x.dims};
}

/// Every element reinterpreted as one of type `dtype`, which is trivially copyable and of the same
/// size, by a function called `word`. Lazy.
PURVIEW_EXPORT Operand with_same_bytes(const char* word, const Operand& x, DType dtype);
/// Times as the numbers that they are counted in; other operands as they are.
PURVIEW_EXPORT Operand times_as_counts(const Operand& x);
/// Counts as times of type `dtype`: a view of them where they are in memory and the unit is one of
/// NumPy's, else lazy. What is of this type already, as it is.
PURVIEW_EXPORT AnyTensor counts_as_times(AnyTensor counts, DType dtype);

/// The counts of times, a view of what is in memory, a constant of one, else lazy; other operands
/// as they are.
PURVIEW_EXPORT Operand tick_counts(const Operand& times);
/// The counts of times as int64; of NaT (time_element.hpp) the lowest.
PURVIEW_EXPORT Operand integer_counts(const Operand& times);
/// Integer counts as times of type `dtype`, the lowest int64 as NaT; what else its count does not
/// hold wraps.
PURVIEW_EXPORT Operand times_of(const Operand& counts, DType dtype);

/// Every element reinterpreted as type M, which is trivially copyable and of the same size: a view
/// if `x` is in memory, else lazy, by a function called `word`. O(1).
template <ElementType M, TypedTensor X>
auto same_bytes(const char* word, const X& x) {
    using S = OperandElement<X>;
    static_assert(sizeof(M) == sizeof(S) && std::is_trivially_copyable_v<M> &&
                  std::is_trivially_copyable_v<S>);
    return result_of<PartOf<X, M>>(
        [word](const Operand& operand) {
            if (std::optional<Operand> view = part_of_memory<M>(operand, 0))
                return *std::move(view);
            return with_same_bytes(word, operand, kDType<M>);
        },
        operand_as<S>(x));
}

/// A part of every element: a view if `x` is in memory, else the lazy result of `part`, which is
/// called `word`. Stored as `Canonical`.
template <TypedTensor X, typename F>
auto part_of_elements(const char* word, const X& x, std::ptrdiff_t offset_bytes, F part) {
    using S = OperandElement<X>;
    using M = Canonical<std::decay_t<std::invoke_result_t<const F&, const S&>>>;
    static_assert(ElementType<M>, "elements are of a regular type");
    return result_of<PartOf<X, M>>(
        [word, offset_bytes, part = std::move(part)](Operand operand) {
            if (std::optional<Operand> view = part_of_memory<M>(operand, offset_bytes))
                return *std::move(view);
            return map_operands<M, S>(FunctionName(word, offset_bytes), part, {std::move(operand)});
        },
        operand_as<S>(x));
}

} // namespace purview
