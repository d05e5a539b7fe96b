#pragma once

#include <purview/mpi/distributed.hpp>

#include <purview/functional/applied/loops.hpp>

#include <span>
#include <tuple>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// What a loop is to do over ranks, type-erased: `function` takes a symbol for each state.
PURVIEW_MPI_EXPORT std::vector<AnyDistributed> iterate_any(const FunctionOfSymbols& function,
                                                           std::span<const AnyDistributed> states,
                                                           index_t steps);

/// The states after so many steps, as `purview::iterate` of whole states, with their bits: `step` takes symbols of the
/// whole states one by one, and returns the next one, or a tuple. All states have one distribution, and so do the
/// results, which are new. A call of all ranks, with the same step. Where a step reads nearby, blocks take several
/// steps between two messages to each neighbour, whose edges, so many times as wide, are sent once, and are computed on
/// both sides; else each step is an `assign`. So it is where the step captures what is distributed, unless that has the
/// shape of the states: then it is sent once. Throws what `iterate` and `assign` throw, `DistributionError` for states of
/// different distributions.
template <typename F, typename T>
Distributed<T> iterate(const F& step, const Distributed<T>& state, index_t steps) {
    const auto function = function_of_symbols<F, std::tuple<Symbol<T>>>(step);
    const AnyDistributed all[] = {state};
    return Distributed<T>(iterate_any(function, all, steps)[0]);
}
template <typename F, typename... T>
std::tuple<Distributed<T>...> iterate(const F& step, const std::tuple<Distributed<T>...>& states,
                                      index_t steps) {
    const auto function = function_of_symbols<F, std::tuple<Symbol<T>...>>(step);
    const std::vector<AnyDistributed> all = std::apply(
        [](const auto&... each) { return std::vector<AnyDistributed>{each...}; }, states);
    const std::vector<AnyDistributed> results = iterate_any(function, all, steps);
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
        return std::tuple<Distributed<T>...>(Distributed<T>(results[I])...);
    }
    (std::index_sequence_for<T...>{});
}

} // namespace purview
