#include "support/catch.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/dtype/visit.hpp>

#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace dtype_test {

namespace pv = purview;

struct Point {
    int x = 1;
    friend bool operator==(const Point&, const Point&) = default;
};

struct Named {
    friend bool operator==(const Named&, const Named&) = default;
};

} // namespace dtype_test

template <>
inline constexpr std::string_view purview::kElementName<dtype_test::Named> = "named";

namespace dtype_test {
namespace {

// In the order of the enumeration.
const std::vector<std::pair<pv::DType, std::string>> kAll{
    {pv::boolean, "bool"},    {pv::int8, "int8"},       {pv::int16, "int16"},
    {pv::int32, "int32"},     {pv::int64, "int64"},     {pv::uint8, "uint8"},
    {pv::uint16, "uint16"},   {pv::uint32, "uint32"},   {pv::uint64, "uint64"},
    {pv::float32, "float32"}, {pv::float64, "float64"},
};

} // namespace

TEST_CASE("Built-in types have NumPy's names, and are found by them") {
    for (std::size_t i = 0; i < kAll.size(); ++i) {
        const auto& [dtype, name] = kAll[i];
        CHECK(dtype.name() == name);
        CHECK(static_cast<std::size_t>(dtype.id()) == i);
        CHECK(dtype.is_builtin());
        CHECK(pv::dtype_from_name(name) == dtype);
        CHECK(dtype.is_floating() == (name.find("float") == 0));
        CHECK(dtype.is_integer() == (name.find("int") != std::string::npos));
        for (std::size_t j = 0; j < kAll.size(); ++j) CHECK((dtype == kAll[j].first) == (i == j));
    }
    CHECK_THROWS_AS(pv::dtype_from_name("complex128"), pv::DtypeError);
    CHECK_THROWS_WITH(pv::dtype_from_name("string"),
                      "dtype_from_name: 'string' is not the name of a built-in element type");
    CHECK_THROWS_AS(pv::dtype_from_name(""), pv::DtypeError);
}

TEMPLATE_TEST_CASE("The run-time type visits the static one", "", bool, std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double) {
    const pv::DType dtype = pv::kDType<TestType>;
    CHECK(dtype.size_bytes() == static_cast<pv::index_t>(sizeof(TestType)));
    CHECK(dtype.descriptor().alignment == alignof(TestType));
    CHECK(dtype.descriptor().trivial);
    CHECK(*dtype.descriptor().type == typeid(TestType));
    CHECK(pv::visit_dtype(dtype, "test", []<typename T>(std::type_identity<T>) {
        return std::same_as<T, TestType>;
    }));
    CHECK(pv::visit_dtype(dtype, "test", []<typename T>(std::type_identity<T>) {
              return pv::kDType<T>;
          }) == dtype);
}

TEST_CASE("Other types describe themselves") {
    const pv::DType text = pv::kDType<std::string>;
    CHECK(text.name() == "string");
    CHECK_FALSE(text.is_builtin());
    CHECK_FALSE(text.is_integer());
    CHECK_FALSE(text.descriptor().trivial);
    CHECK(pv::kDType<Point>.name() == "object");
    CHECK(pv::kDType<Named>.name() == "named");
    CHECK(pv::kDType<Point> == pv::kDType<Point>);
    CHECK_FALSE(pv::kDType<Point> == pv::kDType<Named>);
    CHECK_FALSE(pv::kDType<Point> == text);
    CHECK_FALSE(pv::kDType<Point> == pv::float64);
    CHECK_THROWS_AS(pv::visit_dtype(text, "sum", [](auto) {}), pv::DtypeError);
    CHECK_THROWS_WITH(pv::visit_dtype(text, "sum", [](auto) {}),
                      "sum: not defined for elements of type string");
    CHECK_THROWS_WITH(pv::throw_dtype_mismatch("as", pv::int8, pv::float64),
                      "as: the element type is float64, not int8");
    CHECK(pv::kDType<Point>.descriptor().print == nullptr);
}

TEST_CASE("Descriptors construct, copy, print and destroy blocks") {
    const pv::TypeDescriptor& descriptor = pv::kDType<std::string>.descriptor();
    std::allocator<std::string> allocator;
    std::string* const block = allocator.allocate(3);
    descriptor.construct(block, 3);
    CHECK(block[2].empty());
    const std::vector<std::string> values{"one", "a longer string than fits inside", "three"};
    descriptor.copy(values.data(), block, 3);
    CHECK(block[1] == values[1]);
    std::ostringstream out;
    descriptor.print(out, &block[0]);
    CHECK(out.str() == "one");
    descriptor.destroy(block, 3);
    allocator.deallocate(block, 3);
}

TEST_CASE("What an element type may be") {
    STATIC_REQUIRE(pv::ElementType<std::string>);
    STATIC_REQUIRE(pv::ElementType<Point>);
    STATIC_REQUIRE_FALSE(pv::ElementType<const int>);
    STATIC_REQUIRE_FALSE(pv::ElementType<int&>);
    STATIC_REQUIRE_FALSE(pv::ElementType<std::unique_ptr<int>>);
    STATIC_REQUIRE_FALSE(pv::BuiltinType<char>);
    STATIC_REQUIRE_FALSE(pv::BuiltinType<long double>);
    STATIC_REQUIRE_FALSE(pv::BuiltinType<std::string>);
}

TEST_CASE("What is known of the built-in types is known to the compiler") {
    STATIC_REQUIRE(pv::float64.size_bytes() == 8);
    STATIC_REQUIRE(pv::float32.is_floating());
    STATIC_REQUIRE(pv::uint8.name() == "uint8");
    STATIC_REQUIRE(pv::boolean.descriptor().trivial);
}

} // namespace dtype_test
