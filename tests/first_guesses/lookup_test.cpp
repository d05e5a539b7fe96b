#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <complex>
#include <vector>

namespace lookup_test {

// Functions of <cmath> without a prefix: of tensors, found by their arguments.

namespace {

namespace pv = purview;

/// Written for numbers, and taken by tensors.
template <typename T>
auto bell(const T& x) {
    using std::exp;
    using std::pow;
    using std::sqrt;
    return exp(-pow(x, 2) / 2) / sqrt(2 * 3.141592653589793);
}

template <typename X, typename Y>
bool same(const X& a, const Y& b) {
    return pv::equals(pv::AnyTensor(a), pv::AnyTensor(b));
}

const auto x = pv::tensor({0.25, 0.5, 0.75});

} // namespace

TEST_CASE("functions are found without a prefix") {
    CHECK(same(sqrt(x), pv::sqrt(x)));
    CHECK(same(abs(-x), x));
    CHECK(same(fabs(-x), x));
    CHECK(same(exp(x), pv::exp(x)));
    CHECK(same(exp2(x), pv::exp2(x)));
    CHECK(same(expm1(x), pv::expm1(x)));
    CHECK(same(log(x), pv::log(x)));
    CHECK(same(log2(x), pv::log2(x)));
    CHECK(same(log10(x), pv::log10(x)));
    CHECK(same(log1p(x), pv::log1p(x)));
    CHECK(same(cbrt(x), pv::cbrt(x)));
    CHECK(same(sin(x), pv::sin(x)));
    CHECK(same(cos(x), pv::cos(x)));
    CHECK(same(tan(x), pv::tan(x)));
    CHECK(same(asin(x), pv::asin(x)));
    CHECK(same(acos(x), pv::acos(x)));
    CHECK(same(atan(x), pv::atan(x)));
    CHECK(same(sinh(x), pv::sinh(x)));
    CHECK(same(cosh(x), pv::cosh(x)));
    CHECK(same(tanh(x), pv::tanh(x)));
    CHECK(same(asinh(x), pv::asinh(x)));
    CHECK(same(acosh(x + 1), pv::acosh(x + 1)));
    CHECK(same(atanh(x), pv::atanh(x)));
    CHECK(same(erf(x), pv::erf(x)));
    CHECK(same(erfc(x), pv::erfc(x)));
    CHECK(same(floor(x), pv::floor(x)));
    CHECK(same(ceil(x), pv::ceil(x)));
    CHECK(same(round(x), pv::round(x)));
    CHECK(same(rint(x), pv::rint(x)));
    CHECK(same(trunc(x), pv::trunc(x)));
    CHECK(same(isnan(x), pv::is_nan(x)));
    CHECK(same(isinf(x), pv::is_infinite(x)));
    CHECK(same(isfinite(x), pv::is_finite(x)));
    CHECK(same(signbit(x), pv::signbit(x)));
    CHECK(same(copysign(x, -1.), pv::copysign(x, -1.)));
    CHECK(same(nextafter(x, 1.), pv::nextafter(x, 1.)));
    CHECK(same(pow(x, 2), pv::pow(x, 2)));
    CHECK(same(pow(2., x), pv::pow(2., x)));
    CHECK(same(hypot(x, x), pv::hypot(x, x)));
    CHECK(same(atan2(x, 1), pv::atan2(x, 1)));
    CHECK(same(fmod(x, 0.5), x % 0.5));
    CHECK(same(remainder(x, 0.5), pv::ieee_remainder(x, 0.5)));
}

TEST_CASE("of tensors of every kind, beside those of std") {
    const auto expected = pv::to_vector(bell(x));
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(std::fabs(expected[i] - bell(x.read(static_cast<pv::index_t>(i)))) < 1e-15);
    const pv::Tensor<double> reads = x;
    CHECK(same(bell(reads), bell(x)));
    CHECK(same(bell(x + 0), bell(x)));
    CHECK(same(bell(pv::AnyTensor(x)), bell(x)));
    const pv::Dim i("i");
    CHECK(same(bell(x(i)) | pv::order(i), bell(x)));
    CHECK(same(sqrt(pv::tensor({4, 9})), pv::tensor({2., 3.})));
    const auto traced =
        pv::computation([](const auto& s) { return sqrt(s) + exp(s); }, pv::spec<double>({3}));
    CHECK(same(traced(x), sqrt(x) + exp(x)));
    // Elements of other types have the functions of their own namespaces.
    const auto roots = sqrt(pv::tensor({std::complex<double>(-4)}));
    CHECK(roots(0) == std::complex<double>(0, 2));
}

} // namespace lookup_test
