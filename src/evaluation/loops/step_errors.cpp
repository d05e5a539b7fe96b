#include "evaluation/loops/step_errors.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/progress.hpp>

#include <fmt/format.h>

#include <string>

namespace purview::inline v0_1 {
namespace {

template <typename... E>
struct ErrorTypes {};

/// `error` as the first of these types that it is.
template <typename First, typename... Rest>
[[noreturn]] void throw_as(ErrorTypes<First, Rest...>, const Error& error,
                           const std::string& message) {
    if (dynamic_cast<const First*>(&error) != nullptr) throw First(message);
    if constexpr (sizeof...(Rest) > 0) throw_as(ErrorTypes<Rest...>{}, error, message);
    throw Error(message);
}

} // namespace

void rethrow_at_steps(index_t first, index_t last) {
    try {
        throw;
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        throw_as(ErrorTypes<ShapeError, IndexError, CastError, DtypeError, KindError, ReadOnlyError,
                            ArithmeticError, DimError, SymbolError, FormatError, DeviceError,
                            MemoryLimitError>{},
                 error,
                 first == last ? fmt::format("step {}: {}", first, error.what())
                               : fmt::format("steps {} to {}: {}", first, last, error.what()));
    }
}

} // namespace purview
