#pragma once

#include <purview/expression/library_function.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

namespace purview::inline v0_1 {

/// In place of a `FunctionName`: the function is the user's.
struct NoName {
    static constexpr const char* word = "emap";
};

/// What a function of the user's leads to where its type leaves that open: of a pointer to a function
/// the address of the code, of a `std::function` this or the type that it holds. What else a function
/// object has is not known here.
struct CalledCode {
    const void* address = nullptr;
    const std::type_info* type = nullptr;
};
template <template <typename> typename Held, typename R, typename... X>
    requires requires(const Held<R(X...)>& f) { f.target_type(); }
CalledCode called_by(const Held<R(X...)>& f) noexcept {
    const auto address = [](auto* held) { return reinterpret_cast<const void*>(*held); };
    if (const auto* const held = f.template target<R (*)(X...)>()) return {address(held)};
    if (const auto* const held = f.template target<R (*)(X...) noexcept>()) return {address(held)};
    return {nullptr, &f.target_type()};
}
template <typename F>
CalledCode called_by(const F& f) noexcept {
    if constexpr (std::is_pointer_v<F> && std::is_function_v<std::remove_pointer_t<F>>)
        return {reinterpret_cast<const void*>(f)};
    else if constexpr (requires { f.function; }) // of a function that the library has wrapped
        return called_by(f.function);
    else
        return {};
}

/// A function that `emap` was given.
class PURVIEW_EXPORT UserFunction : public BlockFunction {
public:
    explicit UserFunction(CalledCode called) noexcept : called_(called) {}
    ~UserFunction() override;

    CalledCode called() const noexcept { return called_; }

private:
    CalledCode called_;
};

/// A function that `with_derivative` has made.
template <typename F>
concept HasDerivatives = requires(const F& f) {
    std::tuple_size_v<decltype(f.derivatives)>;
};

/// A function that `register_function` has made: it has a name, by which computations that use it are
/// saved and loaded. Its derivative by operand k is named by that and `/k`.
template <typename F>
struct RegisteredFunction : F {
    static constexpr bool kIsRegistered = true;
    std::string name;

    using F::operator();
};

/// What cannot be derived from, as a class that can: a pointer to a function.
template <typename F>
struct CalledFunction {
    F function;

    template <typename... X>
    auto operator()(const X&... x) const {
        return function(x...);
    }
};
template <typename F>
using DerivableFunction =
    std::conditional_t<std::is_class_v<F> && !std::is_final_v<F>, F, CalledFunction<F>>;

/// A function of elements as a function of blocks, so that it is inlined into a loop.
template <typename Name, typename F, typename R, typename... T>
class ElementFunction final
    : public std::conditional_t<std::is_same_v<Name, NoName>, UserFunction, LibraryFunction> {
    using Base = std::conditional_t<std::is_same_v<Name, NoName>, UserFunction, LibraryFunction>;

public:
    ElementFunction(FunctionName name, F function) requires std::is_same_v<Name, FunctionName>
        : Base(std::move(name)), function_(std::move(function)) {}
    ElementFunction(NoName, F function) requires std::is_same_v<Name, NoName>
        : Base(called_by(function)), function_(std::move(function)) {}

    void apply(index_t count, void* out, const void* const* operands) const override {
        apply_to(count, static_cast<R*>(out), operands, std::index_sequence_for<T...>{});
    }
    std::string_view registered_name() const noexcept override {
        if constexpr (requires { F::kIsRegistered; })
            return function_.name;
        else
            return {};
    }
    std::shared_ptr<const BlockFunction> derivative(std::size_t number) const override {
        std::shared_ptr<const BlockFunction> found;
        if constexpr (HasDerivatives<F>) {
            static_assert(std::tuple_size_v<decltype(function_.derivatives)> == sizeof...(T),
                          "with_derivative: a derivative for each operand of the function");
            std::apply(
                [&, i = std::size_t{0}](const auto&... by) mutable {
                    ((i++ == number ? found = as_function(by, number) : nullptr), ...);
                },
                function_.derivatives);
        }
        return found;
    }

private:
    /// A derivative, under a name if the function has one.
    template <typename D>
    std::shared_ptr<const BlockFunction> as_function(const D& by, std::size_t number) const {
        if constexpr (requires { F::kIsRegistered; }) {
            using Named = RegisteredFunction<DerivableFunction<D>>;
            return std::make_shared<const ElementFunction<NoName, Named, R, T...>>(
                NoName(), Named{{by}, function_.name + '/' + std::to_string(number)});
        } else
            return std::make_shared<const ElementFunction<NoName, D, R, T...>>(NoName(), by);
    }

    template <std::size_t... I>
    void apply_to(index_t count, R* out, const void* const* operands,
                  std::index_sequence<I...>) const {
        const std::tuple<const T*...> x{static_cast<const T*>(operands[I])...};
        for (index_t i = 0; i < count; ++i)
            out[i] = static_cast<R>(function_(std::get<I>(x)[i]...));
    }

    F function_;
};

/// `function` of the elements of operands, broadcast together, which are of the types T: lazy, with
/// elements of type R. Throws `ShapeError` naming the function.
template <typename R, typename... T, typename F>
Operand map_operands(FunctionName name, F function, std::array<Operand, sizeof...(T)> operands) {
    if constexpr (sizeof...(T) > 1) broadcast_operands(operands, name.word);
    using Function = ElementFunction<FunctionName, F, R, T...>;
    return elementwise<sizeof...(T)>(
        Op::map, kDType<R>, std::move(operands),
        std::make_shared<const Function>(std::move(name), std::move(function)));
}

} // namespace purview
