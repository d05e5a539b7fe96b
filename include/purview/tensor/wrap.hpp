#pragma once

#include <purview/base/range_concepts.hpp>
#include <purview/tensor/create.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The layout of foreign memory, seen through a shape and strides. Addresses are counted from the
/// lowest element.
struct ForeignLayout {
    Dimensions dims;       ///< maps coordinates to addresses counted from the lowest element
    index_t lowest = 0;    ///< the offset of the lowest element from the pointer, in elements
    index_t count = 0;     ///< the number of addresses, from the lowest to the highest
    bool is_unique = true; ///< no two elements share an address
};

/// Checks a layout. With `extent` >= 0, every element must lie in [pointer, pointer + extent).
/// Throws `ShapeError` naming the addresses, and when a non-empty layout has a null pointer.
PURVIEW_EXPORT ForeignLayout foreign_layout(const char* what, const void* pointer, ShapeSpan shape,
                                            ShapeSpan strides, index_t extent);
PURVIEW_EXPORT Shape row_major_strides(ShapeSpan shape);
/// Throws `ShapeError`: the mapping of an mdspan has no strides.
[[noreturn]] PURVIEW_EXPORT void throw_without_strides(const char* what);

/// What keeps memory alive: a shared pointer, or an object that is moved in. Not a pointer, a
/// number, a list of strides or a view.
template <typename O>
concept KeepsAlive = std::convertible_to<O, Owner> ||
    (!std::is_reference_v<O> && !std::is_pointer_v<O> && !std::is_arithmetic_v<O> &&
     !__is_base_of(ShapeSpan, O) && !std::is_same_v<O, Shape> && !std::ranges::view<O>);

/// Converts anything that keeps memory alive to an `Owner`: a shared pointer of any kind (its
/// deleter releases the memory), or an object that is moved in, which is destroyed with the last
/// tensor over the memory.
template <typename O>
Owner make_owner(O&& owner) {
    if constexpr (std::same_as<std::remove_cvref_t<O>, std::nullptr_t>) {
        throw_without_owner("wrap");
    } else if constexpr (std::convertible_to<O&&, Owner>) {
        Owner shared = std::forward<O>(owner);
        if (shared == nullptr) throw_without_owner("wrap");
        return shared;
    } else {
        return std::make_shared<const std::remove_cvref_t<O>>(std::forward<O>(owner));
    }
}

/// Foreign memory of elements of type T, const or not, `count` of them from `first` on, in a layout.
template <typename T>
Operand foreign_operand(const T* first, ForeignLayout layout, Owner owner, StorageId storage) {
    return {make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                first, layout.count, index_t{sizeof(T)}, std::move(owner), storage)),
            std::move(layout.dims)};
}
template <typename T>
Operand foreign_operand(T* first, ForeignLayout layout, Owner owner, StorageId storage) {
    auto buffer = std::make_shared<Buffer<T>>(first, layout.count, index_t{sizeof(T)},
                                              std::move(owner), storage);
    // Elements that share an address must not be written.
    if (!layout.is_unique) return {make_node<Leaf>(std::move(buffer)), std::move(layout.dims)};
    return operand_over(std::move(buffer), std::move(layout.dims));
}

template <typename P>
auto wrap_memory(const char* what, P* pointer, index_t extent, ShapeSpan shape, ShapeSpan strides,
                 Owner owner) {
    static_assert(ElementType<std::remove_const_t<P>>, "wrap: elements are of a regular type");
    using T = Canonical<P>;
    using C = std::conditional_t<std::is_const_v<P>, const T, T>;
    using Result = std::conditional_t<std::is_const_v<P>, Tensor<T>, MutableTensor<T>>;
    ForeignLayout layout = foreign_layout(what, pointer, shape, strides, extent);
    // `long long` is read as int64, which has the same bytes; elements are loaded and stored
    // bytewise.
    C* const first = reinterpret_cast<C*>(layout.count > 0 ? pointer + layout.lowest : pointer);
    const StorageId storage =
        extent > 0 ? StorageId{pointer, extent * index_t{sizeof(T)}} : StorageId{};
    return Result(foreign_operand(first, std::move(layout), std::move(owner), storage));
}

/// Foreign memory as a tensor, zero-copy: a `Tensor` over const elements, else a `MutableTensor`
/// that writes through (read-only if strides make elements share an address). `pointer` is the
/// element at coordinates 0; strides count elements, and may be negative or zero. `owner` (a shared
/// pointer with any deleter, or an object that is moved in) lives as long as anything that reads
/// the memory. Trivially copyable types need no alignment, and a bool is true for any nonzero byte.
/// O(rank). Throws `ShapeError` for a layout that cannot be addressed, `Error` for a null owner.
template <typename P, KeepsAlive O>
    requires std::is_pointer_v<P>
auto wrap(const P& pointer, AxisValues shape, AxisValues strides, O&& owner) {
    return wrap_memory("wrap", pointer, -1, shape, strides, make_owner(std::forward<O>(owner)));
}
/// Foreign memory in row-major order without gaps as a tensor, zero-copy.
template <typename P, KeepsAlive O>
    requires std::is_pointer_v<P>
auto wrap(const P& pointer, AxisValues shape, O&& owner) {
    return wrap(pointer, shape, row_major_strides(shape), std::forward<O>(owner));
}
/// Foreign memory of known length as a tensor, zero-copy. Throws `ShapeError` for a layout that
/// leaves it.
template <typename P, std::size_t Extent, KeepsAlive O>
auto wrap(std::span<P, Extent> memory, AxisValues shape, AxisValues strides, O&& owner) {
    return wrap_memory("wrap", memory.data(), std::ssize(memory), shape, strides,
                       make_owner(std::forward<O>(owner)));
}
template <typename P, std::size_t Extent, KeepsAlive O>
auto wrap(std::span<P, Extent> memory, AxisValues shape, O&& owner) {
    return wrap(memory, shape, row_major_strides(shape), std::forward<O>(owner));
}

#define PURVIEW_OWNS_NOTHING \
 "wrap: this owns nothing; the owner, the last argument, is a shared pointer, or an object moved in"
template <typename P, typename O>
    requires(!KeepsAlive<O>)
PURVIEW_REFUSED(PURVIEW_OWNS_NOTHING, wrap(const P&, AxisValues, O&&));
template <typename P, typename O>
    requires(!KeepsAlive<O>)
PURVIEW_REFUSED(PURVIEW_OWNS_NOTHING, wrap(const P&, AxisValues, AxisValues, O&&));
template <typename P>
PURVIEW_REFUSED(PURVIEW_OWNS_NOTHING, wrap(const P&, AxisValues));
#undef PURVIEW_OWNS_NOTHING

/// Foreign memory as a tensor, as by `wrap`, without an owner: the caller guarantees that it
/// outlives every tensor over it. Tensors over borrowed memory are the only ones that can dangle.
template <typename P>
    requires std::is_pointer_v<P>
auto borrow(const P& pointer, AxisValues shape, AxisValues strides) {
    return wrap_memory("borrow", pointer, -1, shape, strides, borrowed(pointer));
}
template <typename P>
    requires std::is_pointer_v<P>
auto borrow(const P& pointer, AxisValues shape) {
    return borrow(pointer, shape, row_major_strides(shape));
}
/// Ranges whose elements still exist after a call: lvalues and views, but not temporaries.
template <typename R>
concept OutlivesCall = std::is_lvalue_reference_v<R> || std::ranges::borrowed_range<R>;
/// Arrays of other libraries that are ranges too: `purview/interop/foreign_types.hpp` sees their
/// shape, which `borrow` of a range would not.
template <typename R>
concept HasOwnShape = requires(R& memory) {
    memory.data_offset();
}
|| requires(R& memory) { memory.outerStride(); };

/// The elements of a contiguous range, in rank 1 or in a shape that they suffice for.
template <std::ranges::contiguous_range R>
    requires OutlivesCall<R>
auto borrow(R&& memory, AxisValues shape, AxisValues strides) {
    return wrap_memory("borrow", std::ranges::data(memory),
                       static_cast<index_t>(std::ranges::size(memory)), shape, strides,
                       borrowed(std::ranges::data(memory)));
}
template <std::ranges::contiguous_range R>
    requires OutlivesCall<R>
auto borrow(R&& memory, AxisValues shape) {
    return borrow(std::forward<R>(memory), shape, row_major_strides(shape));
}
template <std::ranges::contiguous_range R>
    requires(!OutlivesCall<R> && !HasOwnShape<R>)
PURVIEW_REFUSED("borrow(range): the range is a temporary: name it, or own it: tensor(range, shape)",
                borrow(R&&, AxisValues = {}, AxisValues = {}));
template <std::ranges::contiguous_range R>
    requires(OutlivesCall<R> && !HasOwnShape<R>)
auto borrow(R&& memory) {
    const index_t n = static_cast<index_t>(std::ranges::size(memory));
    return borrow(std::forward<R>(memory), AxisValues({n}));
}

// Leaves over foreign memory of the built-in types are compiled once, in src/tensor/wrap.cpp.
#define PURVIEW_FOREIGN_MEMORY(what, T)                                                  \
 what template PURVIEW_EXPORT Operand foreign_operand<T>(const T*, ForeignLayout, Owner, \
                                                         StorageId);                     \
 what template PURVIEW_EXPORT Operand foreign_operand<T>(T*, ForeignLayout, Owner, StorageId);
#define PURVIEW_EXTERN_FOREIGN_MEMORY(T) PURVIEW_FOREIGN_MEMORY(extern, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_FOREIGN_MEMORY)
#undef PURVIEW_EXTERN_FOREIGN_MEMORY

} // namespace purview
