#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <limits>
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

} // namespace comparison_test
