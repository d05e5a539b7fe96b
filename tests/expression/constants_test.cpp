#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace constants_test {

namespace pv = purview;
using pv::index_t;

pv::NodeKind node_kind_of(const pv::AnyTensor& tensor) { return tensor.operand().node->kind(); }

pv::Op operation_of(const pv::AnyTensor& tensor) {
    REQUIRE(node_kind_of(tensor) == pv::NodeKind::elementwise);
    return static_cast<const pv::Elementwise&>(*tensor.operand().node).op();
}

/// Numbers of all sizes and signs, those at the edges, and what is not a number.
template <typename T>
std::vector<T> numerators() {
    using L = std::numeric_limits<T>;
    std::vector<T> values{T{0},
                          T{-0.0},
                          T{1},
                          -T{1},
                          L::max(),
                          L::lowest(),
                          L::min(),
                          -L::min(),
                          T{0.1F},
                          T{1} / 3,
                          L::infinity(),
                          -L::infinity(),
                          L::denorm_min(),
                          -L::denorm_min(),
                          L::quiet_NaN(),
                          T{3} * L::denorm_min(),
                          L::min() - L::denorm_min()};
    std::mt19937_64 engine(7);
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t bits = engine();
        T x;
        std::memcpy(&x, &bits, sizeof(T));
        values.push_back(x);
    }
    return values;
}

/// Equal bits, or both NaN.
template <typename T>
bool same(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0 || (std::isnan(a) && std::isnan(b));
}

TEMPLATE_TEST_CASE("Division by a constant power of two is a multiplication, bit by bit", "", float,
                   double) {
    using T = TestType;
    using L = std::numeric_limits<T>;
    const std::vector<T> values = numerators<T>();
    const auto n = static_cast<index_t>(values.size());
    const auto x = pv::tensor(std::vector<T>(values));
    const auto check = [&](T divisor, bool multiplies) {
        INFO("divisor " << divisor);
        const auto quotient = x / divisor;
        CHECK(operation_of(quotient) == (multiplies ? pv::Op::multiply : pv::Op::divide));
        const std::vector<T> actual = pv::to_vector(quotient);
        index_t wrong = -1;
        for (index_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const volatile T numerator = values[at];
            const volatile T by = divisor;
            if (!same<T>(actual[at], numerator / by)) wrong = i;
        }
        INFO("element " << wrong);
        CHECK(wrong == -1);
    };
    for (int exponent = L::min_exponent - 1;
         exponent<L::max_exponent; exponent += exponent> - 5 && exponent < 5 ? 1 : 7)
        for (const T sign : {T{1}, T{-1}}) {
            const T power = std::ldexp(sign, exponent);
            check(power, exponent <= -(L::min_exponent - 1));
        }
    check(std::ldexp(T{1}, L::max_exponent - 1), false); // its reciprocal is denormal
    check(std::ldexp(T{1}, L::max_exponent - 2), true);
    check(L::min(), true);
    check(L::denorm_min(), false);
    for (const T divisor : {T{0}, T{-0.0}, L::infinity(), L::quiet_NaN(), T{3}, T{0.1F}, L::max(),
                            L::min() / 4, std::nextafter(T{2}, T{3})})
        check(divisor, false);

    // Only the divisor, and only a constant.
    CHECK(operation_of(T{2} / x) == pv::Op::divide);
    CHECK(operation_of(x / pv::full<T>({n}, T{2})) == pv::Op::divide);
    CHECK(operation_of(x / pv::const_tensor(T{2}, {n})) == pv::Op::multiply);
    CHECK(operation_of(pv::AnyTensor(x) / 4) == pv::Op::multiply);
    CHECK(operation_of(x % T{2}) == pv::Op::remainder);
}

TEST_CASE("Integers are divided as before") {
    const auto x = pv::tensor<std::int32_t>({-7, 7, 8});
    CHECK(operation_of(x / 2) == pv::Op::divide);
    CHECK(pv::to_vector(x / 2) == std::vector<std::int32_t>{-3, 3, 4});
    CHECK_THROWS_AS(pv::to_vector(x / 0), pv::ArithmeticError);
}

TEST_CASE("Operations over constants are constants") {
    const auto two = pv::const_tensor(2.0, {3, 1});
    const auto check = [](const auto& tensor, auto value, index_t count) {
        CHECK(node_kind_of(tensor) == pv::NodeKind::constant);
        CHECK(pv::to_vector(tensor) ==
              std::vector<decltype(value)>(static_cast<std::size_t>(count), value));
    };
    check(two + 1, 3.0, 3);
    check((two * 3 - 1) / 4, 1.25, 3);
    check(-two, -2.0, 3);
    check(two < 3, true, 3);
    check(pv::sqrt(two + 2), 2.0, 3);
    check(pv::cast<int>(two + 0.5), 2, 3);
    check(pv::where(two > 1, two, 7.0), 2.0, 3);
    check(two + pv::const_tensor(std::int32_t{5}, {4}), 7.0, 12);
    CHECK((two + pv::const_tensor(5.0, {4})).shape()[1] == 4);
    check((two + 1) | pv::transpose, 3.0, 3);
    CHECK(pv::sum(two + 1) == 9.0);
    CHECK(node_kind_of(two + pv::tensor({1., 2., 3.})) == pv::NodeKind::elementwise);
}

TEST_CASE("What cannot be computed fails when it is read") {
    const auto seven = pv::const_tensor(7, {2});
    const auto quotient = seven / 0;
    CHECK(node_kind_of(quotient) == pv::NodeKind::elementwise);
    CHECK_THROWS_AS(pv::to_vector(quotient), pv::ArithmeticError);
    const auto narrow = pv::cast<std::int8_t>(seven * 100);
    CHECK_THROWS_AS(pv::to_vector(narrow), pv::CastError);
    CHECK(pv::to_vector(pv::const_tensor(7, {0}) / 0).empty());

    // Functions of the user's are called when they are asked for.
    int calls = 0;
    const auto mapped = pv::emap([&calls](int x) { return ++calls, x + 1; }, seven);
    CHECK(calls == 0);
    CHECK(pv::to_vector(mapped) == std::vector<int>{8, 8});
}

TEST_CASE("A number may be kept longer than the operation that takes it") {
    const auto number_of = [](const pv::AnyTensor& tensor, std::size_t place) {
        REQUIRE(node_kind_of(tensor) == pv::NodeKind::elementwise);
        const auto& node = static_cast<const pv::Elementwise&>(*tensor.operand().node);
        CHECK(!node.inputs()[place].node->is_shared());
        CHECK(pv::to_shape(node.operand(place).dims.max_shape()) == pv::Shape{2, 3});
        return node.operand(place);
    };
    const pv::Tensor<double> x = pv::zeros({2, 3}) | pv::clone;
    const pv::Tensor<float> y = pv::cast<float>(x);
    const pv::Tensor<std::int32_t> z = pv::cast<std::int32_t>(x);
    std::vector<pv::Operand> numbers;
    for (int i = 0; i < 3; ++i) {
        numbers.push_back(number_of(x + (1 + i), 1));
        numbers.push_back(number_of((4 + i) - pv::sin(x), 0));
        numbers.push_back(number_of(y + (7 + i), 1));
        numbers.push_back(number_of((10 + i) > z, 0));
        numbers.push_back(number_of(z * (13.5 + i), 1)); // of a cast
        numbers.push_back(number_of(pv::AnyTensor(x) - (16 + i), 1));
        numbers.push_back(number_of(pv::pow(17 + i, x + 1), 0));
        numbers.push_back(number_of(x / std::ldexp(1, -i), 1));
    }
    std::vector<double> values;
    for (const pv::Operand& number : numbers) {
        CHECK(!number.node->is_shared());
        values.push_back(pv::cast<double>(pv::AnyTensor(number)(1, 2)).item());
    }
    CHECK(values == std::vector<double>{1,    4,  7,  10, 13.5, 16, 17, 1,  2,    5,  8,  11,
                                        14.5, 17, 18, 2,  3,    6,  9,  12, 15.5, 18, 19, 4});
    CHECK(std::vector<double>(pv::to_vector(8 - (x + 4))) == std::vector<double>(6, 4.0));
}

} // namespace constants_test
