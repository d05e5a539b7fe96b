#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <array>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <type_traits>

namespace promotion_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

using Types = std::tuple<bool, i8, i16, i32, i64, u8, u16, u32, u64, float, double>;
constexpr std::size_t kCount = std::tuple_size_v<Types>;

// The Array API's table, and the rows for bool and for an integer with a float; "-": to be cast.
constexpr std::array<std::array<std::string_view, kCount>, kCount> kTable{{
    // bool      int8       int16      int32      int64      uint8      uint16     uint32     uint64     float32    float64
    {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
     "float64"},
    {"int8", "int8", "int16", "int32", "int64", "int16", "int32", "int64", "-", "float32",
     "float64"},
    {"int16", "int16", "int16", "int32", "int64", "int16", "int32", "int64", "-", "float32",
     "float64"},
    {"int32", "int32", "int32", "int32", "int64", "int32", "int32", "int64", "-", "float32",
     "float64"},
    {"int64", "int64", "int64", "int64", "int64", "int64", "int64", "int64", "-", "float32",
     "float64"},
    {"uint8", "int16", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32",
     "float64"},
    {"uint16", "int32", "int32", "int32", "int64", "uint16", "uint16", "uint32", "uint64",
     "float32", "float64"},
    {"uint32", "int64", "int64", "int64", "int64", "uint32", "uint32", "uint32", "uint64",
     "float32", "float64"},
    {"uint64", "-", "-", "-", "-", "uint64", "uint64", "uint64", "uint64", "float32", "float64"},
    {"float32", "float32", "float32", "float32", "float32", "float32", "float32", "float32",
     "float32", "float32", "float64"},
    {"float64", "float64", "float64", "float64", "float64", "float64", "float64", "float64",
     "float64", "float64", "float64"},
}};

/// Two types without a common one.
void check_refused(const pv::AnyTensor& a, const pv::AnyTensor& b) {
    CHECK_THROWS_AS(a + b, pv::DtypeError);
    CHECK_THROWS_WITH(a + b, ContainsSubstring(std::string(a.dtype().name())) &&
                                 ContainsSubstring(std::string(b.dtype().name())));
    CHECK_THROWS_AS(pv::where(pv::AnyTensor(pv::ones<bool>({2})), a, b), pv::DtypeError);
}

/// What has been found of two types.
struct Found {
    pv::DType sum, erased_sum, comparison, choice;
    double value;
};
void check_found(const Found& found, std::string_view expected) {
    CHECK(found.sum.name() == expected);
    CHECK(found.erased_sum.name() == expected);
    CHECK(found.comparison == pv::boolean);
    CHECK(found.choice.name() == expected);
    CHECK(found.value == (expected == "bool" ? 1.0 : 2.0));
}

/// Ones of two types, whose common type is known at run time.
void check_promoted(const pv::AnyTensor& a, const pv::AnyTensor& b, std::string_view expected) {
    CHECK((a + b).dtype().name() == expected);
    CHECK((a < b).dtype() == pv::boolean);
    CHECK(pv::minimum(a, b).dtype().name() == expected);
    const double two = expected == "bool" ? 1.0 : 2.0;
    CHECK(pv::sum(pv::cast<double>(a + b)) == 2 * two);
}

/// Of operands whose types are known at compile time, or at run time.
template <typename X, typename Y>
Found found_of(const X& a, const Y& b) {
    const auto sum = a + b;
    const auto chosen = pv::where(pv::ones<bool>({2}), a, b);
    return {sum.dtype(), (pv::AnyTensor(a) + b).dtype(), (a < b).dtype(), chosen.dtype(),
            static_cast<double>(pv::clone(sum)(1))};
}

/// The types whose pairs with all types are added, compared and chosen between as the compiler knows them.
template <typename T>
constexpr bool kTyped = std::same_as<T, double> || std::same_as<T, i32>;

template <std::size_t I, std::size_t J>
void check_pair() {
    using A = std::tuple_element_t<I, Types>;
    using B = std::tuple_element_t<J, Types>;
    constexpr std::string_view expected = kTable[I][J];
    const pv::Tensor<A> a = pv::ones<A>({2});
    const pv::Tensor<B> b = pv::ones<B>({2});
    INFO(pv::kDType<A>.name() << " with " << pv::kDType<B>.name());
    if constexpr (expected == "-") {
        STATIC_REQUIRE(std::is_void_v<pv::Promoted<A, B>>);
        check_refused(a, b);
    } else {
        REQUIRE(pv::kDType<pv::Promoted<A, B>>.name() == expected);
        if constexpr (kTyped<A> || kTyped<B> || std::is_same_v<A, B>)
            check_found(found_of(a, b), expected);
        else
            check_found(found_of(pv::AnyTensor(a), pv::AnyTensor(b)), expected);
        check_promoted(a, b, expected);
    }
}

template <std::size_t... K>
void check_all(std::index_sequence<K...>) {
    (check_pair<K / kCount, K % kCount>(), ...);
}

template <typename T>
constexpr bool kWeak(auto tensor) {
    return std::same_as<typename decltype(tensor)::value_type, T>;
}

} // namespace

TEST_CASE("static and run-time promotion agree with the table for all pairs") {
    check_all(std::make_index_sequence<kCount * kCount>{});
}

TEST_CASE("a scalar takes the tensor's type") {
    const auto f = pv::ones<float>({2});
    CHECK(kWeak<float>(f * 2.0));
    CHECK(kWeak<float>(2 * f));
    CHECK(kWeak<float>(f + 1L));
    CHECK(kWeak<double>(pv::ones({2}) + 1.0F));
    CHECK(kWeak<u8>(pv::ones<u8>({2}) + 1));
    CHECK(kWeak<i16>(1000 - pv::ones<i16>({2})));
    CHECK(kWeak<u64>(pv::ones<u64>({2}) + 1));
    CHECK(kWeak<u8>(pv::ones<u8>({2}) + true));
    CHECK(kWeak<float>(pv::where(f > 0, f, 0.0)));
    CHECK(kWeak<u8>(pv::minimum(pv::ones<u8>({2}), 200)));
}

TEST_CASE("a floating scalar with an integer tensor gives the scalar's own type") {
    CHECK(kWeak<double>(pv::ones<u8>({2}) * 0.5));
    CHECK(kWeak<float>(pv::ones<i64>({2}) * 0.5F));
    CHECK(kWeak<double>(pv::ones<bool>({2}) * 0.5));
    CHECK((pv::ones<u8>({2}) * 0.5)(0) == 0.5);
    CHECK((pv::ones<i32>({2}) / 2.0)(1) == 0.5);
}

TEST_CASE("weak scalars follow the same rules at run time") {
    const pv::AnyTensor bytes = pv::ones<u8>({2});
    const pv::AnyTensor floats = pv::ones<float>({2});
    CHECK((bytes + 1).dtype() == pv::uint8);
    CHECK((bytes * 0.5).dtype() == pv::float64);
    CHECK((bytes * 0.5F).dtype() == pv::float32);
    CHECK((floats * 2.0).dtype() == pv::float32);
    CHECK((2 - floats).dtype() == pv::float32);
    CHECK_THROWS_AS(bytes + 256, pv::CastError);
    CHECK_THROWS_AS(bytes + -1, pv::CastError);
    CHECK(pv::to_vector((-1 < bytes).as<bool>()) == std::vector<bool>{true, true});
}

TEST_CASE("an integer scalar that does not fit is a CastError") {
    const auto t = pv::ones<u8>({2});
    CHECK_THROWS_AS(t + 256, pv::CastError);
    CHECK_THROWS_AS(-1 + t, pv::CastError);
    CHECK_THROWS_WITH(t + 300, ContainsSubstring("300") && ContainsSubstring("uint8"));
    CHECK_THROWS_AS(pv::ones<i8>({2}) * 128, pv::CastError);
    CHECK_THROWS_AS(pv::ones<i64>({2}) + ~u64{0}, pv::CastError);
    CHECK_THROWS_AS(pv::where(t > 0, t, -1), pv::CastError);
    CHECK_THROWS_AS(pv::maximum(t, 1000), pv::CastError);
    CHECK_NOTHROW(t + 255);
    CHECK_NOTHROW(pv::ones<float>({1}) + (std::int64_t{1} << 60));
    CHECK_THROWS_AS(pv::ones<float>({1}) * 1e300, pv::CastError);
    CHECK_NOTHROW(pv::ones<float>({1}) * std::numeric_limits<double>::infinity());
}

TEST_CASE("elements of tensors are weak scalars too") {
    const auto t = pv::tensor({1.0, 2.0});
    CHECK(pv::to_vector(t * t(1)) == std::vector<double>{2, 4});
    CHECK(pv::to_vector(t(0) + t) == std::vector<double>{2, 3});
}

} // namespace promotion_test
