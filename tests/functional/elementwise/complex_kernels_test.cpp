#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace complex_kernels_test {

// Arithmetic of complex numbers beside std::complex, on random shapes and views.

namespace {

namespace pv = purview;
using pv::index_t;
using Wide = std::complex<long double>;

template <typename C>
std::vector<C> numbers(std::mt19937& random, index_t count) {
    using P = typename C::value_type;
    std::uniform_real_distribution<P> parts(-3, 3);
    std::vector<C> values(static_cast<std::size_t>(count));
    for (C& value : values) value = {parts(random), parts(random)};
    return values;
}

/// A tensor of this shape: in order, through a view, computed, or read from a list.
template <typename C>
pv::Tensor<C> random_tensor(std::mt19937& random, index_t rows, index_t columns) {
    const auto made = [&](index_t r, index_t c) {
        return pv::tensor(numbers<C>(random, r * c), {r, c});
    };
    switch (random() % 8) {
    case 0: return pv::transpose(made(columns, rows));
    case 1: return pv::flip(made(rows, columns), {0, 1});
    case 2: return made(rows, 2 * columns)(pv::all, pv::range(0, 2 * columns, 2));
    case 3: return pv::broadcast(made(1, columns), {rows, columns});
    case 4: return pv::broadcast(made(rows, 1), {rows, columns});
    case 5: return -made(rows, columns);
    case 6: return pv::rotate(made(rows, columns), {1, 1});
    default: return made(rows, columns);
    }
}

template <typename T>
bool near(std::complex<T> found, Wide expected, long double magnitude = 0) {
    const long double tolerance = 8 * std::numeric_limits<T>::epsilon();
    return std::abs(Wide(found) - expected) <= tolerance * (std::abs(expected) + magnitude);
}
template <typename T>
bool near(T found, long double expected,
          long double tolerance = 8 * std::numeric_limits<T>::epsilon()) {
    return std::abs(static_cast<long double>(found) - expected) <= tolerance * std::abs(expected);
}

} // namespace

TEMPLATE_TEST_CASE("Complex arithmetic has the results of std::complex, on all views", "",
                   std::complex<float>, std::complex<double>) {
    using C = TestType;
    using P = typename C::value_type;
    std::mt19937 random(7);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto rows = static_cast<index_t>(random() % 6);
        const auto columns = static_cast<index_t>(random() % (round % 7 == 0 ? 700 : 21));
        const pv::Tensor<C> x = random_tensor<C>(random, rows, columns);
        const pv::Tensor<C> y = random_tensor<C>(random, rows, columns);
        const pv::Tensor<P> r = pv::real(random_tensor<C>(random, rows, columns));
        const C scalar = numbers<C>(random, 1)[0];
        CAPTURE(round, rows, columns);
        int which = 0;
        const auto check = [&](const pv::Tensor<C>& found, auto expected) {
            ++which;
            REQUIRE(found.shape() == x.shape());
            for (index_t i = 0; i < rows; ++i)
                for (index_t j = 0; j < columns; ++j) {
                    const Wide a(C(x(i, j)));
                    const Wide b(C(y(i, j)));
                    const auto c = static_cast<long double>(P(r(i, j)));
                    const long double size = 1 + std::abs(a) + std::abs(b) + std::abs(c);
                    const Wide wanted = expected(a, b, c);
                    CAPTURE(which, i, j, C(found(i, j)), C(wanted));
                    REQUIRE(near(C(found(i, j)), wanted, size * size));
                }
        };
        using W = Wide;
        using L = long double;
        const W s(scalar);
        check(x + y, [](W a, W b, L) { return a + b; });
        check(pv::tensor(x - y), [](W a, W b, L) { return a - b; });
        check(pv::tensor(x * y), [](W a, W b, L) { return a * b; });
        check(x / y, [](W a, W b, L) { return a / b; });
        check(x * r, [](W a, W, L c) { return a * c; });
        check(r * x, [](W a, W, L c) { return a * c; });
        check(x / r, [](W a, W, L c) { return a / c; });
        check(r - x, [](W a, W, L c) { return c - a; });
        check(x * scalar + 2, [&](W a, W, L) { return a * s + L(2); });
        check(r * scalar, [&](W, W, L c) { return c * s; });
        check(1.5 / x, [](W a, W, L) { return L(1.5) / a; });
        check(-x * pv::conj(y) + pv::sq(x), [](W a, W b, L) { return -a * std::conj(b) + a * a; });
        check(pv::exp(x), [](W a, W, L) { return std::exp(a); });

        const pv::Tensor<P> magnitudes = pv::abs(x);
        const pv::Tensor<P> angles = pv::angle(x * y);
        const pv::Tensor<bool> equal = x == y;
        const pv::Tensor<bool> same = pv::conj(pv::conj(x)) != x;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                const Wide a(C(x(i, j)));
                REQUIRE(near(P(magnitudes(i, j)), std::abs(a)));
                REQUIRE(std::abs(static_cast<L>(P(angles(i, j))) - std::arg(a * Wide(C(y(i, j))))) <
                        (sizeof(P) == 4 ? 1e-4L : 1e-12L));
                REQUIRE(bool(equal(i, j)) == (C(x(i, j)) == C(y(i, j))));
                REQUIRE_FALSE(bool(same(i, j)));
            }
        // Into strided memory, in place, and the reverse order.
        const auto wide = pv::full({rows, 2 * columns}, C(9));
        const auto place = wide(pv::all, pv::range(1, 2 * columns, 2));
        pv::copy(x * y, place);
        check(place, [](W a, W b, L) { return a * b; });
        const auto own = pv::clone(x);
        own *= y;
        own += 1;
        check(own, [](W a, W b, L) { return a * b + L(1); });
    }
}

TEMPLATE_TEST_CASE("Sums, products and means of complex numbers, over all axes", "",
                   std::complex<float>, std::complex<double>) {
    using C = TestType;
    std::mt19937 random(11);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto rows = static_cast<index_t>(random() % 7);
        const auto columns = static_cast<index_t>(random() % (round % 8 == 0 ? 9000 : 40));
        const pv::Tensor<C> x = random_tensor<C>(random, rows, columns);
        CAPTURE(round, rows, columns);
        const auto check = [&](C found, auto element, index_t count) {
            Wide sum = 0;
            long double magnitude = 0;
            for (index_t i = 0; i < count; ++i) {
                sum += Wide(C(element(i)));
                magnitude += std::abs(Wide(C(element(i))));
            }
            REQUIRE(near(found, sum, 16 * magnitude));
        };
        check(
            pv::sum(x), [&](index_t k) { return x(k / columns, k % columns); }, rows * columns);
        const pv::Tensor<C> of_rows = pv::sum(x, 1);
        const pv::Tensor<C> of_columns = pv::sum(x, 0);
        for (index_t i = 0; i < rows; ++i)
            check(
                of_rows(i), [&](index_t j) { return x(i, j); }, columns);
        for (index_t j = 0; j < std::min<index_t>(columns, 50); ++j)
            check(
                of_columns(j), [&](index_t i) { return x(i, j); }, rows);
        const pv::Tensor<C> products = pv::product(x / 2, 0);
        for (index_t j = 0; j < std::min<index_t>(columns, 50); ++j) {
            Wide product = 1;
            for (index_t i = 0; i < rows; ++i) product *= Wide(C(x(i, j))) / 2.0L;
            REQUIRE(near(C(products(j)), product, std::abs(product)));
        }
        if (rows * columns > 0)
            CHECK(near(pv::mean(x) * static_cast<typename C::value_type>(rows * columns),
                       Wide(pv::sum(x)), std::abs(Wide(pv::sum(x)))));
    }
    const auto one = pv::full({300}, C(0, 1));
    CHECK(pv::product(one) == C(1));
    CHECK(pv::sum(pv::full({0}, C(1))) == C(0));
    CHECK(pv::product(pv::full({0}, C(2))) == C(1));
}

TEMPLATE_TEST_CASE("Products of complex matrices, by BLAS and without it", "", std::complex<float>,
                   std::complex<double>) {
    using C = TestType;
    std::mt19937 random(13);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto m = static_cast<index_t>(random() % 24);
        const auto k = static_cast<index_t>(random() % 24);
        const auto n = static_cast<index_t>(random() % 24);
        const pv::Tensor<C> a = random_tensor<C>(random, m, k);
        const pv::Tensor<C> b = random_tensor<C>(random, k, n);
        CAPTURE(round, m, k, n);
        const auto check = [&](const pv::Tensor<C>& found) {
            REQUIRE(found.shape() == pv::Shape{m, n});
            for (index_t i = 0; i < m; ++i)
                for (index_t j = 0; j < n; ++j) {
                    Wide sum = 0;
                    long double magnitude = 0;
                    for (index_t l = 0; l < k; ++l) {
                        const Wide product = Wide(C(a(i, l))) * Wide(C(b(l, j)));
                        sum += product;
                        magnitude += std::abs(product);
                    }
                    REQUIRE(near(C(found(i, j)), sum, magnitude));
                }
        };
        check(pv::matmul(a, b));
        const auto [i, l, j] = pv::dims<3>();
        check(pv::sum(a(i, l) * b(l, j), l) | pv::order(i, j));
        const pv::Tensor<C> column = b(pv::all, pv::range(0, std::min<index_t>(n, 1)));
        REQUIRE(pv::matmul(a, column).shape() == pv::Shape{m, std::min<index_t>(n, 1)});
    }
    const auto x = pv::tensor({C(1, 2), C(3, -1)});
    CHECK(pv::dot(x, x) == C(1, 2) * C(1, 2) + C(3, -1) * C(3, -1));
}

TEST_CASE("Quotients, exponentials and magnitudes at the ends of the range") {
    using C = std::complex<double>;
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const auto of = [](const pv::Tensor<C>& x) { return C(x(0)); };
    const auto one = [](C z) { return pv::tensor({z}); };
    CHECK(near(of(one({1e300, 1e300}) / one({1e300, 1e300})), Wide(1)));
    CHECK(near(of(one({1e-300, 0}) / one({1e-300, 1e-300})), Wide(0.5L, -0.5L)));
    CHECK(of(one({1, 0}) / one({0, 0})).real() == kInf);
    CHECK(of(one({1, 1}) / one({kInf, 0})) == C(0, 0));
    CHECK(of(pv::exp(one({0, 0}))) == C(1, 0));
    CHECK(of(pv::exp(one({kInf, 0}))) == C(kInf, 0));
    CHECK(of(pv::exp(one({-kInf, 5}))) == C(0, 0));
    const C grown = of(pv::exp(one({720, 1.5707963})));
    CHECK(near(grown.real(), std::exp(720.0L) * std::cos(static_cast<long double>(1.5707963)),
               1e-6L));
    CHECK(grown.imag() == kInf);
    const auto magnitude = [&](C z) { return double(pv::abs(one(z))(0)); };
    CHECK(magnitude({3e200, 4e200}) == Catch::Approx(5e200));
    CHECK(magnitude({3e-200, 4e-200}) == Catch::Approx(5e-200).epsilon(1e-12).margin(0));
    CHECK(magnitude({0, -2}) == 2);
    CHECK(magnitude({-kInf, std::nan("")}) == kInf);
    CHECK(std::isnan(magnitude({1, std::nan("")})));
    std::mt19937_64 random(17);
    for (int round = 0; round < oracle::rounds(4000); ++round) {
        const auto wide = [&] {
            return std::ldexp(static_cast<double>(random()) - 0x1p63,
                              static_cast<int>(random() % 1900) - 1020);
        };
        const C z(wide(), wide());
        const long double expected =
            std::hypot(static_cast<long double>(z.real()), static_cast<long double>(z.imag()));
        REQUIRE(near(magnitude(z), expected));
    }
    CHECK(std::isnan(of(one({std::nan(""), 0}) * one({1, 1})).real()));
}

TEST_CASE("Complex operands of types known at run time, and what is refused") {
    using C = std::complex<double>;
    using F = std::complex<float>;
    const pv::AnyTensor z = pv::tensor({C(1, 2), C(3, 4)});
    const pv::AnyTensor f = pv::tensor({F(1, 2), F(3, 4)});
    const pv::AnyTensor x = pv::tensor({2.0, 3.0});
    CHECK((z * z).dtype() == pv::kDType<C>);
    CHECK((f + f).dtype() == pv::kDType<F>);
    CHECK((f * x).dtype() == pv::kDType<C>);
    CHECK((f * 2.0).dtype() == pv::kDType<F>);
    CHECK(C((z * x).as<C>()(1)) == C(9, 12));
    CHECK(C((z - 1).as<C>()(0)) == C(0, 2));
    CHECK(pv::abs(f).dtype() == pv::float32);
    CHECK(C(pv::AnyTensor(pv::sum(z)).as<C>()()) == C(4, 6));
    CHECK(C(pv::AnyTensor(pv::product(z, 0)).as<C>()()) == C(-5, 10));
    CHECK(C(pv::AnyTensor(pv::dot(z, z)).as<C>()()) == C(-10, 28));
    CHECK_THROWS_AS(pv::max(z), pv::DtypeError);
    pv::AnyTensor place_of_any = pv::full({2}, C(1));
    place_of_any += z;
    CHECK(C(place_of_any.as<C>()(1)) == C(4, 4));
    CHECK((z == z).dtype() == pv::boolean);
    CHECK_THROWS_AS(z < z, pv::DtypeError);
    CHECK_THROWS_AS(z % z, pv::DtypeError);
    CHECK_THROWS_AS(pv::floor(z), pv::DtypeError);
    CHECK_THROWS_AS(z + pv::full({3}, 1.0), pv::ShapeError);
    const pv::Tensor<int> integers = pv::tensor({1, 2});
    CHECK((integers * C(0, 1)).dtype() == pv::kDType<C>);
    CHECK((pv::tensor({1.0F}) * C(0, 1)).dtype() == pv::kDType<F>);
    CHECK(C(pv::cast<C>(f.as<F>())(1)) == C(3, 4));
    CHECK(F(pv::cast<F>(integers)(1)) == F(2, 0));
    // Beyond float's numbers: refused, or, unchecked, infinite.
    const auto large = pv::tensor(std::vector<C>{C(0, 1e39)});
    CHECK_THROWS_AS(pv::clone(pv::cast<F>(large)), pv::CastError);
    const pv::Operand unchecked =
        pv::convert_operand(large.operand(), pv::kDType<F>, pv::Op::wrapping_cast);
    CHECK(std::isinf(F(pv::Tensor<F>(unchecked)(0)).imag()));
    const auto place = pv::full({2}, C(0));
    pv::copy(integers, place);
    CHECK(C(place(1)) == C(2));
    CHECK_THROWS_AS(pv::copy(z, pv::full({2}, 0.0)), pv::DtypeError);
}

TEST_CASE("Complex numbers beside floats of 16 bits, under dims, and updated in place") {
    using C = std::complex<double>;
    using F = std::complex<float>;
    const auto h = pv::tensor({pv::Half(2), pv::Half(3)});
    const auto z = pv::tensor({C(1, 2), C(3, 4)});
    const auto f = pv::tensor({F(1, 2), F(3, 4)});
    CHECK(C((h * z)(1)) == C(9, 12));
    CHECK(C((z / h)(0)) == C(0.5, 1));
    CHECK_FALSE(bool((h == z)(0)));
    static_assert(std::same_as<decltype(h * C(1, 1))::value_type, F>);
    static_assert(std::same_as<decltype(pv::dot(z, f)), C>);
    CHECK(pv::dot(z, f) == pv::dot(z, z));
    CHECK(C(pv::matmul(h, z)()) == C(11, 16));
    CHECK(pv::allclose(z, f));
    CHECK_FALSE(pv::allclose(z, z * 1.001));
    CHECK(pv::allclose(pv::AnyTensor(z), pv::AnyTensor(f)));
    const C nan(std::nan(""), 0);
    CHECK_FALSE(pv::allclose(pv::full({2}, nan), pv::full({2}, nan)));
    CHECK(pv::allclose(pv::full({2}, nan), pv::full({2}, nan), {.nan_equal = true}));

    const auto [i] = pv::dims<1>();
    const auto q = pv::clone(z);
    q(i) += f(i);
    q(i) *= 2;
    q -= C(0, 1);
    CHECK(C(q(1)) == C(12, 15));
    const auto stored = pv::clone(h);
    stored(i) += h(i);
    CHECK(pv::to_vector(stored * 1) == std::vector<float>{4, 6});
    const std::vector<index_t> repeated{0, 0};
    CHECK_THROWS_AS(q(repeated) += C(1), pv::ReadOnlyError);
    CHECK_THROWS_AS(stored(repeated) += 1, pv::ReadOnlyError);

    CHECK_THROWS_AS(pv::sum(z, pv::skip_nan), pv::DtypeError);
    CHECK_THROWS_AS(pv::sum(pv::AnyTensor(z), pv::skip_nan), pv::DtypeError);
    CHECK(C(pv::AnyTensor(pv::mean(pv::AnyTensor(z), 0)).as<C>()()) == C(2, 3));
    CHECK(std::isnan(pv::mean(pv::zeros<C>({0})).real()));
    CHECK(std::isnan(pv::to_vector(pv::mean(pv::zeros<C>({0, 2}), 0))[1].imag()));
    CHECK(pv::concat({pv::AnyTensor(z), pv::AnyTensor(f)}).dtype() == pv::kDType<C>);
    // Many short groups, computed.
    const auto pairs = pv::tensor(std::vector<C>(6000, C(1, 1)), {3000, 2});
    const auto sums = pv::sum(pairs * pairs, 1);
    const auto products = pv::product(pairs * 1, 1);
    for (index_t row = 0; row < 3000; row += 499) {
        CHECK(C(sums(row)) == C(0, 4));
        CHECK(C(products(row)) == C(0, 2));
    }
}

} // namespace complex_kernels_test
