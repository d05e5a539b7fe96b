#include <purview/purview.hpp>
#include <support/catch.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace with_index_test {

namespace pv = purview;
using pv::index_t;

namespace {

pv::MutableTensor<double> random_numbers(const pv::Shape& shape, unsigned seed) {
    std::mt19937 bits(seed);
    std::vector<double> values;
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    for (index_t i = 0; i < size; ++i) values.push_back(static_cast<double>(bits() % 17) - 8);
    return pv::tensor(std::move(values), shape);
}

template <typename T>
void check_same(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    CHECK(x.shape() == y.shape());
    CHECK(pv::to_vector(x) == pv::to_vector(y));
}

} // namespace

TEST_CASE("max_with_index is max and argmax") {
    for (unsigned seed = 0; seed < 4; ++seed) {
        INFO("seed " << seed);
        const auto x = random_numbers({5, 4, 6}, seed);
        const auto all = pv::max_with_index(x);
        CHECK(all.values == pv::max(x));
        CHECK(all.indexes == pv::argmax(x));
        for (index_t axis = -3; axis < 3; ++axis) {
            const auto [values, indexes] = pv::max_with_index(x, axis);
            check_same<double>(values, pv::max(x, axis));
            check_same<std::int64_t>(indexes, pv::argmax(x, axis));
            const auto least = x | pv::min_with_index(axis);
            check_same<double>(least.values, pv::min(x, axis));
            check_same<std::int64_t>(least.indexes, pv::argmin(x, axis));
        }
        const auto kept = pv::max_with_index(x * 2. - 1., {2, 0}, pv::keep_dims);
        check_same<double>(kept.values, pv::max(x * 2. - 1., {0, 2}, pv::keep_dims));
        check_same<std::int64_t>(kept.indexes, pv::argmax(x, {2, 0}, pv::keep_dims));
    }
}

TEST_CASE("max_with_index over dims") {
    const auto x = random_numbers({3, 4, 5}, 7);
    const auto [i, j] = pv::dims("i", "j");
    const auto [values, indexes] = pv::max_with_index(x(i, j), j);
    check_same<double>(values | pv::order(i), pv::max(x, 1));
    check_same<std::int64_t>(indexes | pv::order(i), pv::argmax(x, 1));
    const auto each = pv::min_with_index(x(i));
    check_same<double>(each.values | pv::order(i), pv::min(x, {1, 2}));
    check_same<std::int64_t>(each.indexes | pv::order(i), pv::argmin(x, {1, 2}));
    const auto joined = pv::max_with_index(x(i, j), (j, i));
    check_same<std::int64_t>(joined.indexes, pv::argmax(x, {1, 0}));
}

TEST_CASE("with_index finds NaN, and refuses what has no element") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto x = pv::tensor({{1., nan, 3.}, {-0., 0., -1.}});
    const auto found = pv::max_with_index(x, 1);
    CHECK(std::isnan(found.values(0)));
    CHECK(found.indexes(0) == 1);
    CHECK(std::signbit(found.values(1)));
    CHECK(found.indexes(1) == 0);
    CHECK_THROWS_AS(pv::max_with_index(pv::zeros({3, 0}), 1), pv::ShapeError);
    CHECK(pv::max_with_index(pv::zeros({0, 3}), 1).values.shape() == pv::Shape{0});
    CHECK(pv::max_with_index(pv::const_tensor(4, {})).values == 4);
    const auto truth = pv::max_with_index(pv::tensor({false, true, true}));
    CHECK(truth.values);
    CHECK(truth.indexes == 1);
}

TEST_CASE("argmax counts in the order in which axes are named") {
    const auto x = random_numbers({3, 4, 5}, 11);
    const auto named = pv::argmax(x, {2, 0});
    const auto last = pv::argmin_last(x, {2, 0}, pv::keep_dims);
    for (index_t j = 0; j < 4; ++j) {
        const pv::Tensor<double> turned = pv::clone(pv::transpose(x(pv::all, j, pv::all)));
        CHECK(named(j) == pv::argmax(turned));
        CHECK(last(0, j, 0) == pv::argmin_last(turned));
    }
    const auto [i, j, k] = pv::dims("i", "j", "k");
    check_same<std::int64_t>(pv::argmax(x(i, j, k), {k, i}) | pv::order(j), named);
    check_same<std::int64_t>(pv::argmax(x(i, j, k), k, i) | pv::order(j), named);
    check_same<std::int64_t>(pv::argmax(pv::AnyTensor(x), {2, 0}).as<std::int64_t>(), named);
    const auto texts = pv::tensor({{"a", "b"}, {"c", "d"}});
    CHECK(pv::sum(texts, {1, 0}).item() == "acbd");
    CHECK(pv::sum(texts, {0, 1}).item() == "abcd");
}

TEST_CASE("topk is PyTorch's") {
    const auto x = random_numbers({4, 7}, 3);
    for (const index_t axis : {0, 1, -1}) {
        const auto [values, indexes] = pv::topk(x, 3, axis);
        check_same<std::int64_t>(indexes, pv::arg_max_n(x, 3, axis));
        check_same<double>(values, pv::take_along_axis(x, indexes, axis));
    }
    const auto staged = x | pv::topk(2);
    check_same<double>(staged.values, pv::topk(x, 2, 1).values);
    CHECK(pv::to_vector(pv::topk(pv::tensor({3, 9, 4, 9}), 3).values) == std::vector<int>{9, 9, 4});
    const pv::Dim i("i");
    const auto [values, indexes] = pv::topk(x(i), 2);
    check_same<double>(values | pv::order(i), pv::topk(x, 2).values);
    check_same<std::int64_t>(indexes | pv::order(i), pv::topk(x, 2).indexes);
    CHECK_THROWS_AS(pv::topk(x(i), 2, i), pv::DimError);
    CHECK_THROWS_AS(pv::topk(x, 8), pv::IndexError);
}

TEST_CASE("with_index of strings and of times is argmax and max of them") {
    const std::vector<std::string> names{"pear", "apple", "fig", "apple", "plum", "fig"};
    const auto texts = pv::tensor(names, {2, 3});
    const auto all = pv::max_with_index(texts);
    static_assert(std::is_same_v<decltype(all.values), std::string>);
    CHECK(all.values == "plum");
    CHECK(all.indexes == 4);
    CHECK(pv::min_with_index(names).values == "apple");
    CHECK(pv::min_with_index(names).indexes == 1);
    for (const index_t axis : {0, 1, -1}) {
        const auto [values, indexes] = pv::max_with_index(texts, axis);
        check_same<std::string>(values, pv::max(texts, axis));
        check_same<std::int64_t>(indexes, pv::argmax(texts, axis));
        const auto least = pv::flip(texts, 0) | pv::min_with_index(axis);
        check_same<std::string>(least.values, pv::min(texts, axis));
        check_same<std::int64_t>(least.indexes, pv::argmin(pv::flip(texts, 0), axis));
    }
    const pv::Dim i("i");
    const auto over_dims = pv::min_with_index(texts(i));
    check_same<std::string>(over_dims.values | pv::order(i), pv::min(texts, 1));
    check_same<std::int64_t>(over_dims.indexes | pv::order(i), pv::argmin(texts, 1));
    CHECK(pv::max_with_index(texts(pv::all, pv::range(0, 0)), 0).values.shape() == pv::Shape{0});
    CHECK_THROWS_AS(pv::max_with_index(texts(pv::range(0, 0)), 0), pv::ShapeError);

    using namespace std::chrono;
    const auto days =
        pv::tensor({sys_days(2020y / 2 / 29), sys_days(2024y / 1 / 1), sys_days(1969y / 7 / 20)});
    CHECK(pv::max_with_index(days).values == sys_days(2024y / 1 / 1));
    CHECK(pv::min_with_index(days).indexes == 2);
    const auto waits = pv::tensor({90s, 5s});
    CHECK(pv::min_with_index(waits, 0).values.item() == 5s);
}

TEST_CASE("max_with_index of what is not NaN") {
    const double nan = std::nan("");
    const auto x = pv::tensor({{nan, 1.0, 7.0, 2.0}, {5.0, nan, nan, -2.0}});
    const auto all = pv::max_with_index(x, pv::skip_nan);
    static_assert(std::is_same_v<decltype(all.values), double>);
    CHECK(all.values == 7);
    CHECK(all.indexes == 2);
    CHECK(pv::min_with_index(x, pv::skip_nan).indexes == 7);
    CHECK(std::isnan(pv::max_with_index(x).values));
    const auto [values, indexes] = pv::max_with_index(x, 1, pv::skip_nan);
    check_same<double>(values, pv::tensor({7.0, 5.0}));
    check_same<std::int64_t>(indexes, pv::argmax(x, 1, pv::skip_nan));
    const auto least = x | pv::min_with_index(0, pv::skip_nan);
    check_same<double>(least.values, pv::tensor({5.0, 1.0, 7.0, -2.0}));
    check_same<std::int64_t>(least.indexes, pv::argmin(x, 0, pv::skip_nan));
    const auto kept = pv::max_with_index(x, {1}, pv::keep_dims, pv::skip_nan);
    check_same<double>(kept.values, pv::max(x, {1}, pv::keep_dims, pv::skip_nan));
    const pv::Dim i("i");
    check_same<double>(pv::max_with_index(x(i), 0, pv::skip_nan).values | pv::order(i),
                       pv::tensor({7.0, 5.0}));
    CHECK(pv::max_with_index(pv::tensor({1, 3}), pv::skip_nan).indexes == 1);
    CHECK_THROWS_AS(pv::max_with_index(pv::tensor({nan}), pv::skip_nan), pv::ShapeError);
    CHECK_THROWS_AS(pv::max_with_index(x, 1, pv::throw_nan), pv::ArithmeticError);
}

} // namespace with_index_test
