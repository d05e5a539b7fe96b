#pragma once

#include <purview/evaluation/scatter.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/copy.hpp>

namespace purview::inline v0_1 {

/// If the destination or the values have bound dims, named/scatter_dims.hpp implements it.
template <TensorLike Destination, typename V>
void scatter_values(const char* what, ScatterKind how, const V& values,
                    const Destination& destination) {
    require_may_write(what, destination);
    if constexpr (ForeignArray<V>)
        scatter_values(what, how, tensor_for_call(values), destination);
    else if constexpr (HasDims<V>)
        scatter_bound(what, how, values, destination);
    else if constexpr (HasDims<Destination>)
        scatter_bound(what, how, weak_operand(values).operand, destination);
    else
        scatter(what, how,
                scattered_operand(what, weak_operand(values).operand, destination.operand()),
                destination.operand());
}

/// `assign(take(x, indexes, axis), values)`, for a writable x: writes values to the elements that a
/// gather selects, or to any writable view. `values` is a tensor or another array that broadcasts
/// to the destination's shape, or a number; it is cast with checks. If an element is selected
/// several times, the last value in row-major order stays. An error leaves x as it was. Correct
/// where x, indexes and values overlap. Throws `IndexError`, `ShapeError`, `CastError`,
/// `ReadOnlyError`.
///
/// `assign(E(ids(i), f), values(i, f))` is `E[ids[i], f] = values[i, f]` in loops over the dims,
/// those of the destination first, in their order; positional axes of the values broadcast to those
/// of the destination. With windows, as in `E(i + k)`, and with dims that only the values have, an
/// element is selected several times, too. Throws `DimError` as well.
template <WritableHandle Destination, typename V>
    requires(array_like<V> || NumberLike<V>)
void assign(const Destination& destination, const V& values) {
    scatter_values("assign", ScatterKind::assign, values, destination);
}
template <TensorLike Destination, typename V>
    requires(!WritableHandle<Destination>)
PURVIEW_REFUSED("assign(destination, values): the destination is a Tensor, which only reads",
                assign(const Destination&, const V&));

/// `add_to(take(x, indexes, axis), values)`: adds values to the elements that a gather selects. An
/// element that is selected several times gets the sum of all its values, added in row-major order,
/// or in the order of the loops; the same on every machine (NumPy's `add.at`, the gradient of
/// `take`). Integers wrap. Otherwise as `assign`. Throws `DtypeError` for bools and types that are
/// not built-in.
template <WritableHandle Destination, typename V>
    requires(array_like<V> || NumberLike<V>)
void add_to(const Destination& destination, const V& values) {
    scatter_values("add_to", ScatterKind::add, values, destination);
}
template <TensorLike Destination, typename V>
    requires(!WritableHandle<Destination>)
PURVIEW_REFUSED("add_to(destination, values): the destination is a Tensor, which only reads",
                add_to(const Destination&, const V&));

/// `minimum_at(take(x, indexes, axis), values)`: each element that a gather selects becomes the
/// least of itself and all its values (NumPy's `minimum.at`); NaN if one of them is, as by
/// `minimum`. Of bools it is `&`; of times the least, and NaT as NaN. Otherwise as `assign`. Throws
/// `DtypeError` for other types that are not built-in.
template <WritableHandle Destination, typename V>
    requires(array_like<V> || NumberLike<V>)
void minimum_at(const Destination& destination, const V& values) {
    scatter_values("minimum_at", ScatterKind::least, values, destination);
}
template <TensorLike Destination, typename V>
    requires(!WritableHandle<Destination>)
PURVIEW_REFUSED("minimum_at(destination, values): the destination is a Tensor, which only reads",
                minimum_at(const Destination&, const V&));
/// `maximum_at(take(x, indexes, axis), values)`: each element that a gather selects becomes the
/// greatest of itself and all its values; of bools it is `|`. Otherwise as `minimum_at`.
template <WritableHandle Destination, typename V>
    requires(array_like<V> || NumberLike<V>)
void maximum_at(const Destination& destination, const V& values) {
    scatter_values("maximum_at", ScatterKind::greatest, values, destination);
}
template <TensorLike Destination, typename V>
    requires(!WritableHandle<Destination>)
PURVIEW_REFUSED("maximum_at(destination, values): the destination is a Tensor, which only reads",
                maximum_at(const Destination&, const V&));

} // namespace purview
