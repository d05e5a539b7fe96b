#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/wrap.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The element type of a column of members of type M: for an array member, that of the array;
/// `Canonical` (`long long` is int64).
template <typename M>
using ColumnElement = Canonical<std::remove_const_t<std::remove_extent_t<M>>>;

/// The tensor of `member` of structs in memory, as `wrap_memory` does it for elements; an array
/// member adds a last axis.
template <typename P, typename S, typename M>
auto column_of_memory(const char* what, P* pointer, M S::*member, index_t extent, ShapeSpan shape,
                      ShapeSpan strides, Owner owner) {
    using E = ColumnElement<M>;
    constexpr bool kReadOnly = std::is_const_v<P> || std::is_const_v<std::remove_extent_t<M>>;
    using Stored = std::conditional_t<kReadOnly, const E, E>;
    static_assert(ElementType<E>, "column: members are of a regular type");
    static_assert(std::rank_v<M> <= 1, "column: members are no arrays of arrays");
    ForeignLayout layout = foreign_layout(what, pointer, shape, strides, extent);
    if constexpr (std::is_array_v<M>) {
        static_assert(
            sizeof(P) % sizeof(E) == 0,
            "column: the size of the struct is a multiple of that of an array's elements");
        Shape inner_shape = to_shape(shape), inner_strides = to_shape(strides);
        for (index_t& stride : inner_strides)
            stride = checked_multiply(stride, static_cast<index_t>(sizeof(P) / sizeof(E)), what);
        inner_shape.push_back(static_cast<index_t>(std::extent_v<M>));
        inner_strides.push_back(1);
        Stored* const data = layout.count > 0
                                 ? reinterpret_cast<Stored*>(std::addressof((pointer->*member)[0]))
                                 : nullptr;
        return wrap_memory(what, data, -1, inner_shape, inner_strides, std::move(owner));
    } else {
        P* const lowest = layout.count > 0 ? pointer + layout.lowest : pointer;
        Stored* const data =
            layout.count > 0 ? reinterpret_cast<Stored*>(std::addressof(lowest->*member)) : nullptr;
        const StorageId storage =
            layout.count > 0 ? StorageId{lowest, layout.count * index_t{sizeof(P)}} : StorageId{};
        if constexpr (kReadOnly) {
            auto buffer = std::make_shared<const ConstBuffer<E>>(
                data, layout.count, index_t{sizeof(P)}, std::move(owner), storage);
            return Tensor<E>(Operand{make_node<Leaf>(std::move(buffer)), std::move(layout.dims)});
        } else {
            auto buffer = std::make_shared<Buffer<E>>(data, layout.count, index_t{sizeof(P)},
                                                      std::move(owner), storage);
            if (!layout.is_unique) // elements that share an address must not be written
                return MutableTensor<E>(
                    Operand{make_node<Leaf>(std::move(buffer)), std::move(layout.dims)});
            return over<E>(std::move(buffer), std::move(layout.dims));
        }
    }
}

/// `column(t, &S::member)`, `t | column(&S::member)`: one member of every struct of a tensor. For
/// structs in memory a view in the tensor's layout, writable where the tensor is; for computed
/// structs lazy. O(1).
///
/// `column(pointer, &S::member, shape, strides, owner)`, and the other forms of `wrap`: one member
/// of foreign structs, zero-copy, strided; strides count structs, and may be left out. S need not
/// be regular, only the member. Writable unless S or the member is const. An array member adds a
/// last axis. The owner lives as long as anything that reads the memory. O(rank). Throws as `wrap`
/// does.
template <TypedTensor X, typename S, typename M>
    requires(std::derived_from<OperandElement<X>, S>&& std::is_object_v<M> && !std::is_array_v<M>)
auto column(const X& x, M S::*member) {
    const OperandElement<X> element{};
    const auto* const whole = reinterpret_cast<const std::byte*>(std::addressof(element));
    const auto* const part = reinterpret_cast<const std::byte*>(std::addressof(element.*member));
    return part_of_elements("column", x, part - whole,
                            [member](const OperandElement<X>& each) { return each.*member; });
}
template <typename S, typename M>
auto column(M S::*member) {
    return Stage([member]<TypedTensor X>(const X& x) requires(
        std::derived_from<OperandElement<X>, S>) { return column(x, member); });
}
template <typename P, typename S, typename M, typename O>
    requires std::derived_from<std::remove_const_t<P>, S>
auto column(P* pointer, M S::*member, AxisValues shape, AxisValues strides, O&& owner) {
    return column_of_memory("column", pointer, member, -1, shape, strides,
                            make_owner(std::forward<O>(owner)));
}
template <typename P, typename S, typename M, typename O>
    requires std::derived_from<std::remove_const_t<P>, S>
auto column(P* pointer, M S::*member, AxisValues shape, O&& owner) {
    return column(pointer, member, shape, row_major_strides(shape), std::forward<O>(owner));
}
template <typename P, std::size_t Extent, typename S, typename M, typename O>
    requires std::derived_from<std::remove_const_t<P>, S>
auto column(std::span<P, Extent> structs, M S::*member, O&& owner) {
    const index_t count = std::ssize(structs);
    const Shape shape{count};
    return column_of_memory("column", structs.data(), member, count, shape,
                            row_major_strides(shape), make_owner(std::forward<O>(owner)));
}

/// A member of structs in memory as a tensor, as by `column`, without an owner: the caller
/// guarantees that the structs outlive every tensor over them.
template <typename P, typename S, typename M>
    requires std::derived_from<std::remove_const_t<P>, S>
auto borrow_column(P* pointer, M S::*member, AxisValues shape, AxisValues strides) {
    return column_of_memory("borrow_column", pointer, member, -1, shape, strides,
                            borrowed(pointer));
}
template <typename P, typename S, typename M>
    requires std::derived_from<std::remove_const_t<P>, S>
auto borrow_column(P* pointer, M S::*member, AxisValues shape) {
    return borrow_column(pointer, member, shape, row_major_strides(shape));
}
/// `borrow_column(particles, &Particle::mass)`: a member of the structs of a contiguous range that
/// is not a temporary.
template <std::ranges::contiguous_range R, typename S, typename M>
    requires OutlivesCall<R> && std::derived_from<std::ranges::range_value_t<R>, S>
auto borrow_column(R&& structs, M S::*member) {
    const auto count = static_cast<index_t>(std::ranges::size(structs));
    const Shape shape{count};
    return column_of_memory("borrow_column", std::ranges::data(structs), member, count, shape,
                            row_major_strides(shape), borrowed(std::ranges::data(structs)));
}

/// `structs<S>(x, y, …)`, the inverse of `column`: the tensor of `S{x[i], y[i], …}`, from tensors
/// and scalars broadcast together. Lazy.
template <ElementType S, typename... X>
    requires((TypedTensor<X> || ...) && (TypedOperand<X> && ...))
auto structs(const X&... members) {
    return map_elements(
        FunctionName("structs"), [](const OperandElement<X>&... values) { return S{values...}; },
        members...);
}

} // namespace purview
