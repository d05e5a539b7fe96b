#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/functional/elementwise/bits.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <type_traits>
#include <vector>

namespace bits_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

template <typename T>
std::vector<T> patterns() {
    using L = std::numeric_limits<T>;
    return {T{0},
            T{1},
            T{2},
            T{5},
            L::max(),
            L::min(),
            static_cast<T>(-1),
            static_cast<T>(L::max() / 3),
            T{100},
            T{7},
            static_cast<T>(-2),
            static_cast<T>(L::max() - 1)};
}

/// A shift without undefined behaviour, by steps of one.
template <typename T>
T naive_left(T x, T count) {
    constexpr auto kWidth = static_cast<T>(8 * sizeof(T));
    if (count < T{0} || count >= kWidth) return T{0};
    std::uint64_t bits = static_cast<std::uint64_t>(x);
    for (T i = 0; i < count; ++i) bits += bits;
    return static_cast<T>(bits);
}
template <typename T>
T naive_bit(T count) {
    return naive_left(T{1}, count);
}
template <typename T>
T naive_right(T x, T count) {
    constexpr auto kWidth = static_cast<T>(8 * sizeof(T));
    if (count < T{0} || count >= kWidth) return x < T{0} ? static_cast<T>(-1) : T{0};
    T result = x;
    for (T i = 0; i < count; ++i) result = static_cast<T>((result - (result & T{1})) / 2);
    return result;
}

/// A result for every pair of values is what the twin says of each pair.
template <typename R, typename T>
void check_pairs(const char* what, const std::vector<T>& values, const pv::Tensor<R>& result,
                 std::type_identity_t<R (*)(T, T)> twin) {
    const std::vector<R> elements = pv::to_vector(result);
    REQUIRE(elements.size() == values.size() * values.size());
    std::size_t next = 0;
    for (const T a : values)
        for (const T b : values) {
            INFO(what << " of " << +a << " and " << +b);
            const R element = elements[next++];
            CHECK(element == twin(a, b));
        }
}

} // namespace

TEMPLATE_TEST_CASE("bit operations on every pair of integers", "", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t) {
    using T = TestType;
    using U = std::make_unsigned_t<T>;
    const std::vector<T> values = patterns<T>();
    const auto n = static_cast<pv::index_t>(values.size());
    // The entry points of two types are tested, and all others at run time.
    using X = std::conditional_t<std::same_as<T, std::int32_t> || std::same_as<T, std::uint8_t>,
                                 pv::Tensor<T>, pv::AnyTensor>;
    const X y = pv::tensor(std::vector<T>(values));
    const X x = pv::reshape(y, {n, 1});
    const auto elements = [](const pv::AnyTensor& result) { return pv::to_vector(result.as<T>()); };
    const auto check = [&](const char* what, const pv::AnyTensor& result, auto twin) {
        using R = decltype(twin(T{}, T{}));
        check_pairs<R, T>(what, values, result.as<R>(), twin);
    };
    check("and", x & y, [](T a, T b) { return static_cast<T>(a & b); });
    check("or", x | y, [](T a, T b) { return static_cast<T>(a | b); });
    check("xor", x ^ y, [](T a, T b) { return static_cast<T>(a ^ b); });
    check("not", ~x & y, [](T a, T b) { return static_cast<T>(~a & b); });
    check("<<", x << y, naive_left<T>);
    check(">>", x >> y, naive_right<T>);
    check("bit_and_not", pv::bit_and_not(x, y), [](T a, T b) { return static_cast<T>(a & ~b); });
    check("bit_set", pv::bit_set(x, y), [](T a, T b) { return static_cast<T>(a | naive_bit(b)); });
    check("bit_clear", pv::bit_clear(x, y),
          [](T a, T b) { return static_cast<T>(a & ~naive_bit(b)); });
    check("bit_flip", pv::bit_flip(x, y),
          [](T a, T b) { return static_cast<T>(a ^ naive_bit(b)); });
    check("bit_test", pv::bit_test(x, y), [](T a, T b) { return (a & naive_bit(b)) != 0; });
    check("unsigned_shift_right", pv::unsigned_shift_right(x, y), [](T a, T b) {
        return b < T{0} ? T{0} : static_cast<T>(naive_right(static_cast<U>(a), static_cast<U>(b)));
    });
    CHECK((x << 3).dtype() == pv::kDType<T>);
    CHECK(elements(y | pv::bit_set(2)) == elements(y | T{4}));
    CHECK(elements(y | pv::unsigned_shift_right(1)) == elements(pv::unsigned_shift_right(y, 1)));
    // numbers
    CHECK(pv::bit_set(T{1}, T{1}) == T{3});
    CHECK(pv::bit_clear(T{3}, T{1}) == T{1});
    CHECK(pv::bit_flip(T{3}, T{1}) == T{1});
    CHECK(pv::bit_test(T{2}, T{1}));
    CHECK(pv::bit_and_not(T{7}, T{2}) == T{5});
}

TEST_CASE("long rows of bits and shifts") {
    for (const pv::index_t size : {0, 1, 15, 16, 17, 63, 64, 65, 255, 300}) {
        const auto x = pv::arange(size) * 2654435761 | pv::cast<std::int64_t> | pv::clone;
        const auto shifted = pv::to_vector((x << (x & 63)) ^ (x >> 7));
        for (pv::index_t i = 0; i < size; ++i)
            CHECK(shifted[static_cast<std::size_t>(i)] ==
                  (naive_left<std::int64_t>(x(i), x(i) & 63) ^ naive_right<std::int64_t>(x(i), 7)));
    }
}

TEST_CASE("bit operations of bools are logic") {
    const auto p = pv::tensor({true, true, false, false});
    const auto q = pv::tensor({true, false, true, false});
    CHECK(pv::to_vector(p & q) == pv::to_vector(p && q));
    CHECK(pv::to_vector(p | q) == pv::to_vector(p || q));
    CHECK(pv::to_vector(p ^ q) == pv::to_vector(p != q));
    CHECK(pv::to_vector(~p) == pv::to_vector(!p));
    CHECK(pv::to_vector(pv::bit_and_not(p, q)) == pv::to_vector(p && !q));
    CHECK(pv::to_vector(p | pv::bit_and_not(true)) == std::vector<bool>(4, false));
    CHECK(pv::to_vector(p | pv::bit_and_not(q)) == pv::to_vector(p && !q));
    CHECK(pv::to_vector(pv::bit_and_not(pv::AnyTensor(p), q).as<bool>()) == pv::to_vector(p && !q));
    for (const bool a : {false, true})
        for (const bool b : {false, true}) CHECK(pv::bit_and_not(a, b) == (a && !b));
    CHECK((p & q).dtype() == pv::boolean);
    CHECK(pv::all_of((pv::AnyTensor(p) ^ q).as<bool>() == (p != q)));
}

TEST_CASE("bit operations promote, fold, and can be looked at") {
    const auto bytes = pv::tensor<std::uint8_t>({1, 2, 255});
    const auto words = pv::tensor<std::int16_t>({-1, 3, 256});
    CHECK((bytes & words).dtype() == pv::int16);
    CHECK(pv::to_vector(bytes & 3) == std::vector<std::uint8_t>{1, 2, 3});
    CHECK_THROWS_AS(bytes & 256, pv::CastError);
    CHECK(pv::to_vector(1 << pv::tensor({0, 1, 2})) == std::vector<int>{1, 2, 4});
    CHECK_THAT(pv::explain(bytes | words), ContainsSubstring("bit_or"));
    CHECK_THAT(pv::explain(words << 2), ContainsSubstring("shift_left"));
    const pv::AnyTensor any = words;
    CHECK(pv::to_vector((any >> 1).as<std::int16_t>()) == std::vector<std::int16_t>{-1, 1, 128});
    CHECK(pv::to_vector(pv::bit_test(any, 0).as<bool>()) == std::vector<bool>{true, true, false});
    CHECK_THROWS_AS(pv::AnyTensor(pv::tensor({1.0})) & 1, pv::DtypeError);
    const pv::AnyTensor bools = pv::tensor({true});
    CHECK_THROWS_AS(bools << bools, pv::DtypeError);
    CHECK_THROWS_AS(pv::bit_set(pv::AnyTensor(pv::tensor({1.0})), 1), pv::DtypeError);
    const auto computation =
        pv::computation([](const auto& x) { return (x & 6) << 1; }, pv::spec<std::int32_t>({3}));
    CHECK(pv::to_vector(computation(pv::tensor({1, 2, 7}))) == std::vector<int>{0, 4, 12});
    std::ostringstream printed;
    printed << computation;
    CHECK_THAT(printed.str(), ContainsSubstring("bit_and"));
    // A tensor of integers behind `|` is an operand, a stage is a stage.
    CHECK(pv::to_vector(pv::tensor({1, 2}) | pv::tensor({4, 4}) | pv::bit_set(3)) ==
          std::vector<int>{13, 14});
    std::ostringstream text;
    text << words; // not a shift
    CHECK_THAT(text.str(), ContainsSubstring("int16"));
}

} // namespace bits_test
