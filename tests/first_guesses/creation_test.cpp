#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <array>
#include <deque>
#include <span>
#include <vector>

namespace creation_test {

// Shapes, coordinates and rows as people write them first.

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

/// The mean of each entry along the first axis, whatever its rank: generic code.
template <typename X>
std::vector<double> means_of_entries(const X& batch) {
    std::vector<double> means;
    for (index_t n = 0; n < batch.extent(0); ++n) means.push_back(pv::mean(batch.row(n)));
    return means;
}

} // namespace

TEST_CASE("a shape is any list of integers") {
    const pv::Shape expected{2, 3};
    const std::vector<int> ints{2, 3};
    CHECK(pv::zeros(ints).shape() == expected);
    CHECK(pv::zeros(std::vector<int>{2, 3}).shape() == expected);
    CHECK(pv::zeros(std::vector<std::size_t>{2, 3}).shape() == expected);
    CHECK(pv::ones<float>(std::array<short, 2>{2, 3}).shape() == expected);
    CHECK(pv::empty(std::span(ints)).shape() == expected);
    CHECK(pv::full(std::deque<long long>{2, 3}, 1.5).shape() == expected);
    CHECK(pv::zeros(expected).shape() == expected);
    CHECK(pv::zeros(2, 3).shape() == expected);
    CHECK(pv::ones<int>(2, 3).shape() == expected);
    CHECK(pv::zeros(4).shape() == pv::Shape{4});
    CHECK(pv::zeros(std::vector<int>{}).rank() == 0);
    CHECK(pv::tensor(std::vector<double>(6), ints).shape() == expected);
    CHECK(pv::const_tensor(1, ints).shape() == expected);
    CHECK_THROWS_AS(pv::zeros(std::vector<std::uint64_t>{~std::uint64_t{0}}), pv::ShapeError);
    CHECK_THROWS_AS(pv::zeros(std::vector<int>{-1}), pv::ShapeError);
}

TEST_CASE("a function of coordinates may leave their types to the compiler") {
    CHECK(pv::to_vector(pv::compute_tensor({3}, [](auto i) { return i * 2; })) ==
          std::vector<index_t>{0, 2, 4});
    CHECK(pv::to_vector(pv::compute_tensor({2, 2}, [](auto i, auto j) { return 10 * i + j; })) ==
          std::vector<index_t>{0, 1, 10, 11});
    const auto by_span = pv::compute_tensor({2, 3}, [](pv::ShapeSpan at) { return at[0] - at[1]; });
    CHECK(by_span(1, 2) == -1);
    CHECK_THROWS_AS(pv::compute_tensor({2, 2}, [](auto i) { return i; }), pv::ShapeError);
}

TEST_CASE("coordinates are integers of any type, in any array") {
    const auto expected = pv::from_coo<double>({3, 3}, {{0, 2}, {1, 1}}, {1., 2.});
    const std::vector<int> rows{0, 2};
    const std::array<unsigned char, 2> columns{1, 1};
    const std::vector<double> values{1, 2};
    CHECK(pv::equals(pv::from_coo<double>({3, 3}, {rows, columns}, values), expected));
    CHECK(pv::equals(
        pv::from_coo<double>({3, 3}, {pv::tensor({0, 2}), pv::tensor({1, 1})}, pv::tensor({1, 2})),
        expected));
    CHECK(pv::equals(pv::from_coo({3, 3}, {rows, columns}, pv::tensor({1., 2.})), expected));
    CHECK(pv::equals(pv::from_coo({3, 3}, std::vector{rows, {1, 1}}, values), expected));
    CHECK(pv::equals(pv::from_coo<double>({3, 3}, {rows, columns}, std::vector{1, 2}), expected));
    CHECK(pv::equals(pv::sparse_tensor<double>({9}, rows, {1., 2.}),
                     pv::sparse_tensor<double>({9}, {0, 2}, {1., 2.})));
    CHECK_THROWS_AS(pv::from_coo<double>({3, 3}, {rows, {1, 3}}, values), pv::IndexError);
    CHECK_THROWS_AS(pv::from_coo<double>({3, 3}, {rows}, values), pv::ShapeError);
}

TEST_CASE("rows") {
    const auto t = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    CHECK(pv::to_vector(t.row(1)) == std::vector<double>{3, 4});
    CHECK(pv::to_vector(t.row(-1)) == std::vector<double>{5, 6});
    CHECK_THROWS_WITH(t(1), ContainsSubstring("t.row(1)") && ContainsSubstring("t(1, pv::all)"));
    CHECK_THROWS_AS(t(1), pv::IndexError);
    CHECK_THROWS_AS(t.row(3), pv::IndexError);
    CHECK_THROWS_AS(pv::tensor({1.})(0, pv::ellipsis).row(0).row(0), pv::IndexError);
    t.row(0)(1) = 20.0; // a view that writes through
    CHECK(t(0, 1) == 20);
    static_assert(std::is_same_v<decltype(t.row(0)), pv::MutableTensor<double>>);
    static_assert(std::is_same_v<decltype((t * 2).row(0)), pv::Tensor<double>>);
    CHECK(pv::equals(pv::AnyTensor(t).row(2), t.row(2)));
    const auto cube = pv::arange(8) | pv::reshape(2, 2, 2);
    CHECK(cube.row(1).shape() == pv::Shape{2, 2});
    CHECK(means_of_entries(cube) == std::vector<double>{1.5, 5.5});
    CHECK(means_of_entries(pv::tensor({1, 2})) == std::vector<double>{1, 2});
    CHECK(means_of_entries(pv::AnyTensor(cube)) == std::vector<double>{1.5, 5.5});

    std::vector<double> sums;
    for (const auto row : pv::rows(t)) sums.push_back(pv::sum(row));
    CHECK(sums == std::vector<double>{21, 7, 11});
    for (const auto row : pv::rows(t)) pv::fill(row, 1.0);
    CHECK(pv::sum(t) == 6);
    const pv::Dim i("i");
    CHECK(pv::to_vector(pv::Tensor<double>(t(pv::all, i).row(0) | pv::order(i))) ==
          std::vector<double>{1, 1});
}

TEST_CASE("a reduction of what is known at run time converts to a number") {
    const pv::AnyTensor floats = pv::tensor({1., 2., 4.5});
    const pv::AnyTensor integers = pv::tensor({1, 2, 300});
    const double mean = pv::mean(floats);
    CHECK(mean == 2.5);
    const double mean_of_integers = pv::mean(integers);
    CHECK(mean_of_integers == 101);
    const int greatest = pv::max(integers);
    CHECK(greatest == 300);
    const double median = pv::median(floats);
    CHECK(median == 2);
    const double product = pv::dot(integers, integers);
    CHECK(product == 90005);
    const double spread = pv::sum(pv::max(floats) - pv::min(floats));
    CHECK(spread == 3.5);
    CHECK(double(pv::percentile(floats, 50)) == 2);
    CHECK(std::sqrt(double(pv::sum(floats))) > 2.7);
    CHECK_THROWS_AS(static_cast<std::int8_t>(pv::sum(integers)), pv::CastError);
    const pv::AnyTensor still = pv::sum(integers); // and is a tensor
    CHECK(still.rank() == 0);
    CHECK(pv::reshape(pv::sum(integers), {1, 1}).rank() == 2);
    const pv::AnyTensor names = pv::tensor({"a", "b"});
    CHECK_THROWS_AS(double(pv::max(names)), pv::DtypeError);
}

} // namespace creation_test
