#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/mpi/communicator.hpp>

#include <optional>
#include <type_traits>

namespace purview::inline v0_1::mpi {

PURVIEW_MPI_EXPORT void run_collective(const Communicator& ranks, FunctionRef<void()> f);

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
