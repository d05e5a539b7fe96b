#pragma once

#include <purview/functional/applied/traced_function.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/symbol.hpp>

#include <array>
#include <concepts>
#include <iosfwd>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

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
template <typename Y>
    requires HasRefused<Y>
struct TracedOutput<Y> {
    using Value = double;
    static Operand operand(const Refusal&) { return constant_operand<Value>(0); }
};

/// Several outputs: a tuple, pair or array.
template <typename Y>
concept SeveralOutputs = requires {
    std::tuple_size<Y>::value;
};

/// Whether a type is a list of outputs, of which tracing tells the number.
template <typename Y>
inline constexpr bool kIsList = false;
template <typename Y>
inline constexpr bool kIsList<std::vector<Y>> = true;

/// Makes the place of one output of a call; here a number.
template <typename Value>
struct OutputValue {
    static_assert(!kIsList<Value> && !SeveralOutputs<Value>,
                  "computation: several outputs are one tuple, pair, array or vector, or a tuple "
                  "or pair one of which is a vector");
    static Value make(const Program&, std::size_t, Bindings) { return Value{}; }
    static Destination place(Value& value) { return &value; }
    using AsSymbol = ScalarSymbol<Value>;
};
template <ElementType T>
struct OutputValue<MutableTensor<T>> {
    static MutableTensor<T> make(const Program& program, std::size_t output, Bindings inputs) {
        return program.is_elsewhere(inputs) ? MutableTensor<T>(program.new_output(output, inputs))
                                            : empty<T>(program.output_shape(output));
    }
    static Destination place(MutableTensor<T>& value) {
        void* const memory = leaf_of(value.operand())->writable_memory().data;
        return memory != nullptr ? Destination(memory) : Destination(value.operand());
    }
    using AsSymbol = Symbol<T>;
};

/// The outputs of a call that one part of what it returns is: one, or as many as a list has. Each takes
/// those from `next` on.
template <typename V>
struct OutputPart {
    static V make(const Program& program, Bindings inputs, std::size_t& next, std::size_t) {
        return OutputValue<V>::make(program, next++, inputs);
    }
    static auto symbols(std::vector<Operand>& outputs, std::size_t& next, std::size_t) {
        return typename OutputValue<V>::AsSymbol(std::move(outputs[next++]));
    }
    static void add_places(V& value, std::vector<Destination>& places) {
        places.push_back(OutputValue<V>::place(value));
    }
};
template <typename V>
struct OutputPart<std::vector<V>> {
    using One = OutputPart<V>;
    static std::vector<V> make(const Program& program, Bindings inputs, std::size_t& next,
                               std::size_t length) {
        std::vector<V> list;
        while (list.size() < length) list.push_back(One::make(program, inputs, next, 1));
        return list;
    }
    static auto symbols(std::vector<Operand>& outputs, std::size_t& next, std::size_t length) {
        std::vector<typename OutputValue<V>::AsSymbol> list;
        while (list.size() < length) list.push_back(One::symbols(outputs, next, 1));
        return list;
    }
    static void add_places(std::vector<V>& list, std::vector<Destination>& places) {
        for (V& value : list) One::add_places(value, places);
    }
};
/// How many of several outputs are lists.
template <typename R>
inline constexpr std::size_t kLists = 0;
template <typename... V>
inline constexpr std::size_t kLists<std::tuple<V...>> = (std::size_t{kIsList<V>} + ... + 0);
template <typename A, typename B>
inline constexpr std::size_t kLists<std::pair<A, B>> = kLists<std::tuple<A, B>>;

/// The type that a computation returns for what the traced function returns.
template <typename Y>
struct ReturnedValue : TracedOutput<Y> {};
template <typename Y>
struct ReturnedValue<std::vector<Y>> {
    using Value = std::vector<typename TracedOutput<Y>::Value>;
};
template <typename... Y>
struct ReturnedValue<std::tuple<Y...>> {
    using Value = std::tuple<typename ReturnedValue<Y>::Value...>;
};
template <typename A, typename B>
struct ReturnedValue<std::pair<A, B>> {
    using Value = std::pair<typename ReturnedValue<A>::Value, typename ReturnedValue<B>::Value>;
};
template <typename Y, std::size_t N>
struct ReturnedValue<std::array<Y, N>> {
    using Value = std::array<typename TracedOutput<Y>::Value, N>;
};

template <typename Y>
void add_outputs(const Y& y, std::vector<Operand>& operands) {
    if constexpr (kIsList<Y>)
        for (const auto& each : y) add_outputs(each, operands);
    else if constexpr (SeveralOutputs<Y>)
        std::apply([&](const auto&... each) { (add_outputs(each, operands), ...); }, y);
    else
        operands.push_back(TracedOutput<Y>::operand(y));
}

template <typename F, typename... Argument>
class TypedFunctionOfSymbols final : public FunctionOfSymbols {
public:
    explicit TypedFunctionOfSymbols(F function) : function_(std::move(function)) {}

    std::vector<Operand> call(std::span<const Operand> arguments) const override {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            std::vector<Operand> outputs;
            add_outputs(function_(Argument(arguments[I])...), outputs);
            return outputs;
        }
        (std::index_sequence_for<Argument...>{});
    }

private:
    F function_;
};

/// An input of a call as an operand: that of a tensor, or a number as a constant.
template <typename T, typename X>
class InputOperand {
public:
    explicit InputOperand(const X& x) : operand_(made(x)) {}
    const Operand* get() const noexcept { return &operand_; }

private:
    // A tensor with dims gives its operand by value.
    using Held = std::conditional_t<TensorLike<X> && !HasDims<X>, const Operand&, Operand>;
    static Held made(const X& x) {
        if constexpr (TensorLike<X>)
            return x.operand();
        else
            return operand_as<T>(x);
    }

    Held operand_;
};

/// A call that returns a list of as many outputs as the rest leaves.
template <typename R>
struct ListCall {
    static_assert(kLists<R> == 1,
                  "computation: one list of outputs, as how long each of several is "
                  "is not known");
    template <bool traces>
    static auto call(const Program& program, Bindings inputs) {
        constexpr std::size_t kParts = std::tuple_size_v<R>;
        const std::size_t length = program.output_count() + 1 - kParts;
        std::size_t next = 0; // what stands in braces is made in order
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (traces) {
                std::vector<Operand> outputs = program.outputs_over(inputs);
                return std::tuple{
                    OutputPart<std::tuple_element_t<I, R>>::symbols(outputs, next, length)...};
            } else {
                R values{
                    OutputPart<std::tuple_element_t<I, R>>::make(program, inputs, next, length)...};
                std::vector<Destination> places;
                (OutputPart<std::tuple_element_t<I, R>>::add_places(std::get<I>(values), places),
                 ...);
                program.run(inputs, places);
                return values;
            }
        }
        (std::make_index_sequence<kParts>{});
    }
};

template <typename Signature>
class Computation;

/// A function that was traced once, and can be called many times. R is a number, a `MutableTensor`,
/// or a tuple, pair, array or vector of these (or a tuple or pair, one of which is a vector); T are the
/// element types of the arguments. A value, cheap to copy, which may be called from several threads at
/// once. It shares ownership of the tensors that the function has captured, and reads their present
/// elements at each call.
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
        return call<(SymbolLike<X> || ...)>({InputOperand<T, X>(x).get()...});
    }

    /// The trainable symbols that the outputs depend on, each once, in the order of their first
    /// use. If extents are `any_size`, those of all shapes that the computation has been called
    /// with.
    std::vector<AnySymbol> variables() const { return symbols_of(function_->variables()); }

    /// The traced function itself.
    const std::shared_ptr<const TracedFunction>& function() const noexcept { return function_; }

    /// Prints arguments, nodes and stages.
    friend std::ostream& operator<<(std::ostream& out, const Computation& computation) {
        return out << *computation.function_;
    }

    /// `explain(c, x...)`: what the call `c(x...)` would do: nodes, stages, and how each is done.
    /// Throws what the call throws for types and shapes, and `SymbolError` for symbols.
    template <typename... X>
        requires(sizeof...(X) == sizeof...(T))
    friend std::string explanation_of(const Computation& computation, const X&... x) {
        return computation.explained({InputOperand<T, X>(x).get()...});
    }

private:
    std::string explained(const std::array<const Operand*, sizeof...(T)>& inputs) const {
        return function_->explain(inputs);
    }
    // Operands of numbers live until the end of the full expression in `operator()`.
    template <bool traces>
    auto call(const std::array<const Operand*, sizeof...(T)>& inputs) const {
        std::shared_ptr<const Program> keep;
        const Program& program = function_->program_for(inputs, keep);
        if constexpr (kIsList<R>) {
            return std::get<0>(ListCall<std::tuple<R>>::template call<traces>(program, inputs));
        } else if constexpr (kLists<R> > 0) {
            return ListCall<R>::template call<traces>(program, inputs);
        } else if constexpr (!SeveralOutputs<R>) {
            if constexpr (traces)
                return
                    typename OutputValue<R>::AsSymbol(std::move(program.outputs_over(inputs)[0]));
            else
                return run(program, inputs);
        } else {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                if constexpr (traces) {
                    std::vector<Operand> outputs = program.outputs_over(inputs);
                    return std::tuple{typename OutputValue<std::tuple_element_t<I, R>>::AsSymbol(
                        std::move(outputs[I]))...};
                } else {
                    R values{OutputValue<std::tuple_element_t<I, R>>::make(program, I, inputs)...};
                    const std::array<Destination, sizeof...(I)> places{
                        OutputValue<std::tuple_element_t<I, R>>::place(std::get<I>(values))...};
                    program.run(inputs, places);
                    return values;
                }
            }
            (std::make_index_sequence<std::tuple_size_v<R>>{});
        }
    }
    static R run(const Program& program, Bindings inputs) {
        R value = OutputValue<R>::make(program, 0, inputs);
        const Destination place = OutputValue<R>::place(value);
        program.run(inputs, std::span(&place, 1));
        return value;
    }

    std::shared_ptr<const TracedFunction> function_;
};

/// A computation some arguments of which are numbers, so that derivatives by them are numbers too.
template <typename R, typename... Argument>
class ComputationOfNumbers : public Computation<R(typename Argument::value_type...)> {
    using Computation<R(typename Argument::value_type...)>::Computation;
};
/// The class of computations of such symbols.
template <typename R, typename... Argument>
using ComputationOf =
    std::conditional_t<(Argument::HandleKind::kIsWeak || ...), ComputationOfNumbers<R, Argument...>,
                       Computation<R(typename Argument::value_type...)>>;

/// Traces `function`, a function of symbols that returns one symbol or a tuple, pair, array or vector
/// of several, and compiles it. It is called once, with a symbol for each spec; if a spec has extents
/// of `any_size`, once for each new combination of shapes, the last few of which are kept. Numbers
/// that it captures are constants; tensors are read when the computation is called. Squares in
/// `magnitude`, `distance`, variances and deviations are added up as they are: elements beyond the
/// root of what their type holds overflow, or vanish, where the calls themselves scale them. Throws
/// what the function throws, and `ShapeError` if it returns an empty list.
template <typename F, SpecLike... S>
    requires requires(const F& f, typename S::Argument... symbols) { f(symbols...); }
auto computation(F function, const S&... specs) {
    using Function = TypedFunctionOfSymbols<F, typename S::Argument...>;
    using Returned = std::decay_t<std::invoke_result_t<const F&, typename S::Argument...>>;
    using Value = typename ReturnedValue<Returned>::Value;
    return ComputationOf<Value, typename S::Argument...>(traced(
        {{kDType<typename S::Argument::value_type>, specs.shape}...},
        // A pointer to the base class: one to each function's own class would take half of the
        // time that this call takes to compile.
        std::unique_ptr<const FunctionOfSymbols>(new Function(std::move(function)))));
}

/// `variables(c)`: see `Computation::variables`.
template <typename Signature>
std::vector<AnySymbol> variables(const Computation<Signature>& computation) {
    return computation.variables();
}

} // namespace purview
