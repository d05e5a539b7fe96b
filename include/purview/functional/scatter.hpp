#pragma once

#include <purview/expression/scatter.hpp>
#include <purview/functional/operands.hpp>

namespace purview {

/// `values` cast, checked, to the type of `destination`, and broadcast to its shape. Throws `ShapeError`.
PURVIEW_EXPORT Operand scattered_operand(const char* what, const Operand& values,
                                         const Operand& destination);

/// Values for a destination: a tensor, or a number, which is cast as in `fill`.
template <typename V>
Operand scattered_values(const char* what, const V& values, const Operand& destination) {
    return scattered_operand(what, weak_operand(values).operand, destination);
}

/// `assign(take(x, indexes, axis), values)`: writes values to the elements that a gather names, or to any
/// writable view. `values` is a tensor that broadcasts to the destination's shape, or a number; it is cast,
/// checked. Where an element is named several times, the last value in row-major order stays. Everything is
/// looked at before anything is written: an error leaves x as it was. Correct where x, indexes and values
/// overlap. Throws `IndexError`, `ShapeError`, `CastError`, `ReadOnlyError`.
template <TensorLike Destination, typename V>
    requires(!HasDims<Destination> && !HasDims<V> && (TensorLike<V> || NumberLike<V>))
void assign(const Destination& destination, const V& values) {
    scatter("assign", Scatter::assign, scattered_values("assign", values, destination.operand()),
            destination.operand());
}

/// The same, but adds: an element that is named several times gets the sum of all its values, added in
/// row-major order, the same on every machine (NumPy's `add.at`, the gradient of `take`). Integers wrap. Throws
/// `DtypeError` for bools and types that are not built in.
template <TensorLike Destination, typename V>
    requires(!HasDims<Destination> && !HasDims<V> && (TensorLike<V> || NumberLike<V>))
void add_to(const Destination& destination, const V& values) {
    scatter("add_to", Scatter::add, scattered_values("add_to", values, destination.operand()),
            destination.operand());
}

} // namespace purview
