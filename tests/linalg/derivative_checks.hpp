#pragma once

/// Derivatives beside differences.

#include "random_matrices.hpp"

#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <functional>

namespace linalg_tests {

inline double difference_quotient(const std::function<double(const pv::Tensor<double>&)>& f,
                                  const pv::Tensor<double>& x, index_t i) {
    constexpr double kStep = 1e-5;
    auto moved = pv::clone(x);
    double& element = pv::as_span(moved)[static_cast<std::size_t>(i)];
    const double was = element;
    element = was + kStep;
    const double up = f(moved);
    element = was - kStep;
    return (up - f(moved)) / (2 * kStep);
}

/// The gradient of `loss` of one tensor at x, both ways, beside differences; then that of a product with it, again.
inline void check(const char* what, const auto& loss, const pv::Tensor<double>& x) {
    CAPTURE(what);
    const auto c = pv::computation(loss, pv::spec<double>(pv::to_shape(x.shape())));
    const auto value = [&](const pv::Tensor<double>& at) { return double(c(at)); };
    const auto slopes = pv::clone(pv::gradient(c)(x));
    const auto directions = pv::clone(pv::random_normal(pv::AxisValues(x.shape()), 77));
    double along = 0, error = 0, size = 1;
    for (index_t i = 0; i < x.size(); ++i) {
        const double expected = difference_quotient(value, x, i);
        const double own = pv::as_span(slopes)[static_cast<std::size_t>(i)];
        error = std::max(error, std::abs(own - expected));
        size = std::max(size, std::abs(expected));
        along += own * pv::as_span(directions)[static_cast<std::size_t>(i)];
    }
    CHECK(error < 1e-6 * size);
    // Forwards.
    const auto forward = pv::computation(
        [&](auto z, auto d) { return pv::jacobian_vector_product(loss(z), z, d); },
        pv::spec<double>(pv::to_shape(x.shape())), pv::spec<double>(pv::to_shape(x.shape())));
    CHECK(std::abs(double(forward(x, directions)) - along) <
          1e-8 * size * static_cast<double>(x.size()));
    // Once more, of the derivative along these directions.
    const auto second = pv::computation(
        [&](auto z, auto d) { return pv::sum(pv::gradient(loss(z), z) * d); },
        pv::spec<double>(pv::to_shape(x.shape())), pv::spec<double>(pv::to_shape(x.shape())));
    const auto again = pv::computation(
        [&](auto z, auto d) { return pv::gradient(pv::sum(pv::gradient(loss(z), z) * d), z); },
        pv::spec<double>(pv::to_shape(x.shape())), pv::spec<double>(pv::to_shape(x.shape())));
    const auto own = pv::clone(again(x, directions));
    error = 0, size = 1;
    for (index_t i = 0; i < x.size(); ++i) {
        const double expected = difference_quotient(
            [&](const pv::Tensor<double>& at) { return double(second(at, directions)); }, x, i);
        error = std::max(error, std::abs(pv::as_span(own)[static_cast<std::size_t>(i)] - expected));
        size = std::max(size, std::abs(expected));
    }
    CHECK(error < 1e-5 * size);
}

/// A number that depends on all elements.
auto weighted(const auto& x) {
    const pv::Shape shape = pv::to_shape(x.shape());
    return pv::sum(x * pv::clone(pv::random_normal(pv::AxisValues(shape), 5)));
}
auto transposed(const auto& x) { return pv::swap_axes(x, -1, -2); }

} // namespace linalg_tests
