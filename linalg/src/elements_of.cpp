#include "elements_of.hpp"

#include "matrix_work.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <complex>

namespace purview::inline v0_1::linalg {

CountedBytes counted_elements(const char* what, const Operand& x, DType dtype) {
    const bool is_pairs = is_sparse(x);
    if (!is_pairs && !x.node->reads(Below::blocks)) return {};
    const index_t bytes = checked_bytes(x.dims.size(), dtype.size_bytes(), what);
    const index_t left = memory_left();
    if (bytes > left - left / 8) // of chunks that are read
        throw MemoryLimitError(fmt::format(
            "{}: {} bytes for all elements of {}, which {}, are more than what the memory limit, {} "
            "bytes, leaves; cg, minres, bicgstab, gmres and lsmr multiply by it as it is, and "
            "set_memory_limit gives more",
            what, bytes, to_string(x.dims.max_shape()), is_pairs ? "is sparse" : "is in chunks",
            memory_limit()));
    return {bytes, what};
}

Operand without_sparse(const Operand& x) {
    if (!is_sparse(x)) return x;
    const auto copied = [&]<typename T>(std::type_identity<T>) {
        return dense_copy<T>(x).operand();
    };
    return is_complex(x.dtype()) ? visit_matrix_dtype(x.dtype(), copied)
                                 : visit_dtype(x.dtype(), "linalg", copied);
}

template <typename T>
Tensor<T> elements_of(const char* what, const Operand& given) {
    require_host_reads(what, given);
    const Operand x = without_sparse(given);
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

template Tensor<float> elements_of<float>(const char*, const Operand&);
template Tensor<double> elements_of<double>(const char*, const Operand&);
template Tensor<std::complex<float>> elements_of<std::complex<float>>(const char*, const Operand&);
template Tensor<std::complex<double>> elements_of<std::complex<double>>(const char*,
                                                                        const Operand&);

} // namespace purview::linalg
