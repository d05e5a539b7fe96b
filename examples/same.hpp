#pragma once

/// What the tables of translations compare with.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <string>
#include <type_traits>

namespace pv = purview;

/// One row: what Purview's expression gives, and what the other library's gives.
template <typename X, typename Y>
void same(const X& got, const Y& expected, int line = __builtin_LINE()) {
    const std::string where = "line " + std::to_string(line);
    if constexpr (pv::ForeignArray<X> && pv::TensorLike<Y>)
        same(pv::as_tensor(got), expected, line);
    else if constexpr (pv::TensorLike<X> && pv::TensorLike<Y>)
        check(got.shape() == expected.shape() && pv::equals(got, expected, 1e-12), where);
    else if constexpr (std::is_same_v<X, double>)
        check(std::abs(got - expected) < 1e-12, where);
    else
        check(got == expected, where);
}
