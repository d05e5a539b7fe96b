#pragma once

#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/tensor/lookup.hpp>

namespace purview::lookup {

// The functions of <cmath> for tensors, found by argument-dependent lookup: `sqrt(x)` in a template
// that accepts numbers and tensors alike, with or without `using std::sqrt`. (Function objects,
// such as `pv::sqrt`, are not found that way.) Each does the same as the object of its name in
// `purview`.

template <TensorLike X>
auto abs(const X& x) {
    return purview::abs(x);
}
template <TensorLike X>
auto sqrt(const X& x) {
    return purview::sqrt(x);
}
template <TensorLike X>
auto cbrt(const X& x) {
    return purview::cbrt(x);
}
template <TensorLike X>
auto exp(const X& x) {
    return purview::exp(x);
}
template <TensorLike X>
auto exp2(const X& x) {
    return purview::exp2(x);
}
template <TensorLike X>
auto expm1(const X& x) {
    return purview::expm1(x);
}
template <TensorLike X>
auto log(const X& x) {
    return purview::log(x);
}
template <TensorLike X>
auto log2(const X& x) {
    return purview::log2(x);
}
template <TensorLike X>
auto log10(const X& x) {
    return purview::log10(x);
}
template <TensorLike X>
auto log1p(const X& x) {
    return purview::log1p(x);
}
template <TensorLike X>
auto sin(const X& x) {
    return purview::sin(x);
}
template <TensorLike X>
auto cos(const X& x) {
    return purview::cos(x);
}
template <TensorLike X>
auto tan(const X& x) {
    return purview::tan(x);
}
template <TensorLike X>
auto asin(const X& x) {
    return purview::asin(x);
}
template <TensorLike X>
auto acos(const X& x) {
    return purview::acos(x);
}
template <TensorLike X>
auto atan(const X& x) {
    return purview::atan(x);
}
template <TensorLike X>
auto sinh(const X& x) {
    return purview::sinh(x);
}
template <TensorLike X>
auto cosh(const X& x) {
    return purview::cosh(x);
}
template <TensorLike X>
auto tanh(const X& x) {
    return purview::tanh(x);
}
template <TensorLike X>
auto floor(const X& x) {
    return purview::floor(x);
}
template <TensorLike X>
auto ceil(const X& x) {
    return purview::ceil(x);
}
template <TensorLike X>
auto round(const X& x) {
    return purview::round(x);
}
template <TensorLike X>
auto rint(const X& x) {
    return purview::rint(x);
}
template <TensorLike X>
auto trunc(const X& x) {
    return purview::trunc(x);
}
template <TensorLike X>
auto fabs(const X& x) {
    return purview::abs(x);
}
template <TensorLike X>
auto isnan(const X& x) {
    return purview::is_nan(x);
}
template <TensorLike X>
auto isinf(const X& x) {
    return purview::is_infinite(x);
}
template <TensorLike X>
auto isfinite(const X& x) {
    return purview::is_finite(x);
}
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto pow(const X& x, const Y& y) { return purview::pow(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto hypot(const X& x, const Y& y) { return purview::hypot(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto atan2(const X& x, const Y& y) { return purview::atan2(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto fmod(const X& x, const Y& y) { return purview::rem(x, y); }
template <typename X, typename Y>
    requires TensorOperands<X, Y>
auto remainder(const X& x, const Y& y) { return purview::ieee_remainder(x, y); }

} // namespace purview::lookup
