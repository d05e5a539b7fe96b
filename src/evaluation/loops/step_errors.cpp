#include "evaluation/loops/step_errors.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/progress.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

template <typename... E>
struct ErrorTypes {};

/// `error` as the first of these types that it is.
template <typename First, typename... Rest>
[[noreturn]] void throw_as(ErrorTypes<First, Rest...>, const Error& error, index_t step) {
    if (dynamic_cast<const First*>(&error) != nullptr)
        throw First(fmt::format("step {}: {}", step, error.what()));
    if constexpr (sizeof...(Rest) > 0) throw_as(ErrorTypes<Rest...>{}, error, step);
    throw Error(fmt::format("step {}: {}", step, error.what()));
}

} // namespace

void rethrow_at_step(index_t step) {
    try {
        throw;
    } catch (const Cancelled&) {
        throw;
    } catch (const Error& error) {
        throw_as(ErrorTypes<ShapeError, IndexError, CastError, DtypeError, KindError, ReadOnlyError,
                            ArithmeticError, DimError, SymbolError, FormatError, DeviceError,
                            MemoryLimitError>{},
                 error, step);
    }
}

} // namespace purview
