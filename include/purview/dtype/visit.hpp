#pragma once

#include <purview/dtype/dtype.hpp>

#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// The only switch from run-time to static types: calls `f(std::type_identity<T>{})` with the
/// built-in type `T` that `dtype` stands for. Throws `DtypeError` naming `what` for other types.
template <typename F>
decltype(auto) visit_dtype(DType dtype, const char* what, F&& f) {
    switch (dtype.id()) {
    case TypeId::boolean: return std::forward<F>(f)(std::type_identity<bool>{});
    case TypeId::int8: return std::forward<F>(f)(std::type_identity<std::int8_t>{});
    case TypeId::int16: return std::forward<F>(f)(std::type_identity<std::int16_t>{});
    case TypeId::int32: return std::forward<F>(f)(std::type_identity<std::int32_t>{});
    case TypeId::int64: return std::forward<F>(f)(std::type_identity<std::int64_t>{});
    case TypeId::uint8: return std::forward<F>(f)(std::type_identity<std::uint8_t>{});
    case TypeId::uint16: return std::forward<F>(f)(std::type_identity<std::uint16_t>{});
    case TypeId::uint32: return std::forward<F>(f)(std::type_identity<std::uint32_t>{});
    case TypeId::uint64: return std::forward<F>(f)(std::type_identity<std::uint64_t>{});
    case TypeId::float32: return std::forward<F>(f)(std::type_identity<float>{});
    case TypeId::float64: return std::forward<F>(f)(std::type_identity<double>{});
    case TypeId::other: break;
    }
    throw_dtype_unsupported(what, dtype);
}

/// Calls `f(std::type_identity<T>{})` with the built-in type or string `T` that `dtype` stands for:
/// what has an order that is known at run time. Throws `DtypeError` naming `what` for other types.
template <typename F>
decltype(auto) visit_ordered_dtype(DType dtype, const char* what, F&& f) {
    if (dtype == kDType<std::string>) return std::forward<F>(f)(std::type_identity<std::string>{});
    return visit_dtype(dtype, what, std::forward<F>(f));
}

} // namespace purview
