#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/mpi/communicator.hpp>

#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace purview::inline v0_1::mpi {

PURVIEW_MPI_EXPORT void run_collective(const Communicator& ranks, FunctionRef<void()> f);

// For the library's methods of many steps, which go on by numbers that are the same on all ranks.

/// Checks arguments on each rank, as `collective` does, and that all ranks call `what` with what `describe` says of them; then
/// calls `steps`, of functions of all ranks. What they throw of `ArithmeticError` is found on all ranks alike; what else leaves them on
/// one rank alone has the others give up.
PURVIEW_MPI_EXPORT void run_steps(const char* what, const Communicator& ranks,
                                  FunctionRef<std::string()> describe, FunctionRef<void()> steps);
/// In such steps: the sums, or the largest, of what ranks have, in place, without an agreement. Along a fixed tree.
PURVIEW_MPI_EXPORT void add_in_steps(const char* what, const Communicator& ranks,
                                     std::span<double> numbers);
PURVIEW_MPI_EXPORT double largest_in_steps(const char* what, const Communicator& ranks, double own);

/// Calls `f`, which calls no function of all ranks, and returns its result; what it throws on one rank is thrown on
/// all, as an `Error` that names the lowest such rank, of its type if that is one of the library's, so that no rank waits for one that has left. Where all ranks throw exceptions of
/// one type, each throws its own.
template <typename F>
auto collective(const Communicator& ranks, F&& f) {
    using R = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<R>) {
        run_collective(ranks, [&] { f(); });
    } else {
        std::optional<R> result;
        run_collective(ranks, [&] { result.emplace(f()); });
        return *std::move(result);
    }
}

} // namespace purview
