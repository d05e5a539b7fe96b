#pragma once

#include <purview/io/stored_array.hpp>
#include <purview/named/dim_tensor.hpp>

#include <concepts>
#include <initializer_list>
#include <span>

namespace purview::inline v0_1 {

/// `bind_dims<T>(array, dims…)` with the dims in a list, of any element type.
PURVIEW_EXPORT DimOperand bind_named_axes(const StoredArray& array,
                                          std::span<const Dim* const> dims);

/// `bind_dims<float>(array, time, y, x)`: the array's values with each Dim bound to the axis of its
/// name, in any order; other axes stay positional. O(rank), nothing is read. Throws `DimError` naming
/// the Dim and the axes where none has its name, or several do, and for a Dim of another size;
/// `DtypeError` for elements of another type.
template <ElementType T, std::same_as<Dim>... D>
DimTensor<T> bind_dims(const StoredArray& array, const D&... dims) {
    StoredArray typed = array;
    typed.values = array.values.as<T>();
    const std::initializer_list<const Dim*> list{&dims...};
    return DimTensor<T>(bind_named_axes(typed, {list.begin(), list.size()}));
}
/// The same of an element type known at run time.
template <std::same_as<Dim>... D>
AnyDimTensor bind_dims(const StoredArray& array, const D&... dims) {
    const std::initializer_list<const Dim*> list{&dims...};
    return AnyDimTensor(bind_named_axes(array, {list.begin(), list.size()}));
}

} // namespace purview
