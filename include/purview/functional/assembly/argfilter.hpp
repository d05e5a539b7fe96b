#pragma once

#include <purview/evaluation/selection.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/plain_tensor.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview {

/// A tensor without bound dims that has elements now. (A handle with dims is asked for them when it is called.)
template <typename X>
concept EagerOperand = PlainOrOrdered<X> && !kFoldsLater<std::remove_cvref_t<X>>;

/// A function of elements that tells which are wanted.
template <typename F, typename T>
concept ElementPredicate = requires(const F& function, const T& element) {
    static_cast<bool>(function(element));
};

/// The indexes of the elements that are true (not zero): `argfilter(x > 0.5)`, or `mask | argfilter`. With a
/// function of elements, `argfilter(pred, x)` or `x | argfilter(pred)`, of those it is true for.
///
/// int64 in memory of shape `[n]`, ascending: indexes along a tensor of one axis, row-major ones of a tensor of
/// several (`reshape(x, {-1})(indexes)` selects by them). Eager: computes every element once, and no mask in
/// memory. `DtypeError` for elements that are no numbers.
struct ArgfilterFunction : PipelineStage {
    template <EagerOperand X>
    MutableTensor<std::int64_t> operator()(const X& mask) const {
        if constexpr (TypedTensor<X>)
            static_assert(BuiltinType<typename X::value_type>,
                          "argfilter: elements are true or false, or numbers; or give a function");
        return over<std::int64_t>(true_positions(cast_operand(mask.operand(), boolean, Op::cast)));
    }
    template <typename F, EagerOperand X>
        requires TypedTensor<X> && ElementPredicate<F, typename X::value_type>
            MutableTensor<std::int64_t>
    operator()(F pred, const X& x) const { return (*this)(emap(as_predicate(std::move(pred)), x)); }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F pred) const {
        return Stage(
            [pred = std::move(pred)]<EagerOperand X>(const X& x) requires TypedTensor<X> &&
            ElementPredicate<F, typename X::value_type> { return ArgfilterFunction{}(pred, x); });
    }

private:
    template <typename F>
    static auto as_predicate(F pred) {
        return [pred = std::move(pred)](const auto& element) {
            return static_cast<bool>(pred(element));
        };
    }

    template <ElementType T>
    static MutableTensor<T> over(BufferPtr<T> buffer) {
        const index_t count = buffer->size();
        return purview::over<T>(std::move(buffer), Dimensions::row_major(ShapeSpan(&count, 1)));
    }
};
inline constexpr AcceptingArrays<ArgfilterFunction> argfilter;

} // namespace purview
