#pragma once

#include <purview/evaluation/destination.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <complex>

namespace purview::inline v0_1::linalg {

/// The elements of an operand as `T`, in row-major memory.
template <typename T>
Tensor<T> elements_of(const char* what, const Operand& x) {
    require_host_reads(what, x);
    if constexpr (BuiltinType<T>) {
        return in_memory<T>(what, x);
    } else {
        using P = typename T::value_type;
        if (x.dtype() == kDType<T>) return contiguous(Tensor<T>(x));
        MutableTensor<T> result = empty<T>(to_shape(x.dims.max_shape()));
        if (x.dtype().is_builtin())
            std::ranges::copy(as_span(in_memory<P>(what, x)), as_span(result).begin());
        else // the other complex type
            std::ranges::transform(as_span(contiguous(Tensor<std::complex<float>>(x))),
                                   as_span(result).begin(), [](const std::complex<float>& z) {
                                       return T(static_cast<P>(z.real()), static_cast<P>(z.imag()));
                                   });
        return result;
    }
}

} // namespace purview::linalg
