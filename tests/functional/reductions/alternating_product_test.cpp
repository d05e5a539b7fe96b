#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <cmath>
#include <complex>
#include <limits>
#include <vector>

namespace alternating_product_test {

// NumPy's products of 1,000 float64 and of 200 float32 that alternate between 10 and 0.1 are 1.
// Factors of one kind by themselves overflow: float32 from 39 of them on.

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
std::vector<T> alternating(index_t n) {
    std::vector<T> factors;
    for (index_t i = 0; i < n; ++i) factors.push_back(i % 2 == 0 ? T(10) : T(0.1));
    return factors;
}

/// Half a unit in the last place for each 0.1, and for each multiplication.
template <typename T>
auto is_one_after(index_t n) {
    return [error = static_cast<double>(2 * n) * std::numeric_limits<T>::epsilon()](auto product) {
        return std::abs(product - decltype(product)(1)) <= error;
    };
}

/// Whether all of a tensor fulfil a condition.
template <typename X, typename F>
bool each(const X& x, F condition) {
    for (const auto& element : pv::to_vector(x))
        if (!condition(element)) return false;
    return true;
}

} // namespace

TEMPLATE_TEST_CASE("products of factors that alternate are of moderate size", "", float, double) {
    using T = TestType;
    for (const index_t n : {8, 16, 40, 200, 256, 1000, 1024, 4096, 8192, 20000}) {
        CAPTURE(n);
        const auto is_one = is_one_after<T>(n);
        const std::vector<T> factors = alternating<T>(n);
        const auto x = pv::tensor(std::vector<T>(factors));
        CHECK(is_one(pv::product(x)));
        CHECK(is_one(pv::product(x * 1)));
        CHECK(is_one(pv::product(pv::flip(x, 0))));
        CHECK(is_one(pv::product(pv::chunked(x, {100}))));
        CHECK(is_one(pv::product(pv::chunked(x, {100}) * 1)));
        CHECK(is_one(pv::product(pv::to_sparse(x - 1) + 1)));
        CHECK(is_one(
            pv::product(pv::tensor(std::vector<std::complex<T>>(factors.begin(), factors.end())))));
        CHECK(is_one(pv::product(x, pv::skip_nan)));
    }
}

TEMPLATE_TEST_CASE("products of rows and columns that alternate are of moderate size", "", float,
                   double) {
    using T = TestType;
    for (const index_t n : {16, 40, 200, 256, 1000, 1024, 4096, 8192, 20000})
        for (const index_t width : {1, 2, 3, 8, 50, 64, 100}) {
            CAPTURE(n, width);
            const auto is_one = is_one_after<T>(n);
            const auto x = pv::tensor(alternating<T>(n));
            const auto rows = pv::clone(pv::broadcast(x, {width, n}));
            const auto columns = pv::clone(pv::transpose(rows));
            CHECK(each(pv::product(rows, 1), is_one));
            CHECK(each(pv::product(pv::transpose(rows), 0), is_one));
            CHECK(each(pv::product(columns, 0), is_one));
            CHECK(each(pv::product(pv::flip(columns, 0) * 1, 0), is_one));
            CHECK(each(pv::product(columns(pv::all, pv::range(0, (width + 1) / 2)), 0), is_one));
            const auto blocks = pv::clone(pv::broadcast(columns, {3, n, width}));
            CHECK(each(pv::product(blocks, 1), is_one));
        }
}

TEMPLATE_TEST_CASE("products of groups and windows that alternate are of moderate size", "", float,
                   double) {
    using T = TestType;
    const index_t n = 6000;
    const auto is_one = is_one_after<T>(n);
    const auto x = pv::tensor(alternating<T>(n));
    const auto pairs = pv::arange<index_t>(n) / 2;
    CHECK(each(std::get<1>(pv::group_by_reduce(pairs % 3, x, pv::product)), is_one));
    CHECK(each(std::get<1>(pv::group_by_reduce(pairs * 2 / n, x, pv::product)), is_one));
    for (const index_t width : {2, 40, 100, 300, 1000}) {
        CAPTURE(width);
        const auto windows = pv::product(pv::sliding_window(x, 0, width), 1);
        CHECK(each(windows, is_one));
        const auto rolled = pv::fixed_rolling_window(x, width, pv::product, 0,
                                                     {.position = pv::WindowPosition::leading});
        CHECK(each(rolled(pv::range(0, n - width)), is_one));
    }
}

} // namespace alternating_product_test
