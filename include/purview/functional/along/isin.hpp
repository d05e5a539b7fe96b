#pragma once

#include <purview/functional/along/searchsorted.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/literal.hpp>

#include <algorithm>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// Whether each element occurs in `others`: of built-in types, compared in their common type, or of
/// strings or times of one type, known at run time. Bools in the shape of `x`.
PURVIEW_EXPORT Operand found_among(WeakOperand x, WeakOperand others);

/// `isin(x, others)`, or a stage, `x | isin(others)`: whether each element of `x` equals one of
/// `others`, which may have any shape: bools in memory of the shape of `x`, under its dims; for a
/// number, a bool. Types are promoted as in `x == others`; NaN and NaT equal nothing. Elements of types
/// that are not built-in need `<`. Eager, O(m log m + n log m), and O(n + m) for integers in a
/// small range; parallel. Throws `DtypeError`, `KindError` for sparse tensors.
struct IsinFunction : RefusedAlong {
    using RefusedAlong::operator();

    template <looked_up X, plain_number_array O>
        requires comparable_with<X, O>
    auto operator()(const X& x, const O& others) const {
        const auto& list = tensor_for_call(others);
        return look_up<bool>(x, [&](const WeakOperand& values) {
            return found_among(values, {list.operand(), false});
        });
    }
    /// Elements of a type that has an order and is not built-in; those of `x` may be of a type
    /// known at run time. Throws `DtypeError` unless both have it.
    template <lanes X, searched_array O>
        requires(!plain_number_array<O> && ElementOrder<Generic<Op::less>, ElementOrVoid<O>> &&
                 (std::same_as<ElementOrVoid<X>, ElementOrVoid<O>> ||
                  std::is_void_v<ElementOrVoid<X>>))
    MutableTensor<bool>
    operator()(const X& x, const O& others) const {
        using T = ElementOrVoid<O>;
        return objects_found(as_tensor<T>(tensor_for_call(x)), Tensor<T>(operand_for_call(others)));
    }
    /// Among others whose type is known at run time.
    template <lanes X, plain_array O>
        requires(std::is_void_v<ElementOrVoid<O>> && !kIsNumberOrVoid<ElementOrVoid<X>> &&
                 ElementOrder<Generic<Op::less>, ElementOrVoid<X>>)
    MutableTensor<bool>
    operator()(const X& x, const O& others) const {
        return (*this)(x, AnyTensor(operand_for_call(others)).template as<ElementOrVoid<X>>());
    }
    /// `isin(x, {1, 2})`.
    template <array_like X, typename V>
    auto operator()(const X& x, std::initializer_list<V> others) const {
        return (*this)(x, tensor(others));
    }
    template <typename O>
        requires(plain_number_array<O> || searched_array<O>)
    auto operator()(O&& others) const {
        return make_stage(*this, kept_argument(std::forward<O>(others)));
    }

private:
    template <typename T>
    static MutableTensor<bool> objects_found(const Tensor<T>& x, const Tensor<T>& others) {
        std::vector<T> sorted = to_vector(others);
        std::sort(sorted.begin(), sorted.end());
        MutableTensor<bool> result = empty<bool>(x.shape());
        bool* out = as_span(result).data();
        for (const T& value : x)
            *out++ =
                !is_nat_value(value) && std::binary_search(sorted.begin(), sorted.end(), value);
        return brought_to(x.operand(), result);
    }
};
inline constexpr IsinFunction isin;

} // namespace purview
