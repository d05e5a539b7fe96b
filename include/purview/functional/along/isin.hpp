#pragma once

#include <purview/functional/along/searchsorted.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/literal.hpp>

#include <algorithm>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace purview {

/// Whether each element occurs in `others`, compared in the type `compute`: bools in the shape of
/// `x`.
PURVIEW_EXPORT Operand found_among(const Operand& x, const Operand& others, DType compute);

/// `isin(x, others)`, or a stage, `x | isin(others)`: whether each element of `x` equals one of
/// `others`, which may have any shape: bools in memory of the shape of `x`, under its dims; for a
/// number, a bool. Types are promoted as in `x == others`; NaN equals nothing. Elements of types
/// that are not built-in need `<`. Eager, O(m log m + n log m), and O(n + m) for integers in a
/// small range; parallel. Throws `DtypeError`, `KindError` for sparse tensors.
struct IsinFunction {
    template <SearchedValues X, NumberTensor O>
        requires(!TypedTensor<X> || BuiltinType<OperandElement<X>>)
    auto operator()(const X& x, const O& others) const {
        const DType compute = compared_dtype("isin", x, others);
        return in_shape_of<bool>(x, [&](const Operand& values) {
            return found_among(values, others.operand(), compute);
        });
    }
    template <NumberLike X, NumberTensor O>
    bool operator()(const X& x, const O& others) const {
        WeakOperand value = weak_operand(x);
        WeakOperand list = weak_operand(others);
        const DType compute = computed_dtype("isin", value, list);
        return Tensor<bool>(found_among(value.operand, list.operand, compute)).item();
    }
    /// `isin(x, {1, 2})`.
    template <array_like X, typename V>
    auto operator()(const X& x, std::initializer_list<V> others) const {
        return (*this)(as_tensor(x), tensor(others));
    }
    template <ElementType T>
        requires(!BuiltinType<T>)
    MutableTensor<bool>
    operator()(const Tensor<T>& x, const Tensor<T>& others) const {
        static_assert(ElementOrder<Less, T>, "isin: this element type has no `<`");
        std::vector<T> sorted(static_cast<std::size_t>(others.size()));
        Evaluation(others.operand()).read(0, others.size(), sorted.data());
        std::sort(sorted.begin(), sorted.end());
        MutableTensor<bool> result = empty<bool>(x.shape());
        const Evaluation evaluation(x.operand());
        T value{};
        for (index_t i = 0; bool& found : as_span(result)) {
            evaluation.read(i++, 1, &value);
            found = std::binary_search(sorted.begin(), sorted.end(), value);
        }
        return result;
    }
    /// Of elements whose type is known at run time. Throws `DtypeError` unless `others` has it.
    template <ElementType T>
        requires(!BuiltinType<T>)
    MutableTensor<bool>
    operator()(const AnyTensor& x, const Tensor<T>& others) const {
        return (*this)(as_tensor<T>(x), others);
    }
    template <NumberTensor O>
    auto operator()(const O& others) const {
        return make_stage(*this, others);
    }
    template <ElementType T>
        requires(!BuiltinType<T>)
    auto operator()(const Tensor<T>& others) const { return make_stage(*this, others); }
};
inline constexpr AcceptingArrays<IsinFunction> isin;

} // namespace purview
