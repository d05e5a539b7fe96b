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

/// A tensor that has elements now, and no bound dims (for a handle with dims this is checked at run
/// time).
template <typename X>
concept EagerOperand = PlainOrOrdered<X> && !kDefersReductions<std::remove_cvref_t<X>>;

/// A predicate on elements.
template <typename F, typename T>
concept ElementPredicate = requires(const F& function, const T& element) {
    static_cast<bool>(function(element));
};

/// `argfilter(x > 0.5)`, or `mask | argfilter`: the indexes of the elements that are true (not
/// zero). With a predicate, `argfilter(pred, x)` or `x | argfilter(pred)`: of those for which it is
/// true.
///
/// int64 in memory of shape `[n]`, ascending: for rank 1 the indexes along the axis, for other
/// ranks row-major indexes (`reshape(x, {-1})(indexes)` selects by them). Eager: computes every
/// element once, and stores no mask. Throws `DtypeError` for elements that are not numbers.
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
