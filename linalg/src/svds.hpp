#pragma once

#include "basis.hpp"

#include <purview/linalg/singular_values.hpp>

namespace purview::inline v0_1::linalg {

/// What `svds` gives, of vectors and values.
template <typename T>
SvdsOperands found_factors(const SvdsRequest& request, const Basis<T>& u,
                           std::span<const double> values, const Basis<T>& v, index_t iterations,
                           double residual) {
    using P = typename PartOfComplex<T>::type;
    const MutableTensor<P> s = empty<P>({u.count()});
    for (std::size_t i = 0; P & to : as_span(s)) to = static_cast<P>(values[i++]);
    const std::vector<T> phases = request.signs_of_rows ? v.phases() : u.phases();
    return {u.columns(phases).operand(), s.operand(), v.conjugate_rows(phases).operand(),
            iterations, residual};
}

template <typename T>
SvdsOperands randomised_svd(const SvdsRequest& request);

} // namespace purview::linalg
