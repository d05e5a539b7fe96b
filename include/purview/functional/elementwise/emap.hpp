#pragma once

#include <purview/expression/element_function.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace purview::inline v0_1 {

/// A function of elements in memory, which passes them by reference: for types that are expensive
/// to copy, such as strings.
template <typename F, typename R, typename S>
class MappedMemory final : public Reader<R> {
public:
    /// Precondition: `leaf` has memory.
    MappedMemory(F function, const Leaf& leaf)
        : function_(std::move(function)),
          source_(leaf.shared_reader()),
          first_(static_cast<const std::byte*>(leaf.memory().data)),
          stride_(leaf.memory().stride_bytes),
          size_(leaf.size()) {}

    index_t size() const override { return size_; }
    R read(index_t i) const override { return static_cast<R>(function_(element(i))); }
    void read_block(index_t begin, index_t step, std::span<R> out) const override {
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<R>(function_(element(begin + static_cast<index_t>(i) * step)));
    }
    bool is_thread_safe() const noexcept override { return source_->is_thread_safe(); }
    std::vector<StorageId> storages() const override { return source_->storages(); }
    const Backend* backend() const noexcept override { return source_->backend(); }

private:
    const S& element(index_t i) const { return *reinterpret_cast<const S*>(first_ + i * stride_); }

    F function_;
    std::shared_ptr<const AnyReader> source_;
    const std::byte* first_;
    index_t stride_;
    index_t size_;
};

/// An operand as an argument of a call: of a scalar its value.
template <typename X>
auto bound_scalar(const X& x) {
    if constexpr (TensorLike<X>)
        return std::monostate{};
    else
        return static_cast<OperandElement<X>>(x);
}
template <typename X, typename S, typename Bound>
const auto& argument_of(const S& element, const Bound& bound) {
    if constexpr (TensorLike<X>)
        return element;
    else
        return bound;
}
template <typename... X>
inline constexpr bool kOneTensor = (int{TensorLike<X>} + ...) == 1;
template <typename First, typename... Rest>
const auto& only_tensor(const First& first, const Rest&... rest) {
    if constexpr (TensorLike<First>)
        return first;
    else
        return only_tensor(rest...);
}

/// The general case of `map_elements`, block by block.
template <typename R, typename Name, typename F, typename... X>
auto map_blocks(Name name, F function, const X&... x) {
    using Function = ElementFunction<Name, F, R, OperandElement<X>...>;
    const char* const word = name.word;
    auto block = std::make_shared<const Function>(std::move(name), std::move(function));
    return result_from<R>(
        [word, block = std::move(block)](auto... parts) {
            std::array<Operand, sizeof...(X)> operands{widened_operand(std::move(parts))...};
            broadcast_operands(operands, word);
            return elementwise<sizeof...(X)>(Op::map, kDType<R>, std::move(operands), block);
        },
        x...);
}

/// The tensor of `function(x[i]…)` for operands broadcast together. Results are stored as
/// `Canonical`. `name` is a `FunctionName`, or `NoName`.
template <typename Name, typename F, typename... X>
auto map_elements(Name name, F function, const X&... x) {
    using R = Canonical<std::decay_t<std::invoke_result_t<const F&, const OperandElement<X>&...>>>;
    static_assert(ElementType<R>, "emap: the function returns a regular type");
    if constexpr (!kOneTensor<X...>) {
        return map_blocks<R>(std::move(name), std::move(function), x...);
    } else {
        using S = OperandElement<decltype(only_tensor(x...))>;
        if constexpr (BuiltinType<S> || std::is_trivially_copyable_v<S>) {
            return map_blocks<R>(std::move(name), std::move(function), x...);
        } else {
            const auto of_element = [function, ... bound = bound_scalar(x)](const S& element) {
                return function(argument_of<X>(element, bound)...);
            };
            if constexpr (!std::is_same_v<Name, NoName>) (name.add(bound_scalar(x)), ...);
            using Function = ElementFunction<Name, decltype(of_element), R, S>;
            auto block = std::make_shared<const Function>(std::move(name), of_element);
            return result_from<R>(
                [of_element, block = std::move(block)](Operand operand) {
                    const Leaf* const leaf = leaf_of(operand);
                    if (leaf == nullptr || !leaf->memory())
                        return elementwise<1>(Op::map, kDType<R>, {std::move(operand)}, block);
                    using Mapped = MappedMemory<std::remove_const_t<decltype(of_element)>, R, S>;
                    return Operand{
                        make_node<Leaf>(std::make_shared<const Mapped>(of_element, *leaf)),
                        operand.dims};
                },
                only_tensor(x...));
        }
    }
}

/// The lazy result of a user's `function` of these operands.
template <typename F, typename... X>
auto map_operands(F function, const X&... x) {
    return map_elements(NoName(), std::move(function), x...);
}

/// Whether `F` is a function of the elements of these operands.
template <typename F, typename... X>
concept MapsElements =
    (TypedTensor<X> || ...) &&
    (TypedOperand<X> && ...) && std::invocable<const F&, const OperandElement<X>&...>;

/// `emap(f, x, y)`, or `x | emap(f)`: applies a user's function to the elements of tensors, arrays
/// and scalars, broadcast together. Lazy. `f` is called through const, must be pure, and may be
/// called in any order, any number of times, from several threads.
struct EmapFunction {
    /// Operands, but no function of as many of their elements.
    template <typename F, typename... X>
        requires(sizeof...(X) > 0 && !array_like<F> && !MapsElements<F, TensorOf<X>...> &&
                 !MapsElements<F, std::remove_cvref_t<X>...>)
    PURVIEW_REFUSED("emap: the function is called with one element of each operand, whose type the "
                    "compiler knows (any.as<double>()): emap(f, x) of one, emap(f, x, y) of two",
                    operator()(const F&, X&&...) const);
    template <typename F, typename... X>
        requires MapsElements<F, TensorOf<X>...>
    auto operator()(F function, X&&... x) const {
        return map_operands(std::move(function), lasting_tensor(std::forward<X>(x))...);
    }
    /// An array that is no tensor may be one value for all elements.
    template <typename F, typename... X>
        requires(!MapsElements<F, TensorOf<X>...> && MapsElements<F, std::remove_cvref_t<X>...>)
    auto operator()(F function, X&&... x) const { return map_operands(std::move(function), x...); }
    template <typename F>
        requires(!array_like<F>)
    auto operator()(F function) const {
        return Stage([function = std::move(function)]<typename X>(
            const X& x) requires MapsElements<F, X> { return map_operands(function, x); });
    }
};
inline constexpr EmapFunction emap;

} // namespace purview
