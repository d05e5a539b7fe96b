#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/named/order.hpp>

#include <array>
#include <concepts>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace computation_test {

namespace {

namespace pv = purview;
using Vector = std::vector<double>;

const auto kSquaredDistance = [](auto x, auto y) { return pv::sum(pv::sq(x - y)); };
const auto kVariance = [](auto x) {
    const auto m = pv::mean(x, {0}, pv::keep_dims);
    return pv::sum(pv::sq(x - m)) / static_cast<float>(x.size());
};

} // namespace

TEST_CASE("a computation is called many times") {
    const auto c = pv::computation(kSquaredDistance, pv::spec<double>({4}), pv::spec<double>({4}));
    STATIC_REQUIRE(std::same_as<decltype(c), const pv::Computation<double(double, double)>>);
    for (int i = 0; i < 3; ++i) {
        const auto a = pv::arange(4.0) * i | pv::clone;
        const auto b = pv::ones({4});
        const double d = c(a, b);
        CHECK(d == kSquaredDistance(a, b));
    }
    const auto copy = c; // a value
    CHECK(copy(pv::zeros({4}), pv::ones({4})) == 4.0);
}

TEST_CASE("reductions are nodes, over everything and over axes") {
    const auto x = pv::tensor({{1.F, 2.F, 4.F}, {3.F, 8.F, 0.F}});
    const auto variance = pv::computation(kVariance, pv::spec<float>({2, 3}));
    CHECK(variance(x) == kVariance(x));

    int calls = 0;
    const auto nested = pv::computation(
        [&calls](auto t) {
            ++calls;
            const auto rows = pv::max(t, 1) + pv::min(t, 1);
            return pv::product(rows - pv::mean(rows)) + pv::sum(pv::sum(t, 0));
        },
        pv::spec<float>({2, 3}));
    // Rows: [5 8], mean 6.5; (-1.5)(1.5) + 18.
    CHECK(nested(x) == Catch::Approx(15.75));
    CHECK(nested(pv::zeros<float>({2, 3})) == 0.F);
    CHECK(calls == 1);

    const auto logic = pv::computation(
        [](auto t) {
            return std::tuple(pv::any_of(t > 5), pv::all_of(t > 5), pv::any_of(t > 5, 0));
        },
        pv::spec<float>({2, 3}));
    const auto [any, all, columns] = logic(x);
    CHECK(any);
    CHECK_FALSE(all);
    CHECK(pv::to_vector(columns) == std::vector<bool>{false, true, false});

    const auto counts = pv::computation(
        [](auto t) { return std::tuple(pv::sum(t > 1), pv::mean(t), pv::product(t)); },
        pv::spec<std::int8_t>({3}));
    const auto [sum, mean, product] = counts(pv::tensor(std::vector<std::int8_t>{100, 100, 100}));
    STATIC_REQUIRE(std::same_as<decltype(sum), const std::int64_t>);
    CHECK(sum == 3);
    CHECK(mean == 100.0);
    CHECK(product == 1'000'000);
}

TEST_CASE("a computation reduces nothing") {
    const auto c = pv::computation(
        [](auto x) {
            return std::tuple(pv::sum(x), pv::product(x), pv::mean(x), pv::sum(x, 0),
                              pv::mean(x, 1), pv::any_of(x));
        },
        pv::spec<double>({2, 0}));
    const auto [sum, product, mean, columns, rows, any] = c(pv::zeros({2, 0}));
    CHECK(sum == 0.0);
    CHECK(product == 1.0);
    CHECK(mean != mean);
    CHECK(columns.shape() == pv::Shape{0});
    CHECK(pv::all_of(rows != rows));
    CHECK_FALSE(any);
    CHECK_THROWS_AS(pv::computation([](auto x) { return pv::min(x); }, pv::spec<double>({0})),
                    pv::ShapeError);
}

TEST_CASE("outputs are tensors in memory, alone or several") {
    const auto x = pv::reshape(pv::arange(6.0), {2, 3});
    const auto scaled =
        pv::computation([](auto t) { return (t + 1) * 2; }, pv::spec<double>({2, 3}));
    const pv::MutableTensor<double> y = scaled(x);
    CHECK(y.is_contiguous());
    CHECK(y.shape() == pv::Shape{2, 3});
    CHECK(pv::to_vector(y) == Vector{2, 4, 6, 8, 10, 12});
    CHECK_FALSE(pv::shares_storage(y, scaled(x)));

    const auto several = pv::computation(
        [](auto t) {
            const auto centred = t - pv::mean(t);
            return std::tuple(centred, pv::transpose(centred), pv::sum(pv::sq(centred)), t, 7, t);
        },
        pv::spec<double>({2, 3}));
    const auto [centred, turned, squares, same, seven, again] = several(x);
    CHECK(pv::to_vector(centred) == Vector{-2.5, -1.5, -0.5, 0.5, 1.5, 2.5});
    CHECK(pv::to_vector(turned) == Vector{-2.5, 0.5, -1.5, 1.5, -0.5, 2.5});
    CHECK(turned.shape() == pv::Shape{3, 2});
    CHECK(squares == 17.5);
    CHECK(seven == 7);
    CHECK(pv::all_of(same == x));
    CHECK(pv::all_of(again == x));
    CHECK_FALSE(pv::shares_storage(same, x));

    const auto pair = pv::computation([](auto t) { return std::pair(pv::min(t), pv::max(t)); },
                                      pv::spec<double>({2, 3}));
    STATIC_REQUIRE(std::same_as<decltype(pair(x)), std::pair<double, double>>);
    CHECK(pair(x) == std::pair(0.0, 5.0));
    const auto array = pv::computation(
        [](auto t) {
            return std::array{t + 1, t * 2};
        },
        pv::spec<double>({2, 3}));
    CHECK(pv::to_vector(array(x)[1]) == Vector{0, 2, 4, 6, 8, 10});
    const auto one =
        pv::computation([](auto t) { return std::tuple(pv::sum(t)); }, pv::spec<double>({2, 3}));
    CHECK(std::get<0>(one(x)) == 15.0);
}

TEST_CASE("every operation takes symbols") {
    const auto x = pv::tensor({{1.5, -2.0, 3.0}, {4.0, 0.25, -6.0}});
    const auto i = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    const auto f = [](auto t, auto n) {
        const auto narrow = pv::cast<float>(t);
        const auto mapped =
            pv::emap([](double a, auto b) { return static_cast<int>(a) * b; }, t, n);
        const auto chosen = pv::where(t > 0 && !(n == 4), pv::sqrt(pv::abs(t)), -t);
        const auto views = (t | pv::transpose({1, 0}) | pv::rotate({1, 0}) | pv::flip) +
                           pv::reshape(t, {3, 2}) + t(0, 0);
        const auto window = pv::sliding_window(t, 1, 2) | pv::select(pv::all, 0, pv::all);
        return std::tuple(narrow / 2, mapped % 3 + n, chosen, views, window,
                          pv::minimum(t, 1) + pv::maximum(n, t), pv::unchecked_cast<std::int8_t>(n),
                          t(pv::all, pv::indexes({2, 0})), pv::diagonal(t), pv::clone(t) <= n);
    };
    const auto c = pv::computation(f, pv::spec<double>({2, 3}), pv::spec<std::int32_t>({2, 3}));
    const auto expected = f(x, i);
    const auto actual = c(x, i);
    const auto check = [](const auto& a, const auto& b) {
        CHECK(a.dtype() == b.dtype());
        CHECK(a.shape() == b.shape());
        CHECK(pv::all_of(a == b));
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check(std::get<I>(actual), std::get<I>(expected)), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<decltype(actual)>>{});
}

TEST_CASE("symbols are joined from a list as one by one") {
    const auto joined = pv::computation(
        [](auto a) {
            using Symbols = std::vector<decltype(a)>;
            return std::tuple(pv::stack({a, a * a}), pv::stack({a, a * a}, 1),
                              pv::concat({a, a + 1.}), pv::stack(Symbols{a, a * a}));
        },
        pv::spec<double>({3}));
    const auto x = pv::tensor({1., 2., 3.});
    const auto [rows, columns, behind, of_vector] = joined(x);
    CHECK(pv::to_vector(rows) == Vector{1, 2, 3, 1, 4, 9});
    CHECK(pv::to_vector(columns) == Vector{1, 1, 2, 4, 3, 9});
    CHECK(pv::to_vector(behind) == Vector{1, 2, 3, 2, 3, 4});
    CHECK(pv::to_vector(of_vector) == Vector{1, 2, 3, 1, 4, 9});
}

TEST_CASE("matrix products of symbols") {
    const auto c = pv::computation(
        [](auto a, auto b) {
            return std::pair(pv::matmul(a, b) + 1, pv::dot(a(0, pv::all), b(pv::all, 0)));
        },
        pv::spec<double>({2, 3}), pv::spec<float>({3, 4}));
    const auto a = pv::reshape(pv::arange(6.0), {2, 3});
    const auto b = pv::ones<float>({3, 4});
    const auto [product, dot] = c(a, b);
    CHECK(pv::all_of(product == pv::matmul(a, b) + 1));
    CHECK(dot == 3.0);
}

TEST_CASE("elements that are not built in") {
    const auto c = pv::computation([](auto s, auto t) { return std::pair(s + t, s < t); },
                                   pv::spec<std::string>({2}), pv::spec<std::string>({2}));
    const auto [joined, less] = c(pv::tensor({"a", "c"}), pv::tensor({"b", "b"}));
    CHECK(joined(1) == "cb");
    CHECK(pv::to_vector(less) == std::vector<bool>{true, false});
}

TEST_CASE("numbers are arguments, and take the type of a tensor") {
    const auto c = pv::computation([](auto x, auto k) { return x * k + pv::sum(x) * k; },
                                   pv::spec<float>({2}), pv::spec<double>());
    const pv::MutableTensor<float> y = c(pv::tensor({1.F, 2.F}), 2);
    CHECK(pv::to_vector(y) == std::vector<float>{8, 10});
    CHECK(pv::to_vector(c(pv::tensor({1.F, 2.F}), pv::tensor(std::vector{2.0})(0))) ==
          std::vector<float>{8, 10});
    const auto scalar = pv::computation([](auto k) { return k + 1; }, pv::spec<int>());
    STATIC_REQUIRE(std::same_as<decltype(scalar(1)), std::int32_t>);
    CHECK(scalar(41) == 42);
    CHECK(scalar(pv::full<std::int32_t>({}, 4)) == 5);
    CHECK_THROWS_AS(scalar(std::int64_t{1} << 40), pv::CastError);
    const auto rank0 = pv::computation([](auto k) { return k + 1; }, pv::spec<int>({}));
    CHECK(rank0(41).item() == 42);
}

TEST_CASE("inputs may be views, lazy, and the same twice") {
    const auto c =
        pv::computation(kSquaredDistance, pv::spec<double>({2, 3}), pv::spec<double>({2, 3}));
    const auto x = pv::reshape(pv::arange(6.0), {2, 3});
    const auto big = pv::reshape(pv::arange(24.0), {4, 6});
    const auto check = [&](const auto& a, const auto& b) {
        CHECK(c(a, b) == kSquaredDistance(a, b));
    };
    check(x, x);
    check(x, pv::flip(x));
    check(x, x + 1);
    check(pv::transpose(pv::reshape(x, {3, 2})), pv::rotate(x, {1, 2}));
    check(big(pv::range(0, 4, 2), pv::range(5, -7, -2)), pv::const_tensor(2.0, {2, 3}));
    check(
        pv::compute_tensor(
            {2, 3}, [](pv::index_t a, pv::index_t b) { return 0.5 * static_cast<double>(a - b); }),
        x);
    check(pv::broadcast(pv::arange(3.0), {2, 3}), x(pv::indexes({1, 1}), pv::all));
}

TEST_CASE("captured tensors are read at each call, captured numbers are not") {
    auto weights = pv::ones({3});
    double factor = 2;
    const auto c = pv::computation([&](auto x) { return pv::sum(x * weights * factor); },
                                   pv::spec<double>({3}));
    CHECK(c(pv::ones({3})) == 6.0);
    pv::fill(weights, 10.0);
    factor = 3;
    CHECK(c(pv::ones({3})) == 60.0);
    weights =
        pv::zeros({3}); // another tensor: the computation co-owns the one that it was traced with
    CHECK(c(pv::ones({3})) == 60.0);
}

TEST_CASE("what an argument has to be") {
    const auto c = pv::computation([](auto x, auto y) { return pv::sum(x * y); },
                                   pv::spec<double>({2, 3}), pv::spec<std::int32_t>({3}));
    const auto x = pv::ones({2, 3});
    const auto y = pv::ones<std::int32_t>({3});
    CHECK(c(x, y) == 6.0);
    CHECK_THROWS_AS(c(pv::ones({3, 2}), y), pv::ShapeError);
    CHECK_THROWS_WITH(c(pv::ones({3, 2}), y),
                      "computation: argument 0 has to be float64[2 3], and is float64[3 2]");
    CHECK_THROWS_WITH(c(x, pv::ones<std::int32_t>({1, 3})),
                      "computation: argument 1 has to be int32[3], and is int32[1 3]");
    CHECK_THROWS_AS(c(x, pv::ones({3})), pv::DtypeError);
    CHECK_THROWS_WITH(c(x, pv::ones({3})),
                      "computation: argument 1 has to be int32[3], and is float64[3]");
    CHECK_THROWS_AS(c(x, 1), pv::ShapeError);
    const pv::AnyTensor any = y;
    CHECK(c(x, any) == 6.0);
    CHECK(c(x, y) == 6.0);
    CHECK_THROWS_AS(pv::computation([](auto a) { return a; }, pv::spec<double>({-2})),
                    pv::ShapeError);
}

TEST_CASE("errors of a call leave the computation as it was") {
    const auto c =
        pv::computation([](auto n, auto d) { return std::tuple(n / d, pv::cast<std::int8_t>(n)); },
                        pv::spec<std::int32_t>({2}), pv::spec<std::int32_t>({2}));
    const auto n = pv::tensor({8, 200});
    CHECK_THROWS_AS(c(n, pv::tensor({0, 1})), pv::ArithmeticError);
    CHECK_THROWS_AS(c(n, pv::tensor({1, 1})), pv::CastError);
    CHECK(std::get<0>(c(pv::tensor({8, 6}), pv::tensor({2, 3})))(1) == 2);
    CHECK_THROWS_AS(
        pv::computation([](auto x) { return x + pv::ones({3}); }, pv::spec<double>({4})),
        pv::ShapeError);
}

TEST_CASE("extents of any size") {
    int calls = 0;
    const auto c = pv::computation(
        [&calls](auto x) {
            ++calls;
            return pv::sum(x) / x.size();
        },
        pv::spec<double>({pv::any_size, 2}));
    CHECK(calls == 0);
    CHECK(c(pv::ones({3, 2})) == 1.0);
    CHECK(c(pv::ones({5, 2})) == 1.0);
    CHECK(c(pv::full({3, 2}, 4.0)) == 4.0);
    CHECK(calls == 2);
    CHECK_THROWS_WITH(c(pv::ones({3, 3})),
                      "computation: argument 0 has to be float64[any 2], and is float64[3 3]");
    CHECK_THROWS_AS(c(pv::ones({3})), pv::ShapeError);
    for (pv::index_t n = 1; n <= 20; ++n) CHECK(c(pv::ones({n, 2})) == 1.0);
    CHECK(calls == 20); // those of 3 and 5 were still kept
    const int before = calls;
    for (pv::index_t n = 13; n <= 20; ++n) CHECK(c(pv::ones({n, 2})) == 1.0);
    CHECK(calls == before); // the last eight are kept
    const auto failing =
        pv::computation([](auto x) { return pv::max(x); }, pv::spec<double>({pv::any_size}));
    CHECK_THROWS_AS(failing(pv::zeros({0})), pv::ShapeError);
    CHECK(failing(pv::ones({1})) == 1.0);
}

TEST_CASE("computations call computations") {
    const auto mean =
        pv::computation([](auto x) { return pv::sum(x) / x.size(); }, pv::spec<double>({4}));
    const auto both =
        pv::computation([](auto x) { return std::pair(pv::sum(x, 0, pv::keep_dims), x * 2); },
                        pv::spec<double>({4}));
    const auto c = pv::computation(
        [&](auto x) {
            const auto [total, twice] = both(pv::flip(x));
            return pv::sum(pv::sq(twice - mean(x + 1))) + pv::max(total);
        },
        pv::spec<double>({4}));
    // twice: [6 4 2 0], mean(x + 1) = 2.5, total 6.
    CHECK(c(pv::arange(4.0)) == 12.25 + 2.25 + 0.25 + 6.25 + 6);
    CHECK_THROWS_AS(pv::computation([&](auto x) { return mean(x); }, pv::spec<double>({5})),
                    pv::ShapeError);
    // A symbol of another one is none of its own.
    CHECK_THROWS_AS(pv::computation(
                        [](auto x) {
                            const auto inner = pv::computation(
                                [x](auto y) { return pv::sum(x + y); }, pv::spec<double>({4}));
                            return inner(x);
                        },
                        pv::spec<double>({4})),
                    pv::SymbolError);
}

TEST_CASE("functions of elements take numbers, so that one function does for both") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    STATIC_REQUIRE(std::same_as<decltype(pv::sqrt(2)), double>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sqrt(2.F)), float>);
    STATIC_REQUIRE(std::same_as<decltype(pv::sq(std::int8_t{16})), std::int8_t>);
    CHECK(pv::sqrt(16) == 4.0);
    CHECK(pv::sq(std::int8_t{16}) == 0);
    CHECK(pv::sq(-1.5) == 2.25);
    CHECK(pv::abs(-3) == 3);
    CHECK(pv::abs(std::int8_t{-128}) == -128);
    CHECK(pv::abs(-0.5F) == 0.5F);
    CHECK(pv::minimum(1, 2.5) == 1.0);
    CHECK(pv::maximum(std::int8_t{1}, std::int8_t{2}) == 2);
    CHECK(pv::minimum(kNaN, 1.0) != pv::minimum(kNaN, 1.0));
    CHECK(pv::maximum(1.0, kNaN) != pv::maximum(1.0, kNaN));
    const auto f = [](auto x) {
        const auto deviation = pv::sqrt(pv::mean(pv::sq(x - pv::mean(x))));
        return pv::maximum(pv::sq(deviation), pv::abs(pv::min(x)));
    };
    const auto x = pv::tensor({1., 2., 3., -8.});
    CHECK(pv::computation(f, pv::spec<double>({4}))(x) == f(x));
}

TEST_CASE("a computation that was moved from is the same computation") {
    auto c = pv::computation([](auto x) { return pv::sum(x); }, pv::spec<double>({3}));
    const auto moved = std::move(c);
    CHECK(c(pv::ones({3})) == 3.0);
    CHECK(moved(pv::ones({3})) == 3.0);
    CHECK(pv::variables(c).empty());
}

TEST_CASE("an input of a computation may be a tensor over dims that are ordered") {
    const auto c = pv::computation([](auto x) { return pv::sum(x * 2.0); }, pv::spec<double>({3}));
    const pv::Dim i("i");
    const auto x = pv::arange(3.);
    CHECK(c(x(i) | pv::order(i)) == 6.0);
}

} // namespace computation_test
