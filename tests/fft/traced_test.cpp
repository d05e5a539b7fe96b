#include <support/catch.hpp>
#include <support/same_bits.hpp>

#include <purview/fft/fft.hpp>
#include <purview/purview.hpp>

#include <complex>
#include <string>

namespace fft_traced_test {

namespace {

namespace pv = purview;
using Complex = std::complex<double>;
using pv::index_t;

pv::MutableTensor<double> numbers(const pv::Shape& shape, unsigned seed) {
    return pv::clone(pv::random_uniform(shape, seed) * 2. - 1.);
}

/// The derivatives of a number, backwards, forwards and of second order, beside differences.
template <typename F>
void check_derivatives(F f, const pv::Shape& shape) {
    const auto x = numbers(shape, 1), v = numbers(shape, 2);
    const auto once = pv::computation(f, pv::spec<double>(shape));
    const auto slope = pv::gradient(once);
    const pv::MutableTensor<double> by = slope(x);
    const double h = 1e-5;
    const auto ahead = pv::clone(x + h * v), behind = pv::clone(x - h * v);
    const double along = (double(once(ahead)) - double(once(behind))) / (2 * h);
    CHECK(double(pv::sum(by * v)) == Catch::Approx(along).epsilon(1e-6).margin(1e-7));
    const auto forwards = pv::computation(
        [&](auto y) { return pv::jacobian_vector_product(f(y), y, v); }, pv::spec<double>(shape));
    CHECK(double(forwards(x)) == Catch::Approx(along).epsilon(1e-6).margin(1e-7));
    const auto second = pv::computation(
        [&](auto y) { return pv::hessian_vector_product(f(y), y, v); }, pv::spec<double>(shape));
    const auto expected = pv::clone((slope(ahead) - slope(behind)) / (2 * h));
    CHECK(pv::allclose(second(x), expected, {.relative = 1e-5, .absolute = 1e-6}));
}

} // namespace

TEST_CASE("a transform in a traced function has the bits of one called now") {
    for (const pv::Shape& shape : {pv::Shape{8}, {3, 7}, {2, 2048}}) {
        const auto x = numbers(shape, 3);
        const auto spectrum =
            pv::computation([](auto y) { return pv::rfft(y); }, pv::spec<double>(shape));
        oracle::expect_same_bits<Complex>(spectrum(x), pv::rfft(x));
        const auto filtered = pv::computation(
            [](auto y) {
                return pv::real(
                    pv::ifft(pv::fft(y, 0) * Complex(2, 1), 0, {.norm = pv::FftNorm::ortho}));
            },
            pv::spec<double>(shape));
        const auto now = pv::clone(
            pv::real(pv::ifft(pv::fft(x, 0) * Complex(2, 1), 0, {.norm = pv::FftNorm::ortho})));
        oracle::expect_same_bits<double>(filtered(x), now);
        const auto back = pv::computation([](auto y) { return pv::irfft(y, {.length = 9}); },
                                          pv::spec<double>(shape));
        oracle::expect_same_bits<double>(back(x), pv::irfft(x, {.length = 9}));
        const auto all =
            pv::computation([](auto y) { return pv::fftn(y); }, pv::spec<double>(shape));
        oracle::expect_same_bits<Complex>(all(x), pv::fftn(x));
    }
    const auto narrow =
        pv::computation([](auto y) { return pv::irfft(pv::rfft(y)); }, pv::spec<float>({6}));
    const auto x = pv::tensor({1.F, 2.F, 3.F, 4.F, 5.F, 6.F});
    oracle::expect_same_bits<float>(narrow(x), pv::irfft(pv::rfft(x)));
    const auto dims = pv::computation(
        [](auto y) {
            const pv::Dim i("i"), k("k");
            return pv::abs(pv::fft(y(i, k), i)) | pv::order(k, i);
        },
        pv::spec<double>({4, 3}));
    const auto m = numbers({4, 3}, 4);
    oracle::expect_same_bits<double>(dims(m), pv::clone(pv::transpose(pv::abs(pv::fft(m, 0)))));
}

TEST_CASE("a complex number without its derivative, and quotients of small ones") {
    const auto x = pv::tensor({1., 2., 4., 3.});
    const auto half = pv::computation(
        [](auto y) {
            const auto z = pv::rfft(y);
            return pv::sum(pv::real(pv::stop_gradient(z) * z));
        },
        pv::spec<double>({4}));
    const auto whole = pv::computation(
        [](auto y) {
            const auto z = pv::rfft(y);
            return pv::sum(pv::real(z * z));
        },
        pv::spec<double>({4}));
    CHECK(double(half(x)) == double(whole(x)));
    CHECK(pv::allclose(pv::clone(2. * pv::gradient(half)(x)), pv::gradient(whole)(x)));
    const auto quotients = pv::computation(
        [](auto y) { return pv::sum(pv::real(Complex(1, 2) / (pv::fft(y) + Complex(0, 1) * y))); },
        pv::spec<double>({4}));
    const auto slope = pv::gradient(quotients);
    for (const double factor : {0x1p-300, 0x1p+300})
        CHECK(pv::allclose(pv::clone(slope(pv::clone(x * factor)) * factor * factor), slope(x),
                           {.relative = 1e-12}));
}

TEST_CASE("derivatives through transforms and complex numbers") {
    const auto weights = pv::clone(numbers({9}, 5) + Complex(0, 1) * numbers({9}, 6));
    const auto power = [](auto z) { return pv::sum(pv::sq(pv::real(z)) + pv::sq(pv::imag(z))); };
    SECTION("fft") {
        check_derivatives([&](auto x) { return power(pv::fft(x * x)); }, {5});
        check_derivatives(
            [&](auto x) { return pv::sum(pv::abs(pv::fft(x, {.length = 9}) * weights)); }, {4});
        check_derivatives(
            [&](auto x) { return power(pv::fft(x, {.norm = pv::FftNorm::ortho, .length = 3})); },
            {4, 5});
    }
    SECTION("there and back") {
        check_derivatives(
            [&](auto x) { return pv::sum(pv::sin(pv::real(pv::ifft(pv::fft(x) * weights)))); },
            {9});
        check_derivatives(
            [&](auto x) {
                return pv::sum(
                    pv::exp(pv::irfft(pv::rfft(x) * weights(pv::range(0, 5)), {.length = 9})));
            },
            {2, 9});
        check_derivatives(
            [&](auto x) { return pv::sum(pv::sq(pv::irfft(pv::rfft(x), {.length = 5}))); }, {8});
        check_derivatives(
            [&](auto x) { return pv::sum(pv::exp(pv::irfftn(pv::rfftn(x) / (2. + x(0, 0))))); },
            {3, 4});
    }
    SECTION("several axes, and complex arithmetic") {
        check_derivatives(
            [&](auto x) {
                return pv::sum(pv::exp(pv::abs(pv::fftn(x, {0, 2}))));
            },
            {3, 2, 4});
        check_derivatives(
            [&](auto x) {
                const auto z = pv::fft(x) - Complex(1, 2), w = pv::ifft(x) + Complex(0.5, 3);
                return pv::sum(pv::real(z / w * pv::conj(z) - w)) + pv::sum(pv::imag(-z * w / 3.));
            },
            {6});
        check_derivatives(
            [&](auto x) {
                const auto z = pv::fft(x);
                return pv::sum(pv::abs(pv::concat({z(pv::range(2, 5)), pv::flip(z)}, 0)) *
                               pv::abs(pv::roll(pv::concat({z, z(pv::range(0, 3))}, 0), 1)));
            },
            {6});
    }
    SECTION("where") {
        check_derivatives(
            [&](auto x) {
                const auto z = pv::fft(x), w = pv::where(x > 0.1, z * z, -z);
                return pv::sum(pv::real(w * pv::where(x > 0.2, w, Complex(1, 3))) + pv::imag(w));
            },
            {6});
    }
    SECTION("in single precision") {
        const auto f =
            pv::computation([&](auto x) { return power(pv::fft(x)); }, pv::spec<float>({4}));
        const auto x = pv::tensor({1.F, -2.F, 3.F, 0.5F});
        // By Parseval, four times the sum of squares.
        const pv::MutableTensor<float> by = pv::gradient(f)(x);
        for (index_t i = 0; i < 4; ++i) CHECK(by(i) == Catch::Approx(8 * x(i)));
    }
}

TEST_CASE("traced transforms are printed, saved and explained; what has no derivative is refused") {
    const auto f = pv::computation([](auto x) { return pv::sum(pv::abs(pv::rfft(x))); },
                                   pv::spec<double>({6}));
    CHECK(pv::computation_text(f).find("fft.rfft") != std::string::npos);
    const auto loaded = pv::computation_from(pv::computation_bytes(f));
    const auto x = numbers({6}, 7);
    CHECK(loaded({x})[0].as<double>().item() == double(f(x)));
    const auto slope = pv::gradient(f);
    const auto by = pv::computation_from(pv::computation_text(slope))({x})[0];
    oracle::expect_same_bits<double>(by.as<double>(), slope(x));

    CHECK_THROWS_AS(pv::computation([](auto y) { return pv::fft(y, 1); }, pv::spec<double>({4})),
                    pv::IndexError);
    const auto through = pv::computation(
        [](auto y) { return pv::sum(pv::real(pv::sin(pv::fft(y)))); }, pv::spec<double>({4}));
    CHECK_THROWS_AS(pv::gradient(through), pv::DtypeError);
}

} // namespace fft_traced_test
