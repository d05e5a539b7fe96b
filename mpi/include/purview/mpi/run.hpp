#pragma once

#include <purview/functional/applied/gradient.hpp>
#include <purview/mpi/distributed.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call, with the same computation: see moving.hpp.

/// Where a result of a computation is wanted: on all ranks, or divided, in a distribution if one is given.
struct PlaceOfResult {
    bool is_divided = false;
    std::optional<Distribution> distribution{};
};
/// A result of a computation over ranks.
struct ResultOverRanks {
    Operand on_all{}; ///< in memory of this rank
    std::optional<AnyDistributed> divided{};
};
/// Computes the outputs of a traced function of arguments, of which each is what all ranks have, or the whole of a distributed
/// tensor. `places` has one entry for each output.
PURVIEW_MPI_EXPORT std::vector<ResultOverRanks> run_any(const char* what,
                                                        const TracedFunction& function,
                                                        std::span<const Operand> arguments,
                                                        std::span<const PlaceOfResult> places);

/// What a computation returns over ranks for what it returns in one memory.
template <typename V, bool divided>
struct ValueOverRanks {
    static_assert(!kIsList<V>, "mpi::run: of a list of outputs return a tuple or an array");
    static V made(const ResultOverRanks& result) {
        if constexpr (std::is_arithmetic_v<V>)
            return number_in(Tensor<V>(result.on_all));
        else
            return V(result.on_all);
    }
};
template <ElementType T>
struct ValueOverRanks<MutableTensor<T>, true> {
    static Distributed<T> made(const ResultOverRanks& result) {
        return Distributed<T>(*result.divided);
    }
};

template <typename X>
inline constexpr bool kIsDistributed = std::derived_from<std::remove_cvref_t<X>, AnyDistributed>;

/// What one argument of a call over ranks is.
template <typename T, typename X>
Operand argument_over_ranks(const X& x) {
    if constexpr (kIsDistributed<X>)
        return x.global_operand();
    else
        return *InputOperand<T, X>(x).get();
}
template <typename X>
PlaceOfResult place_of_argument(const X& x) {
    if constexpr (kIsDistributed<X>)
        return {true, x.distribution()};
    else
        return {};
}

/// Calls a computation of the signature with arguments of types X; the outputs behind the first ones are derivatives by the
/// floats among the arguments, if there are `derivatives`.
template <typename Signature, bool derivatives, typename... X>
class CallOverRanks;
template <typename R, typename... T, bool derivatives, typename... X>
class CallOverRanks<R(T...), derivatives, X...> {
    using Values = typename AsTuple<R>::type;
    template <std::size_t i>
    using Value = std::tuple_element_t<i, Values>;

    /// The arguments that derivatives are by.
    static constexpr auto kBy = [] {
        std::array<std::size_t, derivatives ? (std::size_t{!std::is_integral_v<T>} + ... + 0) : 0>
            by{};
        const bool is_float[] = {!std::is_integral_v<T>..., false};
        for (std::size_t i = 0, next = 0; i < sizeof...(T); ++i)
            if (is_float[i] && next < by.size()) by[next++] = i;
        return by;
    }();
    static constexpr std::size_t kValues = std::tuple_size_v<Values> - kBy.size();

    template <std::size_t i>
    static constexpr bool kIsDivided = [] {
        const bool distributed[] = {kIsDistributed<X>..., false};
        if constexpr (derivatives && i == 0) // a number, also where that is a tensor without axes
            return false;
        else if constexpr (i < kValues)
            return !std::is_arithmetic_v<Value<i>>;
        else
            return distributed[kBy[i - kValues]];
    }();
    template <std::size_t i>
    static PlaceOfResult place(std::span<const PlaceOfResult> arguments) {
        if constexpr (i < kValues)
            return {kIsDivided<i>};
        else
            return arguments[kBy[i - kValues]];
    }

public:
    static auto call(const char* what, const TracedFunction& function, const X&... x) {
        const std::array<Operand, sizeof...(T)> arguments{argument_over_ranks<T>(x)...};
        const std::array<PlaceOfResult, sizeof...(T)> of_arguments{place_of_argument(x)...};
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            const std::array<PlaceOfResult, sizeof...(I)> places{place<I>(of_arguments)...};
            const std::vector<ResultOverRanks> results = run_any(what, function, arguments, places);
            std::tuple values{ValueOverRanks<Value<I>, kIsDivided<I>>::made(results[I])...};
            if constexpr (SeveralOutputs<R>)
                return values;
            else
                return std::get<0>(std::move(values));
        }
        (std::make_index_sequence<std::tuple_size_v<Values>>{});
    }
};

/// Calls a computation over ranks: `run(c, x, w)`, where arguments are distributed tensors, or what all ranks have; tensors that
/// the function has captured may be `x.global()`. Returns what `c(x, w)` of the wholes returns: numbers, the same on all ranks,
/// and `Distributed` tensors, in the distribution of the first argument of their shape, else where their elements were computed; those
/// without axes are refused.
///
/// Each rank computes its part. Reductions over axes that are not divided send nothing, sums of products as matrix products;
/// those over divided ones send what each rank has found, several in one message where none reads another. Scans, sorts and
/// other functions of whole tensors, loops, and elements that are scattered, are refused by name where they read a distributed
/// tensor; of what all ranks have they are computed on each. Throws `DistributionError` where nothing is distributed, what the
/// call throws, and what `evaluate` does.
template <typename R, typename... T, typename... X>
    requires(sizeof...(X) == sizeof...(T))
auto run(const Computation<R(T...)>& c, const X&... x) {
    return CallOverRanks<R(T...), false, X...>::call("run", *c.function(), x...);
}

/// A computation and its derivatives over ranks: see `value_and_gradient`.
template <typename Signature>
class GradientOverRanks;
template <typename R, typename... T>
class GradientOverRanks<R(T...)> {
public:
    explicit GradientOverRanks(const Computation<R(T...)>& gradient)
        : function_(gradient.function()) {}

    template <typename... X>
        requires(sizeof...(X) == sizeof...(T))
    auto operator()(const X&... x) const {
        return CallOverRanks<R(T...), true, X...>::call("value_and_gradient", *function_, x...);
    }

private:
    std::shared_ptr<const TracedFunction> function_;
};
template <typename R, typename... T>
GradientOverRanks(const Computation<R(T...)>&) -> GradientOverRanks<R(T...)>;

/// The value and the derivatives of a computation over ranks, to be called as `run` calls c: `auto [loss, by_w, by_x] =
/// value_and_gradient(c)(w, x)`. A derivative by a distributed argument lies as that does; those by other arguments, of the whole
/// loss, are in memory of each rank, with the same bits on all. Throws what `purview::value_and_gradient(c)` and `run` throw.
template <typename C>
    requires requires(const C& c) { purview::value_and_gradient(c); }
auto value_and_gradient(const C& c) { return GradientOverRanks(purview::value_and_gradient(c)); }

} // namespace purview
