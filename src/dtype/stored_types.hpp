#pragma once

#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>

#include "dtype/known_times.hpp"

#include <complex>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// Calls `visit(std::type_identity<T>)` for each type that foreign memory and files hold besides the
/// built-in ones: times, complex numbers, and floating-point numbers of 16 bits.
template <typename Visit>
void for_each_stored(Visit visit) {
    for_each_time(visit);
    visit(std::type_identity<std::complex<float>>{});
    visit(std::type_identity<std::complex<double>>{});
    visit(std::type_identity<Half>{});
    visit(std::type_identity<BFloat16>{});
}

/// Calls `work(std::type_identity<T>)` with the static type of `dtype`, a built-in type or one of
/// these, and returns what it returns. Throws `DtypeError` naming `what` for other types.
template <typename Work>
auto visit_stored_dtype(DType dtype, const char* what, Work work) {
    using R = decltype(work(std::type_identity<double>{}));
    if (dtype.is_builtin()) return R(visit_dtype(dtype, what, work));
    std::conditional_t<std::is_void_v<R>, bool, std::optional<R>> result{};
    for_each_stored([&]<typename T>(std::type_identity<T> type) {
        if (result || dtype != kDType<T>) return;
        if constexpr (std::is_void_v<R>) {
            work(type);
            result = true;
        } else {
            result.emplace(work(type));
        }
    });
    if (!result) throw_dtype_unsupported(what, dtype);
    if constexpr (!std::is_void_v<R>) return *std::move(result);
}

} // namespace purview
