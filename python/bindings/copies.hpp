#pragma once

#include "array.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>

#include <complex>
#include <type_traits>
#include <utility>

namespace purview_python {

/// Whether the elements are computed in time proportional to what is stored.
bool is_sparse(const Array& x);
/// Copies the elements to new memory, in row-major order. Throws `KindError` for a sparse array of more than 2³⁰ elements.
Array realised(const Array& x);
/// The same; a sparse array gives sparse pairs.
Array copied(const Array& x);
/// What work takes that depends on how much is stored, which is not known before.
inline constexpr pv::index_t kStored = 1 << 16;

/// `f(std::type_identity<T>())` for a type of stored elements.
template <typename F>
decltype(auto) visit_stored(pv::DType type, const char* what, F&& f) {
    if (type == pv::complex_dtype(pv::float32)) return f(std::type_identity<std::complex<float>>());
    if (type == pv::complex_dtype(pv::float64))
        return f(std::type_identity<std::complex<double>>());
    return pv::visit_dtype(type, what, std::forward<F>(f));
}

} // namespace purview_python
