#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/reductions/product.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace arithmetic_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using S = pv::Shape;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("floats divide and remain as in C++") {
    const auto x = pv::tensor({1.0, -1.0, 0.0, 5.5});
    const auto quotients = pv::to_vector(x / 0.0);
    CHECK(quotients[0] == std::numeric_limits<double>::infinity());
    CHECK(quotients[1] == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(quotients[2]));
    CHECK((x % 2.0)(3) == 1.5);
    CHECK((-x % 2.0)(3) == -1.5);
    CHECK(std::signbit((-pv::tensor({0.0}))(0)));
}

TEST_CASE("shapes broadcast by NumPy's rule") {
    const auto column = pv::tensor({{1}, {2}, {3}});
    const auto row = pv::tensor({10, 20});
    CHECK((column + row).shape() == S{3, 2});
    CHECK(pv::to_vector(column + row) == std::vector<int>{11, 21, 12, 22, 13, 23});
    CHECK((pv::zeros({4, 1, 3}) + pv::zeros({2, 1})).shape() == S{4, 2, 3});
    CHECK((pv::zeros({0, 3}) + pv::zeros({1, 3})).shape() == S{0, 3});
    CHECK((pv::zeros({0}) + pv::zeros({1})).shape() == S{0});
    CHECK((pv::zeros({}) + pv::zeros({2})).shape() == S{2});
    CHECK_THROWS_AS(pv::zeros({2, 3}) + pv::zeros({2}), pv::ShapeError);
    CHECK_THROWS_WITH(pv::zeros({2, 3}) + pv::zeros({2}),
                      ContainsSubstring("[2 3]") && ContainsSubstring("[2]"));
    CHECK_THROWS_WITH(pv::zeros({2, 3}) * pv::zeros({4, 3}),
                      ContainsSubstring("[2 3]") && ContainsSubstring("[4 3]"));
    CHECK_THROWS_AS(pv::zeros({0}) + pv::zeros({2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::where(pv::zeros<bool>({3}), pv::zeros({2}), 0.0), pv::ShapeError);
    CHECK_THROWS_AS(pv::zeros({6}) + pv::zeros({3}), pv::ShapeError); // tiling needs broadcast
}

TEST_CASE("minimum and maximum give NaN where either is") {
    const auto x = pv::tensor({1.0, kNaN, 3.0, kNaN});
    const auto y = pv::tensor({2.0, 2.0, kNaN, kNaN});
    const auto low = pv::to_vector(pv::minimum(x, y));
    const auto high = pv::to_vector(pv::maximum(x, y));
    CHECK(low[0] == 1.0);
    CHECK(high[0] == 2.0);
    for (const std::size_t i : {1U, 2U, 3U}) {
        CHECK(std::isnan(low[i]));
        CHECK(std::isnan(high[i]));
    }
}

TEST_CASE("maths") {
    CHECK(pv::to_vector(pv::sqrt(pv::tensor({4, 9}))) == std::vector<double>{2, 3});
    CHECK(pv::sqrt(pv::tensor({4.0F})).dtype() == pv::float32);
    CHECK(std::isnan(pv::sqrt(pv::tensor({-1.0}))(0)));
    CHECK(pv::to_vector(pv::sq(pv::tensor({-3, 4}))) == std::vector<int>{9, 16});
    CHECK(pv::to_vector(pv::tensor({-3, 4}) | pv::abs) == std::vector<int>{3, 4});
    CHECK(pv::sq(pv::tensor<std::uint8_t>({16}))(0) == 0);
    CHECK(std::isnan(pv::abs(pv::tensor({kNaN}))(0)));
    CHECK(pv::sqrt(pv::AnyTensor(pv::tensor({4, 9}))).dtype() == pv::float64);
}

TEST_CASE("operands of which more than strides is known keep their shape") {
    const auto x = pv::tensor({1, 2, 3, 4}) | pv::rotate({1});
    const pv::AnyTensor any = x;
    CHECK(pv::to_vector((any + any).as<int>()) == std::vector<int>{8, 2, 4, 6});
    CHECK(pv::dot(x, x) == 30);
}

} // namespace arithmetic_test
