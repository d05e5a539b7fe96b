#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/assembly/sparse.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace comparison_test {

namespace {

namespace pv = purview;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("comparisons with NaN are false") {
    const auto x = pv::tensor({kNaN, 1.0});
    CHECK(pv::to_vector(x == x) == std::vector<bool>{false, true});
    CHECK(pv::to_vector(x < 2.0) == std::vector<bool>{false, true});
    CHECK(pv::to_vector(x >= 1.0) == std::vector<bool>{false, true});
    CHECK(pv::to_vector(!(x <= 1.0)) == std::vector<bool>{true, false});
    CHECK(pv::to_vector(2.0 > x) == std::vector<bool>{false, true});
}

TEST_CASE("logic on tensors of bool") {
    const auto a = pv::tensor({true, true, false, false});
    const auto b = pv::tensor({true, false, true, false});
    CHECK(pv::to_vector(a && b) == std::vector<bool>{true, false, false, false});
    CHECK(pv::to_vector(a || b) == std::vector<bool>{true, true, true, false});
    CHECK(pv::to_vector(!a) == std::vector<bool>{false, false, true, true});
    CHECK(pv::to_vector(a && true) == pv::to_vector(a));
    CHECK(pv::to_vector(a + b) == pv::to_vector(a || b));
    CHECK(pv::to_vector(a * b) == pv::to_vector(a && b));
    CHECK(pv::to_vector(pv::maximum(a, b)) == pv::to_vector(a || b));
    CHECK_THROWS_AS(pv::AnyTensor(a) - pv::AnyTensor(b), pv::DtypeError);
    CHECK_THROWS_AS(-pv::AnyTensor(a), pv::DtypeError);
    CHECK_THROWS_AS(!pv::AnyTensor(pv::zeros({2})), pv::DtypeError);
    CHECK_THROWS_AS(pv::AnyTensor(pv::zeros({2})) && pv::AnyTensor(a), pv::DtypeError);
    CHECK_THROWS_AS(pv::where(pv::AnyTensor(pv::zeros({2})), 1, 2), pv::DtypeError);
}

TEST_CASE("NaN differs from everything") {
    const auto x = pv::tensor({kNaN, 1.0});
    CHECK(pv::to_vector(x != x) == std::vector<bool>{true, false});
    CHECK(pv::to_vector(x != 1.0) == std::vector<bool>{true, false});
}

namespace {

/// Numbers at the ends of all types, and beyond them.
template <typename T>
std::vector<T> integers() {
    std::vector<T> values;
    for (const std::int64_t n : {-129, -128, -1, 0, 1, 5, 127, 128, 255, 256})
        if (std::in_range<T>(n)) values.push_back(static_cast<T>(n));
    for (const T n : {std::numeric_limits<T>::min(), std::numeric_limits<T>::max()})
        values.push_back(n);
    return values;
}

/// All comparisons of all pairs, against those of the standard, which are exact.
template <typename X, typename Y, typename A, typename B>
void check_comparisons(const A& x, const B& y) {
    std::vector<bool> expected[6];
    for (const X a : integers<X>())
        for (const Y b : integers<Y>()) {
            const bool less = std::cmp_less(a, b);
            const bool equal = std::cmp_equal(a, b);
            const bool results[] = {equal, !equal, less, less || equal, !less && !equal, !less};
            for (int i = 0; i < 6; ++i) expected[i].push_back(results[i]);
        }
    const auto column = x | pv::reshape(-1, 1);
    const pv::AnyTensor results[] = {column == y, column != y, column<y, column <= y, column> y,
                                     column >= y};
    for (int i = 0; i < 6; ++i)
        CHECK(pv::to_vector(results[i].template as<bool>() | pv::reshape(-1)) == expected[i]);
}

template <typename X, typename... Y>
void check_beside_all() {
    const auto check = [&]<typename Z>(Z) {
        const auto x = pv::tensor(integers<X>());
        const auto y = pv::tensor(integers<Z>());
        check_comparisons<X, Z>(x, y);
        check_comparisons<X, Z>(pv::AnyTensor(x), pv::AnyTensor(y));
        for (const Z number : integers<Z>()) {
            std::vector<bool> less;
            std::vector<bool> equal;
            for (const X a : integers<X>()) {
                less.push_back(std::cmp_less(a, number));
                equal.push_back(std::cmp_equal(a, number));
            }
            CHECK(pv::to_vector(x < number) == less);
            CHECK(pv::to_vector(number > x) == less);
            CHECK(pv::to_vector(!(x >= number)) == less);
            CHECK(pv::to_vector(number == x) == equal);
            CHECK(pv::to_vector(!(x != number)) == equal);
            CHECK(pv::to_vector((pv::AnyTensor(x) < number).template as<bool>()) == less);
            CHECK(pv::to_vector((number == pv::AnyTensor(x)).template as<bool>()) == equal);
        }
    };
    (check(Y()), ...);
}

} // namespace

TEST_CASE("comparisons of integers are exact, whatever their types") {
    check_beside_all<std::uint64_t, std::int8_t, std::int32_t, std::int64_t, std::uint64_t>();
    check_beside_all<std::int64_t, std::uint64_t, std::uint8_t>();
    check_beside_all<std::int8_t, std::uint64_t, std::int32_t>();
    check_beside_all<std::uint8_t, std::int32_t, std::int64_t>();
}

TEST_CASE("comparisons of integers with literals, over dims, of sparse tensors and nothing") {
    const auto u = pv::tensor<std::uint64_t>({0, 7, std::numeric_limits<std::uint64_t>::max()});
    CHECK(pv::all_of(u > -1));
    CHECK_FALSE(pv::any_of(u == -1));
    CHECK(pv::to_vector(-1 != u) == std::vector<bool>{true, true, true});
    const auto s = pv::tensor<std::int64_t>({-1, 8});
    const pv::Dim i("i");
    const pv::Dim j("j");
    CHECK(pv::to_nested<2>((u(i) < s(j)) | pv::order(i, j)) ==
          std::vector<std::vector<bool>>{{false, true}, {false, true}, {false, false}});
    const auto pairs = pv::to_sparse(pv::tensor<std::uint64_t>({0, 0, 5}));
    CHECK(pv::to_vector(pairs > pv::tensor<std::int64_t>({-1, 0, 9})) ==
          std::vector<bool>{true, false, false});
    CHECK(pv::to_vector(pairs == -1) == std::vector<bool>{false, false, false});
    CHECK((pv::zeros<std::uint64_t>({0, 3}) < -1).size() == 0);
    CHECK((pv::tensor(std::uint64_t{3}) > -1).item());
    CHECK_THROWS_AS(u < pv::tensor<std::int64_t>({1, 2}), pv::ShapeError);
}

} // namespace comparison_test
