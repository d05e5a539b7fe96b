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

enum class NanBits { any, same };

/// Shapes and bits are the same; zeros of both signs are two. Any NaN is as good as another, unless `nans` says
/// otherwise: one that is computed has the sign of either operand, as the compiler has it.
template <typename T>
void expect_same_bits(const purview::Tensor<T>& found, const purview::Tensor<T>& expected,
                      NanBits nans = NanBits::any) {
    REQUIRE(purview::to_shape(found.shape()) == purview::to_shape(expected.shape()));
    const auto a = purview::clone(found);
    const auto b = purview::clone(expected);
    const auto x = purview::as_span(a);
    const auto y = purview::as_span(b);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0) continue;
        if (nans == NanBits::any && x[i] != x[i] && y[i] != y[i]) continue;
        UNSCOPED_INFO("element " << i << " is " << x[i] << " for " << y[i]);
        FAIL_CHECK("other bits");
        return;
    }
    CHECK(x.size() == y.size());
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
