#pragma once

#include "reader/chunk_cache.hpp"

#include <purview/expression/node.hpp>
#include <purview/tensor/tensor.hpp>

#include <complex>

namespace purview::inline v0_1::linalg {

/// What an operand that is sparse, or in chunks, takes in memory as elements of `dtype`, counted towards the memory limit
/// for as long as this exists; of others nothing. Throws `MemoryLimitError` naming `what` where that has no room.
CountedBytes counted_elements(const char* what, const Operand& x, DType dtype);

/// A sparse operand as a dense one; others as they are. O(size).
Operand without_sparse(const Operand& x);

/// The elements of an operand as `T`, in row-major memory. Throws `DeviceError`, `SymbolError`.
template <typename T>
Tensor<T> elements_of(const char* what, const Operand& x);

extern template Tensor<float> elements_of<float>(const char*, const Operand&);
extern template Tensor<double> elements_of<double>(const char*, const Operand&);
extern template Tensor<std::complex<float>> elements_of<std::complex<float>>(const char*,
                                                                             const Operand&);
extern template Tensor<std::complex<double>> elements_of<std::complex<double>>(const char*,
                                                                               const Operand&);

} // namespace purview::linalg
