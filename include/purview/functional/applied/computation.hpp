#pragma once

#include <purview/functional/applied/traced_function.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/symbol.hpp>

#include <array>
#include <concepts>
#include <iosfwd>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview {

/// An argument of a computation that is a tensor: elements of type T, and a shape, in which extents
/// may be `any_size`.
template <ElementType T>
struct Spec {
    using Argument = Symbol<T>;
    Shape shape;
};
/// An argument of a computation that is a number.
template <ElementType T>
struct ScalarSpec {
    using Argument = ScalarSymbol<T>;
    Shape shape;
};

template <typename S>
concept SpecLike = requires {
    typename S::Argument;
};

/// Describes an argument of a computation: a tensor of a shape, or (without a shape) a number.
template <ElementType T>
Spec<T> spec(AxisValues shape) {
    return {to_shape(shape)};
}
template <ElementType T>
ScalarSpec<T> spec() {
    return {};
}

/// The type that a computation returns for an output of the traced function: a number for a scalar
/// symbol or a number, a tensor in memory for a symbol or a tensor.
template <typename Y>
struct TracedOutput {
    static_assert(
        ElementType<Scalar<Y>> && std::is_arithmetic_v<Scalar<Y>>,
        "computation: the function returns symbols, tensors of a static type, or numbers");
    using Value = Scalar<Y>;
    static Operand operand(const Y& y) { return constant_operand<Value>(static_cast<Value>(y)); }
};
template <TypedTensor Y>
struct TracedOutput<Y> {
    using Value = std::conditional_t<kIsWeak<Y>, typename Y::value_type,
                                     MutableTensor<typename Y::value_type>>;
    static Operand operand(const Y& y) { return y.operand(); }
};

/// What has been refused already is not refused again.
template <>
struct TracedOutput<Refusal> {
    using Value = double;
    static Operand operand(const Refusal&) { return constant_operand<Value>(0); }
};

/// Makes the memory of one output of a call; here a number.
template <typename Value>
struct OutputValue {
    static Value make(ShapeSpan) { return Value{}; }
    static void* place(Value& value) { return &value; }
    using AsSymbol = ScalarSymbol<Value>;
};
template <ElementType T>
struct OutputValue<MutableTensor<T>> {
    static MutableTensor<T> make(ShapeSpan shape) { return empty<T>(shape); }
    static void* place(MutableTensor<T>& value) {
        return leaf_of(value.operand())->writable_memory().data;
    }
    using AsSymbol = Symbol<T>;
};

/// The outputs of a traced function: a single one, or the elements of a tuple, pair or array.
template <typename Y>
struct TracedOutputs {
    using Value = typename TracedOutput<Y>::Value;
    static std::vector<Operand> operands(const Y& y) { return {TracedOutput<Y>::operand(y)}; }
};
template <typename... Y>
struct TracedOutputs<std::tuple<Y...>> {
    using Value = std::tuple<typename TracedOutput<Y>::Value...>;
    static std::vector<Operand> operands(const std::tuple<Y...>& y) {
        return std::apply(
            [](const Y&... each) {
                return std::vector<Operand>{TracedOutput<Y>::operand(each)...};
            },
            y);
    }
};
template <typename A, typename B>
struct TracedOutputs<std::pair<A, B>> {
    using Value = std::pair<typename TracedOutput<A>::Value, typename TracedOutput<B>::Value>;
    static std::vector<Operand> operands(const std::pair<A, B>& y) {
        return {TracedOutput<A>::operand(y.first), TracedOutput<B>::operand(y.second)};
    }
};
template <typename Y, std::size_t N>
struct TracedOutputs<std::array<Y, N>> {
    using Value = std::array<typename TracedOutput<Y>::Value, N>;
    static std::vector<Operand> operands(const std::array<Y, N>& y) {
        std::vector<Operand> operands;
        for (const Y& each : y) operands.push_back(TracedOutput<Y>::operand(each));
        return operands;
    }
};

template <typename F, typename... Argument>
class TypedFunctionOfSymbols final : public FunctionOfSymbols {
public:
    using Returned = std::decay_t<std::invoke_result_t<const F&, Argument...>>;

    explicit TypedFunctionOfSymbols(F function) : function_(std::move(function)) {}

    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return TracedOutputs<Returned>::operands(function_(Argument(arguments[I])...));
        }
        (std::index_sequence_for<Argument...>{});
    }

private:
    F function_;
};

/// An input of a call as an operand: the operand of a tensor, or a number as a constant.
template <typename T, typename X>
class InputOperand {
public:
    explicit InputOperand(const X& x) : operand_(operand_as<T>(x)) {}
    const Operand* get() const noexcept { return &operand_; }

private:
    Operand operand_;
};
template <typename T, TensorLike X>
class InputOperand<T, X> {
public:
    explicit InputOperand(const X& x) noexcept : operand_(&x.operand()) {}
    const Operand* get() const noexcept { return operand_; }

private:
    const Operand* operand_;
};

template <typename Signature>
class Computation;

/// A function that was traced once, and can be called many times. R is a number, a `MutableTensor`,
/// or a tuple, pair or array of these; T are the element types of the arguments. A value, cheap to
/// copy, which may be called from several threads at once. It shares ownership of the tensors that
/// the function has captured, and reads their present elements at each call.
template <typename R, typename... T>
class Computation<R(T...)> {
public:
    explicit Computation(std::shared_ptr<const TracedFunction> function)
        : function_(std::move(function)) {}
    // Not movable: moving copies, so that a moved-from computation can still be called.
    Computation(const Computation&) = default;
    Computation& operator=(const Computation&) = default;
    ~Computation() = default;

    /// Calls the computation with tensors of the specified types and shapes; numbers may be given
    /// for rank 0. Inputs may be views and lazy expressions. Outputs are in new memory. Throws
    /// `DtypeError` and `ShapeError` naming the argument, and what evaluation throws. If inputs are
    /// symbols, the call becomes part of the function that is being traced.
    template <typename... X>
        requires(sizeof...(X) == sizeof...(T))
    auto operator()(const X&... x) const {
        const std::tuple<InputOperand<T, X>...> inputs{InputOperand<T, X>(x)...};
        return std::apply(
            [&](const auto&... input) {
                const std::array<const Operand*, sizeof...(T)> operands{input.get()...};
                std::shared_ptr<const Program> keep;
                const Program& program = function_->program_for(operands, keep);
                if constexpr ((SymbolLike<X> || ...))
                    return trace(program, operands);
                else
                    return run(program, operands);
            },
            inputs);
    }

    /// The trainable symbols that the outputs depend on, each once, in the order of their first
    /// use. If extents are `any_size`, those of all shapes that the computation has been called
    /// with.
    std::vector<AnySymbol> variables() const {
        std::vector<AnySymbol> symbols;
        for (NodePtr& node : function_->variables()) {
            Dimensions dims = static_cast<const SymbolNode&>(*node).value().dims;
            symbols.emplace_back(Operand{std::move(node), std::move(dims)});
        }
        return symbols;
    }

    /// Prints arguments, nodes and stages.
    friend std::ostream& operator<<(std::ostream& out, const Computation& computation) {
        return out << *computation.function_;
    }

private:
    template <typename V>
    struct Outputs {
        static V run(const Program& program, Bindings inputs) {
            V value = OutputValue<V>::make(program.output_shape(0));
            void* const place = OutputValue<V>::place(value);
            program.run(inputs, std::span(&place, 1));
            return value;
        }
        static auto trace(std::vector<Operand> outputs) {
            return typename OutputValue<V>::AsSymbol(std::move(outputs[0]));
        }
    };
    template <typename V>
        requires requires { std::tuple_size<V>::value; }
    struct Outputs<V> {
        template <std::size_t I>
        using Output = OutputValue<std::tuple_element_t<I, V>>;
        static constexpr auto kEach = std::make_index_sequence<std::tuple_size_v<V>>{};

        template <std::size_t... I>
        static V run_each(const Program& program, Bindings inputs, std::index_sequence<I...>) {
            V values{Output<I>::make(program.output_shape(I))...};
            const std::array<void*, sizeof...(I)> places{Output<I>::place(std::get<I>(values))...};
            program.run(inputs, places);
            return values;
        }
        template <std::size_t... I>
        static auto trace_each(std::vector<Operand>& outputs, std::index_sequence<I...>) {
            return std::tuple{typename Output<I>::AsSymbol(std::move(outputs[I]))...};
        }
        static V run(const Program& program, Bindings inputs) {
            return run_each(program, inputs, kEach);
        }
        static auto trace(std::vector<Operand> outputs) { return trace_each(outputs, kEach); }
    };

    static R run(const Program& program, Bindings inputs) {
        return Outputs<R>::run(program, inputs);
    }
    static auto trace(const Program& program, Bindings inputs) {
        return Outputs<R>::trace(program.outputs_over(inputs));
    }

    std::shared_ptr<const TracedFunction> function_;
};

/// Traces `function`, a function of symbols that returns one symbol or a tuple, pair or array of
/// several, and compiles it. It is called once, with a symbol for each spec; if a spec has extents
/// of `any_size`, once for each new combination of shapes, the last few of which are kept. Numbers
/// that it captures are constants; tensors are read when the computation is called. Throws what the
/// function throws.
template <typename F, SpecLike... S>
    requires CallableWith<F, typename S::Argument...>
auto computation(F function, const S&... specs) {
    using Function = TypedFunctionOfSymbols<F, typename S::Argument...>;
    using Value = typename TracedOutputs<typename Function::Returned>::Value;
    std::vector<ArgumentSpec> arguments{
        ArgumentSpec{kDType<typename S::Argument::value_type>, specs.shape}...};
    return Computation<Value(typename S::Argument::value_type...)>(
        std::make_shared<const TracedFunction>(
            std::move(arguments), std::make_unique<const Function>(std::move(function))));
}

/// `variables(c)`: see `Computation::variables`.
template <typename Signature>
std::vector<AnySymbol> variables(const Computation<Signature>& computation) {
    return computation.variables();
}

} // namespace purview
