#include "support/catch.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>

#include <array>
#include <string>
#include <string_view>

namespace promote_test {

namespace pv = purview;

namespace {

constexpr std::array kNames{"bool",   "int8",   "int16",  "int32",   "int64",  "uint8",
                            "uint16", "uint32", "uint64", "float32", "float64"};

// The Array API standard (2023.12, "Type promotion rules"), row by row in the order above, with
// NumPy-free extensions: bool gives way to numbers, and integers to floats.
// clang-format off
constexpr const char* kTable[11][11] = {
    {"bool",    "int8",    "int16",   "int32",   "int64",   "uint8",   "uint16",  "uint32",  "uint64",  "float32", "float64"},
    {"int8",    "int8",    "int16",   "int32",   "int64",   "int16",   "int32",   "int64",   "",        "float32", "float64"},
    {"int16",   "int16",   "int16",   "int32",   "int64",   "int16",   "int32",   "int64",   "",        "float32", "float64"},
    {"int32",   "int32",   "int32",   "int32",   "int64",   "int32",   "int32",   "int64",   "",        "float32", "float64"},
    {"int64",   "int64",   "int64",   "int64",   "int64",   "int64",   "int64",   "int64",   "",        "float32", "float64"},
    {"uint8",   "int16",   "int16",   "int32",   "int64",   "uint8",   "uint16",  "uint32",  "uint64",  "float32", "float64"},
    {"uint16",  "int32",   "int32",   "int32",   "int64",   "uint16",  "uint16",  "uint32",  "uint64",  "float32", "float64"},
    {"uint32",  "int64",   "int64",   "int64",   "int64",   "uint32",  "uint32",  "uint32",  "uint64",  "float32", "float64"},
    {"uint64",  "",        "",        "",        "",        "uint64",  "uint64",  "uint64",  "uint64",  "float32", "float64"},
    {"float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32", "float64"},
    {"float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64"},
};
// clang-format on

template <typename A, typename B>
std::string promoted_name() {
    if constexpr (std::is_void_v<pv::Promoted<A, B>>)
        return "";
    else
        return std::string(pv::kDType<pv::Promoted<A, B>>.name());
}

} // namespace

TEST_CASE("Promotion is the Array API's table, at compile time and at run time") {
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        for (std::size_t j = 0; j < kNames.size(); ++j) {
            const pv::DType a = pv::dtype_from_name(kNames[i]);
            const pv::DType b = pv::dtype_from_name(kNames[j]);
            const std::string expected = kTable[i][j];
            INFO(kNames[i] << " with " << kNames[j]);
            CHECK(expected == kTable[j][i]);
            CHECK(pv::visit_dtype(a, "test", [&]<typename A>(std::type_identity<A>) {
                      return pv::visit_dtype(b, "test", [&]<typename B>(std::type_identity<B>) {
                          return promoted_name<A, B>();
                      });
                  }) == expected);
            if (expected.empty())
                CHECK_THROWS_AS(pv::promote(a, b, "add"), pv::DtypeError);
            else
                CHECK(pv::promote(a, b, "add").name() == expected);
        }
    }
    CHECK_THROWS_WITH(pv::promote(pv::int64, pv::uint64, "add"),
                      "add: int64 and uint64 have no common type; cast one of them");
}

TEST_CASE("Other types promote where C++ has a common type") {
    STATIC_REQUIRE(std::same_as<pv::Promoted<std::string, std::string>, std::string>);
    STATIC_REQUIRE(std::same_as<pv::Promoted<std::string, const char*>, std::string>);
    STATIC_REQUIRE(std::is_void_v<pv::Promoted<std::string, double>>);
    CHECK(pv::promote(pv::kDType<std::string>, pv::kDType<std::string>, "add") ==
          pv::kDType<std::string>);
    CHECK_THROWS_AS(pv::promote(pv::kDType<std::string>, pv::float64, "add"), pv::DtypeError);
    CHECK_THROWS_AS(pv::promote(pv::float64, pv::kDType<std::string>, "add"), pv::DtypeError);
}

TEST_CASE("A C++ scalar is weak") {
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<float, double>, float>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<float, int>, float>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<double, float>, double>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<std::uint8_t, int>, std::uint8_t>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<std::int64_t, double>, double>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<std::int64_t, float>, float>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<std::int8_t, bool>, std::int8_t>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<bool, bool>, bool>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<bool, int>, std::int32_t>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<bool, unsigned long long>, std::uint64_t>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<bool, double>, double>);
    STATIC_REQUIRE(std::same_as<pv::WeaklyPromoted<std::string, const char*>, std::string>);
}

TEST_CASE("Sums accumulate in 64 bits, means are floating") {
    STATIC_REQUIRE(std::same_as<pv::Accumulated<bool>, std::int64_t>);
    STATIC_REQUIRE(std::same_as<pv::Accumulated<std::int8_t>, std::int64_t>);
    STATIC_REQUIRE(std::same_as<pv::Accumulated<std::uint8_t>, std::uint64_t>);
    STATIC_REQUIRE(std::same_as<pv::Accumulated<std::uint64_t>, std::uint64_t>);
    STATIC_REQUIRE(std::same_as<pv::Accumulated<float>, float>);
    STATIC_REQUIRE(std::same_as<pv::Accumulated<std::string>, std::string>);
    STATIC_REQUIRE(std::same_as<pv::Averaged<bool>, double>);
    STATIC_REQUIRE(std::same_as<pv::Averaged<std::int32_t>, double>);
    STATIC_REQUIRE(std::same_as<pv::Averaged<float>, float>);
}

} // namespace promote_test
