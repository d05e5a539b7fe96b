#pragma once

#include <purview/dtype/complex_element.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <algorithm>
#include <complex>
#include <functional>
#include <optional>
#include <span>
#include <utility>

namespace purview::inline v0_1::linalg {

/// What a sparse matrix of zeros stores, as T, by row-major indexes.
template <typename T>
struct SparseEntries {
    std::function<std::span<const index_t>()> indexes;
    MutableTensor<T> values;
};

template <typename T, typename P>
std::optional<SparseEntries<T>> entries_of_type(const Operand& matrix) {
    const auto pairs = sparse_pairs(Tensor<P>(matrix));
    if (pairs->fill() != P{}) return std::nullopt;
    const auto stored = static_cast<std::size_t>(pairs->stored());
    const auto from = pairs->values().first(stored);
    MutableTensor<T> values = empty<T>({static_cast<index_t>(stored)});
    std::ranges::transform(from, as_span(values).begin(), [](const P& value) {
        if constexpr (std::is_same_v<P, std::complex<float>>)
            return T(static_cast<typename T::value_type>(value.real()),
                     static_cast<typename T::value_type>(value.imag()));
        else
            return T(value);
    });
    return SparseEntries<T>{[pairs, stored] { return pairs->indexes().first(stored); },
                            std::move(values)};
}
/// Nothing for a matrix of another fill.
template <typename T>
std::optional<SparseEntries<T>> sparse_entries(const Operand& matrix) {
    if constexpr (BuiltinType<T>) {
        return entries_of_type<T, T>(
            matrix.dtype() == kDType<T> ? matrix : cast_operand(matrix, kDType<T>, Op::cast));
    } else {
        using P = typename T::value_type;
        if (matrix.dtype() == kDType<T>) return entries_of_type<T, T>(matrix);
        if (!matrix.dtype().is_builtin()) return entries_of_type<T, std::complex<float>>(matrix);
        return entries_of_type<T, P>(
            matrix.dtype() == kDType<P> ? matrix : cast_operand(matrix, kDType<P>, Op::cast));
    }
}

} // namespace purview::linalg
