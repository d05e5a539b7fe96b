#pragma once

#include <support/catch.hpp>

#include <purview/dtype/visit.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

namespace oracle {

/// Shapes and bits are the same: zeros of both signs are two, and so are NaNs of other bits.
template <typename T>
void expect_same_bits(const purview::Tensor<T>& found, const purview::Tensor<T>& expected) {
    REQUIRE(purview::to_shape(found.shape()) == purview::to_shape(expected.shape()));
    const auto a = purview::clone(found);
    const auto b = purview::clone(expected);
    const auto x = purview::as_span(a);
    const auto y = purview::as_span(b);
    const bool same = std::memcmp(x.data(), y.data(), x.size_bytes()) == 0;
    for (std::size_t i = 0; !same && i < x.size(); ++i) {
        if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0) continue;
        UNSCOPED_INFO("element " << i << " is " << x[i] << " for " << y[i]);
        break;
    }
    CHECK(same);
}
inline void expect_same_bits(const purview::AnyTensor& found, const purview::AnyTensor& expected) {
    REQUIRE(found.dtype() == expected.dtype());
    purview::visit_dtype(expected.dtype(), "expect_same_bits",
                         [&]<typename T>(std::type_identity<T>) {
                             expect_same_bits<T>(found.as<T>(), expected.as<T>());
                         });
}
template <typename... T>
void expect_same_bits(const std::tuple<T...>& found, const std::tuple<T...>& expected) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (expect_same_bits(std::get<I>(found), std::get<I>(expected)), ...);
    }
    (std::index_sequence_for<T...>());
}

} // namespace oracle
