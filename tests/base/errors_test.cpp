#include "support/catch.hpp"

#include <purview/base/errors.hpp>

#include <memory>

namespace errors_test {

namespace pv = purview;

TEMPLATE_TEST_CASE("Every error is an Error and a std::runtime_error", "", pv::ShapeError,
                   pv::IndexError, pv::CastError, pv::DtypeError, pv::ReadOnlyError,
                   pv::ArithmeticError, pv::DimError, pv::SymbolError, pv::FormatError) {
    STATIC_REQUIRE(std::is_base_of_v<pv::Error, TestType>);
    STATIC_REQUIRE(std::is_base_of_v<std::runtime_error, pv::Error>);
    STATIC_REQUIRE(std::is_nothrow_copy_constructible_v<TestType>);
    CHECK_THROWS_AS(throw TestType("what"), TestType);
    CHECK_THROWS_AS(throw TestType("what"), pv::Error);
    CHECK_THROWS_WITH(throw TestType("what"), "what");
    TestType error("first");
    const TestType copy = error;
    error = TestType(std::string("second"));
    CHECK(std::string(copy.what()) == "first");
    CHECK(std::string(error.what()) == "second");
}

TEST_CASE("The kinds of errors are apart") {
    STATIC_REQUIRE_FALSE(std::is_base_of_v<pv::ShapeError, pv::IndexError>);
    STATIC_REQUIRE_FALSE(std::is_base_of_v<pv::CastError, pv::DtypeError>);
    STATIC_REQUIRE_FALSE(std::is_base_of_v<std::logic_error, pv::Error>);
}

TEST_CASE("Shapes are written as in messages") {
    CHECK(pv::to_string(pv::ShapeSpan{}) == "[]");
    CHECK(pv::to_string(pv::Shape{5}) == "[5]");
    CHECK(pv::to_string(pv::Shape{2, -3, 4}) == "[2 -3 4]");
}

} // namespace errors_test
