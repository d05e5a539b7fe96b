#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

namespace far_products_test {

// A product that is in the range of its type is given, however far its factors are from 1: NumPy's
// np.tile([1e3, 1e-3], 2048).prod() is 1. The oracle multiplies with the exponent apart.

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
double one_by_one(const std::vector<T>& factors) {
    double significand = 1;
    int exponent = 0;
    for (const T factor : factors) {
        int more = 0;
        int carried = 0;
        significand *= std::frexp(static_cast<double>(factor), &more);
        significand = std::frexp(significand, &carried);
        exponent += more + carried;
    }
    return std::ldexp(significand, exponent);
}

/// Factors around `size` and their reciprocals: by turns, in halves, or shuffled.
enum class Order { by_turns, in_halves, shuffled };
template <typename T>
std::vector<T> factors_of(T size, index_t n, Order order, std::mt19937& random) {
    std::uniform_real_distribution<double> near(0.99, 1.01);
    std::vector<T> factors;
    for (index_t i = 0; i < n; ++i) {
        const bool is_large = order == Order::in_halves ? i < n / 2 : i % 2 == 0;
        factors.push_back(static_cast<T>(is_large ? size * near(random) : near(random) / size));
    }
    if (order == Order::shuffled) std::shuffle(factors.begin(), factors.end(), random);
    return factors;
}

template <typename T>
auto is_near(double right, index_t n) {
    return [=](auto product) {
        return std::abs(product - decltype(product)(static_cast<T>(right))) <=
               std::abs(right) * static_cast<double>(n) * std::numeric_limits<T>::epsilon();
    };
}

template <typename X, typename F>
bool each(const X& x, F condition) {
    return std::ranges::all_of(pv::to_vector(x), condition);
}

} // namespace

TEMPLATE_TEST_CASE("products of factors far from 1 are those of their exponents", "", float,
                   double) {
    using T = TestType;
    std::mt19937 random(1);
    for (const T size : {T(10), T(1e3), T(1e30), T(1e37)})
        for (const Order order : {Order::by_turns, Order::in_halves, Order::shuffled})
            for (const index_t n : {8, 16, 50, 100, 256, 1000, 4096, 20000}) {
                // Parts that fall below the least normal number, but not to 0, lose digits.
                if (order == Order::shuffled && size < T(1e30)) continue;
                CAPTURE(size, static_cast<int>(order), n);
                const std::vector<T> factors = factors_of(size, n, order, random);
                const auto is_right = is_near<T>(one_by_one(factors), n);
                const auto x = pv::tensor(std::vector<T>(factors));
                CHECK(is_right(pv::product(x)));
                CHECK(is_right(pv::product(x * 1)));
                CHECK(is_right(pv::product(pv::flip(x, 0))));
                CHECK(is_right(pv::product(pv::chunked(x, {100}))));
                CHECK(is_right(pv::product(pv::chunked(x, {100}) * 1)));
                CHECK(is_right(pv::product(x, pv::skip_nan)));
                CHECK(is_right(pv::product(pv::to_sparse(x))));
                CHECK(is_right(pv::product(
                    pv::tensor(std::vector<std::complex<T>>(factors.begin(), factors.end())))));
                const auto computed =
                    pv::computation([](auto v) { return pv::product(v); }, pv::spec<T>({n}));
                for (int times = 0; times < 3; ++times) CHECK(is_right(computed(x)));
                const auto keys = pv::const_tensor(index_t{7}, {n});
                CHECK(each(std::get<1>(pv::group_by_reduce(keys, x, pv::product)), is_right));

                const auto rows = pv::clone(pv::broadcast(x, {5, n}));
                const auto columns = pv::clone(pv::transpose(rows));
                CHECK(each(pv::product(rows, 1), is_right));
                CHECK(each(pv::product(columns, 0), is_right));
                CHECK(each(pv::product(pv::flip(columns, 0) * 1, 0), is_right));
                CHECK(each(pv::product(pv::chunked(columns, {64, 2}), 0), is_right));
                CHECK(each(pv::product(pv::clone(pv::broadcast(columns, {3, n, 5})), 1), is_right));
                CHECK(each(1 * pv::product(rows, 1), is_right));
                CHECK(each(pv::product(pv::sliding_window(x, 0, n), 1), is_right));
            }
}

TEMPLATE_TEST_CASE("products outside of the range of their type round as one would", "", float,
                   double) {
    using T = TestType;
    const index_t n = 3000;
    const T inf = std::numeric_limits<T>::infinity();
    const auto with = [&](T size, std::vector<T> others) {
        std::vector<T> factors(static_cast<std::size_t>(n), size);
        for (std::size_t i = 0; i < others.size(); ++i) factors[i * 7 + 1] = others[i];
        return pv::tensor(std::move(factors));
    };
    CHECK(pv::product(with(1e3, {})) == inf);
    CHECK(pv::product(with(1e3, {-1})) == -inf);
    CHECK(pv::product(with(1e3, {0})) == 0); // not 0 times an overflow
    CHECK(std::signbit(pv::product(with(1e3, {0, -1}))));
    CHECK(pv::product(with(T(1e-3), {})) == 0);
    CHECK(std::signbit(pv::product(with(T(1e-3), {-2}))));
    CHECK(pv::product(with(T(1e-3), {inf})) == inf); // not an infinity times an underflow
    CHECK(std::isnan(pv::product(with(T(1e-3), {inf, 0}))));
    CHECK(std::isnan(pv::product(with(1e3, {std::numeric_limits<T>::quiet_NaN()}))));
    // Subnormal factors have fewer bits, and lose none.
    const T least = std::numeric_limits<T>::denorm_min();
    std::vector<T> subnormal(64, 1);
    subnormal[3] = 3 * least;
    subnormal[40] = 1 / std::numeric_limits<T>::min();
    CHECK(pv::product(pv::tensor(std::move(subnormal))) ==
          3 * least / std::numeric_limits<T>::min());
}

TEST_CASE("products of what is stored and of fills meet with exponents apart") {
    // 10^300 by what is stored, 10^-300 by fills, and signs of both.
    auto x = pv::clone(pv::full({4, 200}, 1e-3));
    for (index_t i = 0; i < 100; ++i)
        for (index_t row = 0; row < 3; ++row) x(row, 2 * i) = row == 1 ? -1e5 : 1e5;
    x(1, 0) = 1e5;
    const auto sparse = pv::to_sparse(x, 1e-3);
    for (const auto& product :
         {pv::clone(pv::product(sparse, 1)), pv::clone(pv::product(sparse * 1, 1)),
          pv::clone(pv::product(pv::clone(pv::transpose(sparse)), 0))}) {
        CHECK(product(0) == Catch::Approx(1e200));
        CHECK(product(1) == Catch::Approx(-1e200));
        CHECK(product(3) == 0);
    }
    CHECK(pv::product(sparse(0, pv::all)) == Catch::Approx(1e200));
    CHECK(pv::product(sparse(pv::range(0, 2)) * 1) == -std::numeric_limits<double>::infinity());
    CHECK(pv::product(sparse(1, pv::all) * -1) == Catch::Approx(-1e200));
}

TEST_CASE("only the rows that left the range are multiplied again", "") {
    const index_t n = 2000;
    auto x = pv::clone(pv::full({40, n}, 1 + 1e-3));
    const auto before = pv::clone(pv::product(x, 1));
    for (index_t i = 0; i < n; ++i) x(7, i) = i < n / 2 ? 1e5 : 1e-5;
    const auto after = pv::clone(pv::product(x, 1));
    for (index_t row = 0; row < 40; ++row)
        if (row == 7)
            CHECK(std::abs(after(row) - 1) < 1e-10);
        else
            CHECK(after(row) == before(row));
}

} // namespace far_products_test
