#pragma once

#include <purview/sparse.hpp>

#include <algorithm>

namespace fuzz {

namespace pv = purview;

/// Whether two tensors lie in memory and hold the same elements, NaNs too.
template <typename T>
bool same_elements(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    return std::ranges::equal(pv::as_span(x), pv::as_span(y),
                              [](T a, T b) { return pv::same_element(a, b); });
}
template <typename T, typename I>
bool same_matrix(const pv::CooMatrix<T, I>& x, const pv::CooMatrix<T, I>& y) {
    return x.rows() == y.rows() && x.columns() == y.columns() &&
           same_elements(x.row_indices(), y.row_indices()) &&
           same_elements(x.column_indices(), y.column_indices()) &&
           same_elements(x.values(), y.values());
}
template <typename T, typename I, pv::Major M>
bool same_matrix(const pv::CompressedMatrix<T, I, M>& x, const pv::CompressedMatrix<T, I, M>& y) {
    return x.rows() == y.rows() && x.columns() == y.columns() &&
           same_elements(x.pointers(), y.pointers()) && same_elements(x.indices(), y.indices()) &&
           same_elements(x.values(), y.values());
}

} // namespace fuzz
