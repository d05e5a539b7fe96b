#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace cast_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

} // namespace

TEST_CASE("casts are checked, and name value, index and type") {
    CHECK(pv::to_vector(pv::cast<int>(pv::tensor({1.9, -1.9}))) == std::vector<int>{1, -1});
    CHECK_THROWS_WITH(pv::clone(pv::cast<std::int8_t>(pv::tensor({254}))),
                      ContainsSubstring("value 254 at index 0 does not fit int8"));
    const auto many = pv::arange(5000);
    CHECK_THROWS_WITH(pv::to_vector(pv::cast<std::uint8_t>(many)),
                      ContainsSubstring("value 256 at index 256"));
    CHECK_THROWS_AS(pv::sum(pv::cast<std::uint8_t>(many)), pv::CastError);
    CHECK_NOTHROW(pv::cast<std::uint8_t>(many)); // lazy
    CHECK_THROWS_AS(pv::clone(pv::cast<int>(pv::tensor({kNaN}))), pv::CastError);
    CHECK_THROWS_AS(pv::clone(pv::cast<int>(pv::tensor({0x1p31}))), pv::CastError);
    CHECK_NOTHROW(pv::clone(pv::cast<int>(pv::tensor({0x1p31 - 0.5, -0x1p31 - 0.5}))));
    CHECK_THROWS_AS(pv::clone(pv::cast<std::int64_t>(pv::tensor({0x1p63}))), pv::CastError);
    CHECK_THROWS_AS(pv::clone(pv::cast<std::uint64_t>(pv::tensor({-1.0}))), pv::CastError);
    CHECK((pv::cast<std::uint64_t>(pv::tensor({-0.5})))(0) == 0);
    CHECK_THROWS_AS(pv::clone(pv::cast<float>(pv::tensor({1e300}))), pv::CastError);
    CHECK(pv::to_vector(pv::tensor({0.0, kNaN, -2.0}) | pv::cast<bool>) ==
          std::vector<bool>{false, true, true});
    CHECK(pv::to_vector(pv::unchecked_cast<std::int8_t>(pv::tensor({254, 128}))) ==
          std::vector<std::int8_t>{-2, -128});
    CHECK(pv::unchecked_cast<std::uint8_t>(pv::tensor({300.7}))(0) == 44);
    CHECK_THROWS_AS(pv::cast<int>(pv::tensor({"1"})), pv::DtypeError);
}

TEST_CASE("a misfit is named by its index in what was cast, in whatever order it is visited") {
    auto t = pv::zeros<int>({2, 3});
    t(0, 2) = 300;
    const auto message = [](auto f) -> std::string {
        try {
            f();
        } catch (const pv::CastError& error) {
            return error.what();
        }
        return "nothing thrown";
    };
    const auto target = pv::zeros<std::int8_t>({2, 3});
    const std::string fourth = "value 300 at index 4 does not fit int8";
    const std::string second = "value 300 at index 2 does not fit int8";
    CHECK(message([&] { pv::copy(pv::transpose(t), pv::transpose(target)); }) == fourth);
    CHECK(message([&] { (void)pv::sum(pv::cast<std::int8_t>(pv::transpose(t))); }) == fourth);
    CHECK(message([&] { (void)pv::max(pv::cast<std::int8_t>(t), 0); }) == second);
    CHECK(message([&] { (void)pv::cast<std::int8_t>(t)(0, 2); }) == second);
}

} // namespace cast_test
