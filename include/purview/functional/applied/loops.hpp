#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/applied/computation.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// What `iterate_while` does where the condition still holds after `most` steps.
enum class Ended : std::uint8_t {
    error, ///< throws `Error`
    last   ///< returns the last state
};

/// A loop or a choice as its function is called, type-erased: operands may be those of symbols.
struct LoopRequest {
    const char* what;
    const FunctionOfSymbols& step;
    const FunctionOfSymbols* condition = nullptr; ///< of the states after and before a step
    std::vector<Operand> states = {};
    std::vector<Operand> inputs = {};
    index_t most = 0;
    Ended or_else = Ended::error;
    index_t keep = 0;  ///< states that a gradient keeps; 0: the square root of `most`
    index_t every = 1; ///< steps between calls of `call`
    std::function<void(index_t, std::span<const Operand>)> call = {};
    bool is_put_off = false; ///< the results are symbols, whether an operand is one or not
};
/// The number of steps taken, then the last states, then the outputs. Symbols if an operand is one, or one is
/// captured.
PURVIEW_EXPORT std::vector<Operand> loop_operands(const LoopRequest& request);
/// The outputs of one of two functions. `is_put_off`: as of a loop.
PURVIEW_EXPORT std::vector<Operand>
choice_operands(const Operand& condition, const FunctionOfSymbols& f, const FunctionOfSymbols& g,
                std::span<const Operand> arguments, bool is_put_off = false);
/// Throws `SymbolError` for results that are symbols though no argument of `what` is one.
PURVIEW_EXPORT void check_no_captured_symbol(const char* what, std::span<const Operand> results);

/// What an argument of a traced function, and what comes back of it, is.
template <typename X>
struct LoopArgument {
    static_assert(NumberLike<X>,
                  "a state is a tensor of a static type, a number, or a tuple of these");
    using Traced = ScalarSymbol<Scalar<X>>;
    using Value = Scalar<X>;
    static Operand operand(const X& x) { return constant_operand<Value>(static_cast<Value>(x)); }
};
template <TypedTensor X>
struct LoopArgument<X> {
    static_assert(!HasDims<X>,
                  "a state with dims has no order of axes: give it as `x | order(i, k)`");
    using Element = typename X::value_type;
    using Traced = std::conditional_t<kIsWeak<X>, ScalarSymbol<Element>, Symbol<Element>>;
    using Value = std::conditional_t<kIsWeak<X>, Element, MutableTensor<Element>>;
    static Operand operand(const X& x) { return x.operand(); }
};

/// One state, or several.
template <typename S>
struct LoopStates {
    using Tuple = std::tuple<S>;
    static constexpr bool kIsOne = true;
};
template <typename... S>
struct LoopStates<std::tuple<S...>> {
    using Tuple = std::tuple<S...>;
    static constexpr bool kIsOne = false;
};
template <typename A, typename B>
struct LoopStates<std::pair<A, B>> : LoopStates<std::tuple<A, B>> {};

template <typename Tuple>
inline constexpr bool kHasSymbols = false;
template <typename... X>
inline constexpr bool kHasSymbols<std::tuple<X...>> = (SymbolLike<X> || ...);

/// The types of states of type S: `Traced` tuples of symbols, `Values` what they are after a loop.
template <typename S, typename Tuple = typename LoopStates<S>::Tuple>
struct LoopTypes;
template <typename S, typename... X>
struct LoopTypes<S, std::tuple<X...>> {
    using Traced = std::tuple<typename LoopArgument<X>::Traced...>;
    using Values = std::conditional_t<kHasSymbols<std::tuple<X...>>, Traced,
                                      std::tuple<typename LoopArgument<X>::Value...>>;
    using Call = std::function<void(index_t, const typename LoopArgument<X>::Value&...)>;

    static void add_operands(const S& state, std::vector<Operand>& operands) {
        if constexpr (LoopStates<S>::kIsOne)
            operands.push_back(LoopArgument<S>::operand(state));
        else
            std::apply(
                [&](const X&... each) {
                    (operands.push_back(LoopArgument<X>::operand(each)), ...);
                },
                state);
    }
};

/// An operand of a result as a handle or a number.
template <typename Value>
Value result_of_operand(Operand operand) {
    if constexpr (TensorLike<Value>) {
        return Value(std::move(operand));
    } else {
        Value value{};
        read_all(operand, &value);
        return value;
    }
}
/// As many operands as the tuple has elements; one itself where `is_one`.
template <typename Values, bool is_one>
auto results_of_operands(std::span<const Operand> operands) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        if constexpr (is_one)
            return result_of_operand<std::tuple_element_t<0, Values>>(operands[0]);
        else
            return Values{result_of_operand<std::tuple_element_t<I, Values>>(operands[I])...};
    }
    (std::make_index_sequence<std::tuple_size_v<Values>>{});
}

/// A function of the elements of tuples one by one, by its type a function of symbols.
template <typename Function, typename... Tuple>
auto function_of_symbols(const Function& function) {
    return [&]<typename... T>(std::type_identity<std::tuple<T...>>) {
        return TypedFunctionOfSymbols<const Function&, T...>(function);
    }(std::type_identity<decltype(std::tuple_cat(std::declval<Tuple>()...))>{});
}

/// Options of `iterate`, for states of type S.
template <typename S>
struct IterateOptions {
    /// `call(step, state…)` after each `every`-th step, counted from 1: progress, checkpoints, pictures. The states
    /// are copies, to keep. Not in a traced function.
    index_t every = 1;
    typename LoopTypes<S>::Call call = {};
    /// How many states a gradient keeps, from which it computes the others again; 0: the square root of the steps.
    index_t keep = 0;
};
/// Options of `iterate_while`.
template <typename S>
struct IterateWhileOptions {
    index_t most = 1'000'000; ///< steps
    Ended or_else = Ended::error;
    index_t every = 1;
    typename LoopTypes<S>::Call call = {};
    index_t keep = 0;
};
struct ScanOptions {
    index_t keep = 0;
};

template <typename S, typename Options>
void add_watch(LoopRequest& request, const Options& options) {
    request.keep = options.keep;
    request.every = options.every;
    if (!options.call) return;
    using Values = typename LoopTypes<S>::Call;
    request.call = [&call = options.call](index_t step, std::span<const Operand> states) {
        [&]<typename... V>(std::type_identity<std::function<void(index_t, const V&...)>>) {
            std::apply([&](const V&... each) { call(step, each...); },
                       results_of_operands<std::tuple<V...>, false>(states));
        }(std::type_identity<Values>{});
    };
}

/// `step(step(… step(state)))`: a state, or a tuple of several, after so many steps. The step takes the states
/// one by one, and returns the next one, or a tuple. It is called once, with symbols, and compiled (again by a
/// later call only if it does something else), whatever the number of steps; tensors that it captures are read
/// where they lie. Results of states that are symbols are symbols, in the graph a node of their own. Two buffers
/// for each state alternate; new results. Throws `ShapeError` and `DtypeError` naming the state that the step
/// changes, before a step is taken, `SymbolError` where the step captures a symbol and no state is one, and
/// what the step throws, which names the number of the step if it is an `Error`.
template <typename F, typename S>
auto iterate(const F& step, const S& state, index_t steps, const IterateOptions<S>& options = {}) {
    using Types = LoopTypes<S>;
    const auto function = function_of_symbols<F, typename Types::Traced>(step);
    LoopRequest request{.what = "iterate", .step = function};
    Types::add_operands(state, request.states);
    request.most = steps;
    add_watch<S>(request, options);
    const std::vector<Operand> results = loop_operands(request);
    if constexpr (!kHasSymbols<typename LoopStates<S>::Tuple>)
        check_no_captured_symbol("iterate", results);
    return results_of_operands<typename Types::Values, LoopStates<S>::kIsOne>(
        std::span(results).subspan(1));
}

/// Steps as those of `iterate`, as long as `condition(now…, before…)` holds, or `condition(now…)`: a bool of rank 0
/// of the states after a step and those before it. At least one step is taken. Returns the states that the
/// condition refused, and the number of steps. Throws what `iterate` throws, and `Error` where the condition still
/// holds after `options.most` steps.
template <typename F, typename S, typename C>
auto iterate_while(const F& step, const S& state, const C& condition,
                   const IterateWhileOptions<S>& options = {}) {
    using Types = LoopTypes<S>;
    using Traced = typename Types::Traced;
    constexpr bool kIsTraced = kHasSymbols<typename LoopStates<S>::Tuple>;
    const auto function = function_of_symbols<F, Traced>(step);
    const auto of_both = [&](const auto&... each) {
        if constexpr (requires { condition(each...); })
            return condition(each...);
        else
            return [&]<std::size_t... I>(std::index_sequence<I...>, const auto& both) {
                return condition(std::get<I>(both)...);
            }
        (std::make_index_sequence<std::tuple_size_v<Traced>>{}, std::tie(each...));
    };
    const auto holds = function_of_symbols<decltype(of_both), Traced, Traced>(of_both);
    LoopRequest request{.what = "iterate_while", .step = function, .condition = &holds};
    Types::add_operands(state, request.states);
    request.most = options.most;
    request.or_else = options.or_else;
    add_watch<S>(request, options);
    const std::vector<Operand> results = loop_operands(request);
    if constexpr (!kIsTraced) check_no_captured_symbol("iterate_while", results);
    using Count = std::conditional_t<kIsTraced, ScalarSymbol<index_t>, index_t>;
    return std::pair(results_of_operands<typename Types::Values, LoopStates<S>::kIsOne>(
                         std::span(results).subspan(1)),
                     result_of_operand<Count>(results[0]));
}

/// A cell as a function of states and rows one by one.
template <typename Cell, typename S, typename X>
struct CellFunction {
    static constexpr std::size_t kStates = std::tuple_size_v<typename LoopTypes<S>::Traced>;

    template <typename... T>
    auto operator()(const T&... each) const {
        const auto symbols = std::tie(each...);
        return cell(part<0, LoopStates<S>::kIsOne, kStates>(symbols),
                    part<kStates, LoopStates<X>::kIsOne, sizeof...(T) - kStates>(symbols));
    }
    template <std::size_t first, bool is_one, std::size_t count, typename Symbols>
    static auto part(const Symbols& symbols) {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            if constexpr (is_one)
                return std::get<first>(symbols);
            else
                return std::tuple(std::get<first + I>(symbols)...);
        }
        (std::make_index_sequence<count>{});
    }

    const Cell& cell;
};
/// The rows of inputs as symbols; of a tensor of rank 1, too, of which one has rank 0.
template <typename X>
struct LoopRows;
template <typename... X>
struct LoopRows<std::tuple<X...>> {
    using Traced = std::tuple<Symbol<OperandElement<X>>...>;
};
/// What the outputs of a cell are, each along a new first axis.
template <typename Y>
struct StackedOutputs {
    static constexpr bool kIsOne = true;
    template <bool traced>
    using Values = std::tuple<
        std::conditional_t<traced, Symbol<OperandElement<Y>>, MutableTensor<OperandElement<Y>>>>;
};
template <typename... Y>
struct StackedOutputs<std::tuple<Y...>> {
    static constexpr bool kIsOne = false;
    template <bool traced>
    using Values = std::tuple<
        std::conditional_t<traced, Symbol<OperandElement<Y>>, MutableTensor<OperandElement<Y>>>...>;
};
template <typename A, typename B>
struct StackedOutputs<std::pair<A, B>> : StackedOutputs<std::tuple<A, B>> {};

/// A state, or a tuple of several, carried along the first axis of inputs: `cell(state, input)` returns the pair
/// of the next state and an output, for each `inputs(t)` in order. Tuples where there are several states, inputs or
/// outputs. Returns the last state, and the outputs stacked along a new first axis. Otherwise as `iterate`. Throws
/// `ShapeError` for inputs without axes, or of other lengths than the first.
template <typename F, typename S, typename X>
auto scan_over(const F& cell, const S& state, const X& inputs, const ScanOptions& options = {}) {
    using Types = LoopTypes<S>;
    using Inputs = typename LoopStates<X>::Tuple;
    using Cell = CellFunction<F, S, X>;
    using Rows = typename LoopRows<Inputs>::Traced;
    constexpr bool kIsTraced = kHasSymbols<typename LoopStates<S>::Tuple> || kHasSymbols<Inputs>;
    const Cell one_by_one{cell};
    const auto function = function_of_symbols<Cell, typename Types::Traced, Rows>(one_by_one);
    LoopRequest request{.what = "scan_over", .step = function};
    Types::add_operands(state, request.states);
    LoopTypes<X>::add_operands(inputs, request.inputs);
    request.keep = options.keep;
    const std::vector<Operand> results = loop_operands(request);
    if constexpr (!kIsTraced) check_no_captured_symbol("scan_over", results);
    using States = std::conditional_t<kIsTraced, typename Types::Traced, typename Types::Values>;
    using Output =
        std::decay_t<decltype(std::apply(one_by_one, std::declval<decltype(std::tuple_cat(
                                                         std::declval<typename Types::Traced>(),
                                                         std::declval<Rows>()))>())
                                  .second)>;
    using Outputs = StackedOutputs<Output>;
    return std::pair(
        results_of_operands<States, LoopStates<S>::kIsOne>(std::span(results).subspan(1)),
        results_of_operands<typename Outputs::template Values<kIsTraced>, Outputs::kIsOne>(
            std::span(results).subspan(1 + Cell::kStates)));
}

/// `f(x…)` where the condition, a bool or a bool of rank 0, is true, else `g(x…)`: one of the two is run, where
/// `where` computes both. They return the same number of results of the same types and shapes. Of tensors, in
/// memory; of symbols, or under a condition that is a symbol, symbols. Both functions are called once, with
/// symbols. Throws `ShapeError` and `DtypeError` naming a result that differs.
template <typename C, typename F, typename G, typename... X>
auto choose(const C& condition, const F& f, const G& g, const X&... x) {
    using Traced = std::tuple<typename LoopArgument<X>::Traced...>;
    using Returned =
        std::decay_t<std::invoke_result_t<const F&, typename LoopArgument<X>::Traced...>>;
    using Value = typename ReturnedValue<Returned>::Value;
    constexpr bool kIsTraced = SymbolLike<C> || (SymbolLike<X> || ...);
    const auto chosen = function_of_symbols<F, Traced>(f);
    const auto other = function_of_symbols<G, Traced>(g);
    const std::vector<Operand> arguments{LoopArgument<X>::operand(x)...};
    const std::vector<Operand> results =
        choice_operands(LoopArgument<C>::operand(condition), chosen, other, arguments);
    if constexpr (!kIsTraced) check_no_captured_symbol("choose", results);
    return [&]<typename... V>(std::type_identity<std::tuple<V...>>) {
        using Values =
            std::conditional_t<kIsTraced, std::tuple<typename OutputValue<V>::AsSymbol...>,
                               std::tuple<V...>>;
        return results_of_operands<Values, !SeveralOutputs<Returned>>(results);
    }(std::type_identity<typename LoopStates<Value>::Tuple>{});
}

} // namespace purview
