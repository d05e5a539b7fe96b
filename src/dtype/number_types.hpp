#pragma once

#include <purview/dtype/visit.hpp>

#include <complex>
#include <type_traits>

namespace purview::inline v0_1 {

/// Calls `work(std::type_identity<T>)` with the static type of `dtype`, a built-in type, complex64 or complex128. Throws
/// `DtypeError` naming `what` for other types.
template <typename Work>
auto visit_number_dtype(DType dtype, const char* what, Work work) {
    if (dtype == kDType<std::complex<float>>)
        return work(std::type_identity<std::complex<float>>());
    if (dtype == kDType<std::complex<double>>)
        return work(std::type_identity<std::complex<double>>());
    return visit_dtype(dtype, what, work);
}

} // namespace purview
