#pragma once

#include <purview/purview.hpp>

#include <type_traits>

namespace oracle {

/// Normally distributed numbers, complex ones too, the same on all ranks.
template <typename T>
purview::MutableTensor<T> random_elements(const purview::Shape& shape, int seed) {
    namespace pv = purview;
    const auto real = pv::clone(pv::random_normal(shape, seed));
    if constexpr (std::is_floating_point_v<T>)
        return pv::clone(pv::cast<T>(real));
    else
        return pv::clone(pv::cast<T>(real) +
                         T(0, 1) * pv::cast<T>(pv::clone(pv::random_normal(shape, seed + 1000))));
}

} // namespace oracle
