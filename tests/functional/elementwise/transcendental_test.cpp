#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/order.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace transcendental_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// As far apart as two results that are each off by an ulp can be.
template <typename T>
bool near(T a, T b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    return std::abs(a - b) <= 3 * std::abs(b) * std::numeric_limits<T>::epsilon() ||
           std::abs(a - b) <= 3 * std::numeric_limits<T>::denorm_min();
}

template <typename T>
using Result = std::conditional_t<std::is_floating_point_v<T>, T, double>;

/// A function beside the C library's, for an element type.
template <typename T>
struct Case {
    const char* name;
    pv::Tensor<Result<T>> (*typed)(const pv::MutableTensor<T>&);
    pv::AnyTensor (*erased)(const pv::AnyTensor&);
    Result<T> (*twin)(Result<T>);
};

// For a type, not for a function of it: what is compiled for every pair of them is the call alone.
template <typename T>
void check_function(const Case<T>& function) {
    using R = Result<T>;
    for (const pv::index_t size : {0, 1, 2, 3, 7, 8, 15, 16, 31, 33, 64, 65, 127, 200, 255, 300}) {
        const auto x = pv::empty<T>({size});
        for (pv::index_t i = 0; i < size; ++i)
            x(i) = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(i) * 0.37 - 3)
                                               : static_cast<T>(i % 90);
        const pv::Tensor<R> y = function.typed(x);
        CHECK(y.shape() == pv::Shape{size});
        pv::index_t wrong = -1;
        const std::vector<R> got = pv::to_vector(y);
        for (pv::index_t i = 0; i < size && wrong < 0; ++i)
            if (!near(got[static_cast<std::size_t>(i)], function.twin(static_cast<R>(x(i)))))
                wrong = i;
        INFO(function.name << " of " << pv::kDType<T>.name() << ", size " << size << ", element "
                           << wrong);
        CHECK(wrong == -1);
        const pv::AnyTensor any = function.erased(x);
        CHECK(any.dtype() == pv::kDType<R>);
        CHECK(any.shape() == y.shape());
    }
}

template <typename F, typename G, typename... T>
void check_tensors(const char* name, F, G, std::type_identity<std::tuple<T...>>) {
    // As a tensor of exactly its type, and not of one that converts.
    STATIC_REQUIRE(
        (std::is_same_v<typename decltype(F{}(std::declval<pv::MutableTensor<T>>()))::value_type,
                        Result<T>> &&
         ...));
    const auto erased = [](const pv::AnyTensor& x) -> pv::AnyTensor { return F{}(x); };
    (check_function<T>(
         {.name = name,
          .typed = [](const pv::MutableTensor<T>& x) -> pv::Tensor<Result<T>> { return F{}(x); },
          .erased = erased,
          .twin = [](Result<T> value) -> Result<T> { return G{}(value); }}),
     ...);
}

template <typename F, typename G>
void check_types(const char* name, F function, G twin) {
    using Types = std::tuple<float, double, std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                             std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
    check_tensors(name, function, twin, std::type_identity<Types>{});
    // numbers
    CHECK(near(function(0.5), twin(0.5)));
    CHECK(near(function(0.5F), twin(0.5F)));
    CHECK(near(function(2), twin(2.0)));
    STATIC_REQUIRE(std::is_same_v<decltype(function(0.5F)), float>);
    STATIC_REQUIRE(std::is_same_v<decltype(function(2)), double>);
}

#define CHECK_TYPES(name) check_types(#name, pv::name, [](auto v) { return std::name(v); })

} // namespace

TEST_CASE("transcendental functions agree with the C library's, for every type") {
    CHECK_TYPES(cbrt);
    CHECK_TYPES(exp);
    CHECK_TYPES(exp2);
    CHECK_TYPES(expm1);
    CHECK_TYPES(log);
    CHECK_TYPES(log2);
    CHECK_TYPES(log10);
    CHECK_TYPES(log1p);
    CHECK_TYPES(sin);
    CHECK_TYPES(cos);
    CHECK_TYPES(tan);
    CHECK_TYPES(asin);
    CHECK_TYPES(acos);
    CHECK_TYPES(atan);
    CHECK_TYPES(sinh);
    CHECK_TYPES(cosh);
    CHECK_TYPES(tanh);
    CHECK_TYPES(asinh);
    CHECK_TYPES(acosh);
    CHECK_TYPES(atanh);
    CHECK_TYPES(erf);
    check_types("erfc", pv::erfc, [](auto v) { // glibc's of double is 3.3 ulp off
        return static_cast<decltype(v)>(std::erfc(static_cast<long double>(v)));
    });
}

TEST_CASE("functions of two floats") {
    const auto x = pv::tensor({0.5, 2.0, -2.0, 0.0, 3.0});
    const auto y = pv::tensor({2.0, -0.5, 3.0, 0.0, kInfinity});
    const auto check = [&](const auto& function, auto twin) {
        const std::vector<double> got = pv::to_vector(function(x, y));
        const std::vector<double> scalar = pv::to_vector(function(x, 2.0));
        const std::vector<double> reversed = pv::to_vector(function(2.0, x));
        const std::vector<double> staged = pv::to_vector(x | function(2));
        for (pv::index_t i = 0; i < 5; ++i) {
            const auto at = static_cast<std::size_t>(i);
            CHECK(near(got[at], twin(x(i), y(i))));
            CHECK(near(scalar[at], twin(x(i), 2.0)));
            CHECK(near(reversed[at], twin(2.0, x(i))));
            CHECK(near(staged[at], twin(x(i), 2.0)));
        }
        CHECK(near(function(3, 2), twin(3.0, 2.0)));
        CHECK(near(function(3.0F, 2), twin(3.0F, 2.0F)));
    };
    check(pv::pow, [](auto a, auto b) { return std::pow(a, b); });
    check(pv::hypot, [](auto a, auto b) { return std::hypot(a, b); });
    check(pv::atan2, [](auto a, auto b) { return std::atan2(a, b); });
    check(pv::ieee_remainder, [](auto a, auto b) { return std::remainder(a, b); });
    CHECK(pv::pow(pv::tensor({2, 3}), 2).dtype() == pv::float64);
    CHECK(pv::pow(pv::tensor({2.0F, 3.0F}), 2).dtype() == pv::float32);
    CHECK(pv::pow(pv::tensor({2, 3}), 2.5F).dtype() == pv::float32);
    CHECK(pv::pow(pv::AnyTensor(pv::tensor({2, 3})), 2).dtype() == pv::float64);
    CHECK((pv::hypot(pv::tensor({3.0}), pv::tensor({{4.0}, {0.0}}))).shape() == pv::Shape{2, 1});
}

TEST_CASE("special values are those of the C library") {
    const auto x =
        pv::tensor({kNaN, kInfinity, -kInfinity, 0.0, -0.0, 1.0, -1.0, 2.0, 800.0, -800.0,
                    std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()});
    const auto check = [&](const auto& function, auto twin) {
        const std::vector<double> got = pv::to_vector(function(x));
        for (pv::index_t i = 0; i < x.size(); ++i) {
            const double expected = twin(x(i));
            const double value = got[static_cast<std::size_t>(i)];
            INFO("of " << x(i) << ": " << value);
            CHECK(near(value, expected));
            if (expected == 0) CHECK(std::signbit(value) == std::signbit(expected));
        }
    };
    check(pv::exp, [](double v) { return std::exp(v); });
    check(pv::log, [](double v) { return std::log(v); });
    check(pv::log1p, [](double v) { return std::log1p(v); });
    check(pv::tanh, [](double v) { return std::tanh(v); });
    check(pv::asin, [](double v) { return std::asin(v); });
    check(pv::asinh, [](double v) { return std::asinh(v); });
    check(pv::acosh, [](double v) { return std::acosh(v); });
    check(pv::atanh, [](double v) { return std::atanh(v); });
    check(pv::sin, [](double v) { return std::sin(v); });
    check(pv::cbrt, [](double v) { return std::cbrt(v); });
}

TEST_CASE("functions of elements are lazy, fused, and can be looked at") {
    const auto x = pv::tensor({{0.0, 1.0}, {2.0, 3.0}});
    const auto y = pv::exp(x | pv::transpose({1, 0})) * 2 + pv::tanh(x);
    x(0, 1) = 0.0;
    CHECK(y(1, 0) == 2.0 * std::exp(0.0) + std::tanh(2.0));
    CHECK_THAT(pv::explain(y), ContainsSubstring("exp") && ContainsSubstring("tanh"));
    CHECK_THAT(pv::explain(pv::pow(x, 2.5)), ContainsSubstring("pow"));
}

TEST_CASE("functions of symbols, dims and constants") {
    const auto computation = pv::computation(
        [](const auto& a) {
            const auto e = pv::exp(a);
            return pv::sum(e / (e + 1));
        },
        pv::spec<double>({3}));
    const auto x = pv::tensor({0.0, 1.0, -1.0});
    CHECK(std::abs(computation(x) - pv::sum(pv::logistic(x))) < 1e-15);
    std::ostringstream printed;
    printed << computation;
    CHECK_THAT(printed.str(), ContainsSubstring("exp"));

    const auto [i, j] = pv::dims("i", "j");
    const auto matrix = pv::tensor({{0.0, 1.0}, {2.0, 3.0}});
    const auto ordered = pv::exp(matrix(i, j)) | pv::order(j, i);
    CHECK(near(pv::to_vector(ordered)[1], std::exp(2.0)));
    CHECK(pv::exp(pv::full({2}, 1.0)).shape() == pv::Shape{2});
}

TEST_CASE("logistic down to the last subnormal: scipy.special.expit") {
    const auto check = []<typename T>(const std::vector<T>& x, long double rounding) {
        const auto y = pv::to_vector(pv::logistic(pv::tensor(std::vector<T>(x))));
        for (std::size_t i = 0; i < x.size(); ++i) {
            CAPTURE(x[i]);
            const long double e = std::exp(static_cast<long double>(x[i]));
            const auto right = x[i] > 100 ? 1.0L : e / (1 + e);
            const auto off =
                right * rounding + static_cast<long double>(std::numeric_limits<T>::denorm_min());
            CHECK(std::abs(static_cast<long double>(y[i]) - right) <= off);
            CHECK(std::abs(static_cast<long double>(pv::logistic(x[i])) - right) <= off);
            CHECK(y[i] <= 1);
        }
    };
    std::vector<double> x{-1000, -746, -745.13, -745, -710, -709.8, -708.4, 19,
                          37,    38,   39,      40,   41,   709,    710,    1e300};
    std::vector<float> narrow{-200, -103.9f, -103.2f, -100, -89, -88.8f, -87.4f,
                              16,   17,      20,      21,   88,  89,     1e30f};
    for (int i = -400; i <= 400; ++i) {
        x.push_back(i * 1.87);
        narrow.push_back(static_cast<float>(i) * 0.26f);
    }
    check(x, 3 * 0x1p-52L);
    check(narrow, 3 * 0x1p-23L);
    CHECK(pv::logistic(pv::tensor({-710.}))(0) > 4.4e-309);
    CHECK(pv::logistic(pv::tensor({-89.f}))(0) > 2.2e-39f);
}

TEST_CASE("logistic, degrees and radians") {
    const auto x = pv::tensor({0.0, 1.0, -1.0, 800.0, -800.0, kNaN});
    const auto y = pv::to_vector(pv::logistic(x));
    CHECK(y[0] == 0.5);
    CHECK(near(y[1], 1 / (1 + std::exp(-1.0))));
    CHECK(y[3] == 1);
    CHECK(y[4] == 0);
    CHECK(std::isnan(y[5]));
    CHECK(pv::logistic(0.0) == 0.5);
    CHECK(pv::logistic(pv::tensor({0})).dtype() == pv::float64);
    CHECK(pv::logistic(pv::tensor({0.0F})).dtype() == pv::float32);
    CHECK(near(pv::to_degrees(pv::tensor({1.0}))(0), 57.29577951308232));
    CHECK(near(pv::to_radians(pv::tensor({180}))(0), 3.141592653589793));
    CHECK(near(pv::to_degrees(1.0F), 57.29578F));
    CHECK(pv::to_radians(pv::AnyTensor(pv::tensor({180.0F}))).dtype() == pv::float32);
}

TEST_CASE("logaddexp") {
    const auto twin = [](auto a, auto b) {
        const auto larger = std::max(a, b);
        return larger + std::log1p(std::exp(std::min(a, b) - larger));
    };
    SECTION("of floats, either side") {
        const auto x = pv::tensor({0.5, 2.0, -2.0, 0.0, 3.0, 800.0, -800.0, 1e308});
        const auto y = pv::tensor({2.0, -0.5, 3.0, 0.0, 60.0, 801.0, -801.0, -1e308});
        const auto xy = pv::logaddexp(x, y);
        const auto yx = pv::logaddexp(y, x);
        const auto number = pv::logaddexp(x, 2);
        const auto reversed = pv::logaddexp(2, x);
        const auto staged = x | pv::logaddexp(2);
        for (pv::index_t i = 0; i < x.size(); ++i) {
            CHECK(near(double(xy(i)), twin(double(x(i)), double(y(i)))));
            CHECK(yx(i) == xy(i));
            CHECK(near(double(number(i)), twin(double(x(i)), 2.0)));
            CHECK(reversed(i) == number(i));
            CHECK(staged(i) == number(i));
            CHECK(near(pv::logaddexp(x(i), y(i)), twin(double(x(i)), double(y(i)))));
        }
        CHECK(pv::to_vector(x | pv::logaddexp(y)) == pv::to_vector(xy));
        const auto floats = pv::logaddexp(pv::cast<float>(x | pv::select(pv::range(0, 7))), 1);
        STATIC_REQUIRE(std::is_same_v<decltype(floats)::value_type, float>);
        CHECK(near(float(floats(0)), twin(0.5F, 1.0F)));
        CHECK(floats(5) == 800.0F);
    }
    SECTION("infinities and NaN") {
        const auto x = pv::tensor({-kInfinity, -kInfinity, 1.0, kInfinity, kNaN});
        const auto grid = pv::logaddexp(x(pv::all, pv::new_axis), x);
        CHECK(grid.shape() == pv::Shape{5, 5});
        for (pv::index_t i = 0; i < 5; ++i)
            for (pv::index_t j = 0; j < 5; ++j) {
                const double a = x(i);
                const double b = x(j);
                const double expected = std::isnan(a) || std::isnan(b) ? kNaN
                                        : a == b && std::isinf(a)      ? a
                                                                       : twin(a, b);
                CHECK(near(double(grid(i, j)), expected));
                CHECK(near(pv::logaddexp(a, b), expected));
            }
    }
    SECTION("types") {
        const auto integers = pv::tensor({1, std::numeric_limits<int>::max()});
        const auto y = pv::logaddexp(integers, std::numeric_limits<int>::min());
        STATIC_REQUIRE(std::is_same_v<decltype(y)::value_type, double>);
        CHECK(y(0) == 1);
        CHECK(y(1) == std::numeric_limits<int>::max());
        STATIC_REQUIRE(std::is_same_v<decltype(pv::logaddexp(1, 2)), double>);
        STATIC_REQUIRE(std::is_same_v<decltype(pv::logaddexp(1.0F, 2)), float>);
        CHECK(near(pv::logaddexp(1, 2), twin(1.0, 2.0)));

        const pv::AnyTensor any = integers;
        CHECK(pv::logaddexp(any, 2).dtype() == pv::float64);
        CHECK(pv::logaddexp(2.0F, any).dtype() == pv::float32);
        CHECK(pv::to_vector(pv::logaddexp(any, std::numeric_limits<int>::min()).as<double>()) ==
              pv::to_vector(y));
        CHECK((any | pv::logaddexp(pv::tensor({1.0, 2.0}))).dtype() == pv::float64);
        CHECK(pv::logaddexp(any, any == any).dtype() == pv::float64);
        CHECK_THROWS_AS(pv::logaddexp(pv::AnyTensor(pv::tensor({"a"})), any), pv::DtypeError);
        CHECK_THROWS_AS(pv::logaddexp(any, pv::tensor({1, 2, 3})), pv::ShapeError);
    }
    SECTION("lazy, of vectors, under dims and of symbols") {
        const auto x = pv::tensor({0.0, 1.0});
        const auto later = pv::logaddexp(x, x);
        x(0) = 3.0;
        CHECK(near(double(later(0)), 3.0 + std::log(2.0)));
        CHECK(pv::to_vector(pv::logaddexp(std::vector{3.0, 1.0}, x)) == pv::to_vector(later));

        const auto [i, j] = pv::dims("i", "j");
        const auto outer = pv::logaddexp(x(i), x(j)) | pv::order(i, j);
        CHECK(near(double(outer(0, 1)), twin(3.0, 1.0)));
        const auto computation = pv::computation(
            [](const auto& a) { return pv::sum(pv::logaddexp(a, 1)); }, pv::spec<double>({2}));
        CHECK(near(double(computation(x)), twin(3.0, 1.0) + twin(1.0, 1.0)));
    }
}

TEST_CASE("functions of other element types that have them") {
    using C = std::complex<double>;
    const auto x = pv::tensor(std::vector<C>{{0.0, 1.0}, {1.0, 0.0}});
    CHECK(std::abs(pv::exp(x)(0) - std::exp(C{0.0, 1.0})) < 1e-15);
    CHECK(std::abs(pv::pow(x, C{2.0})(0) - C{-1.0}) < 1e-15);
}

TEST_CASE("bools compute in float64, and are not rounded") {
    const pv::AnyTensor bools = pv::tensor({true, false});
    CHECK(pv::exp(bools).dtype() == pv::float64);
    CHECK_THROWS_AS(pv::floor(bools), pv::DtypeError);
    CHECK_THROWS_AS(pv::logistic(bools), pv::DtypeError);
}

} // namespace transcendental_test
