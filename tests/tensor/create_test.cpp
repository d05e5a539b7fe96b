#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace create_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using S = pv::Shape;

template <typename T>
bool holds(const auto& tensor) {
    return std::same_as<typename std::remove_cvref_t<decltype(tensor)>::value_type, T>;
}

} // namespace

TEST_CASE("literals of ranks 1 to 4") {
    CHECK(pv::tensor({1, 2, 3}).shape() == S{3});
    CHECK(pv::tensor({{1, 2}, {3, 4}, {5, 6}}).shape() == S{3, 2});
    CHECK(pv::tensor({{{1, 2}}, {{3, 4}}}).shape() == S{2, 1, 2});
    CHECK(pv::tensor({{{{1}}, {{2}}}}).shape() == S{1, 2, 1, 1});
    CHECK(holds<std::int32_t>(pv::tensor({1, 2})));
    CHECK(holds<double>(pv::tensor({1., 2.})));
    CHECK(holds<float>(pv::tensor({1.F, 2.F})));
    CHECK(holds<bool>(pv::tensor({{true}, {false}})));
}

TEST_CASE("mixed literals take their common type") {
    CHECK(holds<double>(pv::tensor({{0, 1.5}, {2., 3}})));
    CHECK(pv::to_vector(pv::tensor({{0, 1.5}, {2., 3}})) == std::vector<double>{0, 1.5, 2, 3});
    CHECK(holds<double>(pv::tensor({1, 2.5})));
    CHECK(holds<std::int64_t>(pv::tensor({1, 5'000'000'000})));
    CHECK(holds<std::int64_t>(pv::tensor({std::int8_t{1}, 2, 3L})));
}

TEST_CASE("string literals become strings") {
    CHECK(holds<std::string>(pv::tensor({"one", "three"})));
    CHECK(pv::tensor({{"a", "bcd"}, {"", "e"}})(0, 1) == "bcd");
    CHECK(pv::tensor({"one", "three", "four"}).shape() == S{3});
}

TEST_CASE("ragged literals and ranges are ShapeErrors") {
    CHECK_THROWS_AS(pv::tensor({{1, 2}, {3}}), pv::ShapeError);
    CHECK_THROWS_AS(pv::tensor({{1.}, {}}), pv::ShapeError);
    CHECK_THROWS_AS(pv::tensor({{{1, 2}, {3, 4}}, {{5, 6}}}), pv::ShapeError);
    CHECK_THROWS_WITH(pv::tensor({{1, 2}, {3, 4, 5}}),
                      ContainsSubstring("2") && ContainsSubstring("3"));
    CHECK_THROWS_AS(pv::tensor(std::vector<std::vector<int>>{{1, 2}, {3}}), pv::ShapeError);
}

TEST_CASE("vectors are taken over, ranges are copied") {
    std::vector<double> values{1, 2, 3, 4};
    const double* const data = values.data();
    const auto t = pv::tensor(std::move(values), {2, 2});
    CHECK(t.description().storage.address == data);
    const std::vector<int> kept{1, 2};
    const auto copy = pv::tensor(kept);
    copy(0) = 9;
    CHECK(kept[0] == 1);
    CHECK(pv::tensor(std::vector<std::vector<int>>{{1, 2}, {3, 4}})(1, 0) == 3);
    CHECK(pv::tensor(std::vector<std::vector<int>>(3)).shape() == S{3, 0});
    CHECK_THROWS_AS(pv::tensor(std::vector<int>{1, 2, 3}, {2, 2}), pv::ShapeError);
    const auto cloned = pv::tensor(t);
    CHECK(cloned.shape() == S{2, 2});
    CHECK_FALSE(pv::shares_storage(cloned, t));
}

TEST_CASE("factories") {
    CHECK(pv::to_vector(pv::zeros({2, 2})) == std::vector<double>(4, 0.0));
    CHECK(pv::to_vector(pv::ones<std::uint8_t>({3})) == std::vector<std::uint8_t>(3, 1));
    CHECK(pv::to_vector(pv::full({2}, 2.5F)) == std::vector<float>(2, 2.5F));
    // numpy.full(2, numpy.nan) is float64, but NAN is a float.
    CHECK_THROWS_MATCHES(
        pv::full({2}, NAN), pv::DtypeError,
        Catch::Matchers::Message("full: nan as a float, as NAN and INFINITY are: the type has to "
                                 "be given, full<double> or full<float>"));
    CHECK_THROWS_AS(pv::const_tensor(-INFINITY, {2}), pv::DtypeError);
    CHECK_THROWS_AS(pv::sparse_full({2}, INFINITY), pv::DtypeError);
    CHECK(std::isnan(double(pv::full<double>({2}, NAN)(1))));
    CHECK(std::isnan(float(pv::full<float>({2}, NAN)(1))));
    CHECK(pv::const_tensor<double>(INFINITY, {2}).dtype() == pv::float64);
    CHECK(pv::to_vector(pv::full<std::string>({2}, "x")) == std::vector<std::string>(2, "x"));
    CHECK(pv::empty<int>({2, 3}).shape() == S{2, 3});
    CHECK(pv::empty<std::string>({2})(1).operator std::string().empty());
    CHECK(pv::to_vector(pv::eye<int>(2)) == std::vector<int>{1, 0, 0, 1});
    CHECK(pv::eye(0).shape() == S{0, 0});
    CHECK(pv::zeros({}).size() == 1);
    CHECK(pv::zeros({0, 1'000'000'000'000}).size() == 0);
    CHECK(pv::to_vector(pv::arange(3)) == std::vector<int>{0, 1, 2});
    CHECK(pv::to_vector(pv::arange(5, 0, -2)) == std::vector<int>{5, 3, 1});
    CHECK(pv::to_vector(pv::arange(0.0, 1.0, 0.25)) == std::vector<double>{0, 0.25, 0.5, 0.75});
    CHECK(pv::arange(3, 3).empty());
    CHECK(pv::arange(5, 3).empty());
    CHECK_THROWS_AS(pv::arange(0, 5, 0), pv::ShapeError);
    CHECK(pv::to_vector(pv::linspace(0, 1, 5)) == std::vector<double>{0, 0.25, 0.5, 0.75, 1});
    CHECK(pv::linspace(0.1, 0.7, 7)(6) == 0.7);
    CHECK(pv::to_vector(pv::linspace(3, 9, 1)) == std::vector<double>{3});
    CHECK(pv::linspace(0, 1, 0).empty());
    CHECK_THROWS_AS(pv::linspace(0, 1, -1), pv::ShapeError);
    CHECK(pv::to_vector(pv::compute_tensor({2, 2}, [](pv::index_t i, pv::index_t j) {
              return 10 * i + j;
          })) == std::vector<std::int64_t>{0, 1, 10, 11});
    CHECK_THROWS_AS(pv::compute_tensor({2, 2}, [](pv::index_t i) { return i; }), pv::ShapeError);
    CHECK(pv::sum(pv::const_tensor(2, {1000, 1000})) == 2'000'000);
    CHECK(pv::Tensor<double>().shape() == S{0});
}

TEST_CASE("sizes that overflow or are negative are ShapeErrors") {
    constexpr pv::index_t huge = std::int64_t{1} << 40;
    CHECK_THROWS_AS(pv::zeros({huge, huge}), pv::ShapeError);
    CHECK_THROWS_AS(pv::empty<double>({std::int64_t{1} << 61}), pv::Error);
    CHECK_THROWS_AS(pv::const_tensor(1, {huge, huge}), pv::ShapeError);
    CHECK_THROWS_AS(pv::zeros({-1}), pv::ShapeError);
    CHECK_THROWS_AS(pv::zeros({2, -3}), pv::ShapeError);
    CHECK_THROWS_AS(pv::broadcast(pv::zeros({1, 1}), {huge, huge}), pv::ShapeError);
    CHECK_THROWS_AS(pv::padded({1, 1}, {huge, huge}), pv::ShapeError);
    CHECK_THROWS_AS(pv::arange(0.0, 1e300, 1e-300), pv::ShapeError);
}

TEST_CASE("views refuse what does not fit, naming it") {
    const auto t = pv::zeros({3, 4});
    CHECK_THROWS_AS(pv::broadcast(t, {7, 4}), pv::ShapeError);
    CHECK_THROWS_WITH(pv::broadcast(t, {7, 4}), ContainsSubstring("axis 0") &&
                                                    ContainsSubstring("7") &&
                                                    ContainsSubstring("3"));
    CHECK_THROWS_WITH(pv::broadcast(t, {3, 6}), ContainsSubstring("axis 1") &&
                                                    ContainsSubstring("6") &&
                                                    ContainsSubstring("4"));
    CHECK_THROWS_AS(pv::broadcast(t, {4}), pv::ShapeError);
    CHECK_THROWS_AS(pv::reshape(t, {5, 2}), pv::ShapeError);
    CHECK_THROWS_WITH(pv::reshape(t, {5, 2}),
                      ContainsSubstring("[5 2]") && ContainsSubstring("12"));
    CHECK_THROWS_AS(pv::reshape(t, {-1, -1}), pv::ShapeError);
    CHECK_THROWS_AS(pv::reshape(t, {-1, 5}), pv::ShapeError);
    CHECK_THROWS_AS(pv::transpose(t, {0}), pv::Error);
    CHECK_THROWS_AS(pv::transpose(t, {0, 0}), pv::IndexError);
    CHECK_THROWS_AS(pv::transpose(t, {0, 2}), pv::IndexError);
    CHECK_THROWS_AS(pv::rotate(t, {1}), pv::ShapeError);
    CHECK_THROWS_AS(pv::squeeze(t, {0}), pv::ShapeError);
    CHECK_THROWS_AS(pv::insert_axis(t, 4), pv::IndexError);
    CHECK_THROWS_AS(pv::diagonal(t, 0, 1, 1), pv::IndexError);
    CHECK_THROWS_AS(pv::sliding_window(t, 1, 5), pv::ShapeError);
    CHECK_THROWS_AS(pv::sliding_window(t, 1, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::sliding_window(t, 2, 1), pv::IndexError);
    CHECK_THROWS_AS(t.extent(2), pv::IndexError);
    CHECK(t.extent(-1) == 4);
    CHECK_THROWS_AS(t.item(), pv::ShapeError);
}

TEST_CASE("rotate takes negative and oversized amounts") {
    const auto t = pv::arange(5);
    const auto expected = std::vector<int>{3, 4, 0, 1, 2};
    CHECK(pv::to_vector(pv::rotate(t, {2})) == expected);
    CHECK(pv::to_vector(pv::rotate(t, {-3})) == expected);
    CHECK(pv::to_vector(pv::rotate(t, {5'000'000'002})) == expected);
    CHECK(pv::to_vector(pv::rotate(t, {std::numeric_limits<pv::index_t>::min()})) ==
          pv::to_vector(pv::rotate(t, {2})));
    CHECK(pv::to_vector(pv::rotate(pv::rotate(t, {4}), {3})) == expected);
    CHECK(pv::rotate(pv::zeros({0}), {3}).empty());
}

TEST_CASE("a rotated view of a large tensor is still an l-tensor") {
    const auto t = pv::zeros<std::uint8_t>({3000, 1000});
    CHECK_FALSE((t | pv::rotate({1, 1})).is_read_only());
    (t | pv::rotate({1, 1}))(0, 0) = std::uint8_t{1};
    CHECK(t(-1, -1) == 1);
}

} // namespace create_test
