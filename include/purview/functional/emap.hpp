#pragma once

#include <purview/functional/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace purview {

/// A function of elements, applied to blocks of them, so that it is inlined into a loop.
template <typename F, typename R, typename... T>
class ElementFunction final : public BlockFunction {
public:
    explicit ElementFunction(F function) : function_(std::move(function)) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        apply_to(count, static_cast<R*>(out), operands, std::index_sequence_for<T...>{});
    }

private:
    template <std::size_t... I>
    void apply_to(index_t count, R* out, const void* const* operands,
                  std::index_sequence<I...>) const {
        const std::tuple<const T*...> x{static_cast<const T*>(operands[I])...};
        for (index_t i = 0; i < count; ++i)
            out[i] = static_cast<R>(function_(std::get<I>(x)[i]...));
    }

    F function_;
};

/// The tensor of `function(x[i]…)` over operands broadcast together. Results are stored as `Canonical`.
template <typename F, typename... X>
auto map_operands(F function, const X&... x) {
    using R = Canonical<std::decay_t<std::invoke_result_t<const F&, const OperandElement<X>&...>>>;
    static_assert(ElementType<R>, "emap: the function returns a regular type");
    auto block =
        std::make_shared<const ElementFunction<F, R, OperandElement<X>...>>(std::move(function));
    return result_of<ResultHandle<R, X...>>(
        [block = std::move(block)](auto... parts) {
            std::array<Operand, sizeof...(X)> operands{std::move(parts)...};
            broadcast_operands(operands, "emap");
            return elementwise<sizeof...(X)>(Op::map, kDType<R>, std::move(operands), block);
        },
        operand_as<OperandElement<X>>(x)...);
}

/// Applies a function of your own to the elements of tensors and scalars, broadcast together:
/// `emap(f, x, y)`, or `x | emap(f)`. Lazy. `f` is called through const, must be pure, and may be called
/// in any order, any number of times, from several threads.
struct EmapFunction {
    template <typename F, typename... X>
        requires((TypedTensor<X> || ...) && (TypedOperand<X> && ...) &&
                 std::invocable<const F&, const OperandElement<X>&...>)
    auto operator()(F function, const X&... x) const {
        return map_operands(std::move(function), x...);
    }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<TypedTensor X>(
            const X& x) requires std::invocable<const F&, const typename X::value_type&> {
            return map_operands(function, x);
        });
    }
};
inline constexpr AcceptingArrays<EmapFunction> emap;

} // namespace purview
