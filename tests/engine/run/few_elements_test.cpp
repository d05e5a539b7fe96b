#include <support/catch.hpp>

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace few_elements_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
std::vector<T> hard_numbers() {
    using L = std::numeric_limits<T>;
    std::vector<T> v{T(1), T(3), T(0), T(7), L::max(), L::lowest(), T(2), T(5)};
    if constexpr (std::is_floating_point_v<T>)
        v.insert(v.end(), {T(-0.0), L::infinity(), -L::infinity(), L::denorm_min(), T(0.1)});
    return v;
}

/// Whether a few elements and the first of many are the same, bit by bit.
template <typename T>
void check_same(const pv::Tensor<T>& few, const pv::Tensor<T>& many) {
    const std::vector<T> a(few);
    const std::vector<T> b(many);
    REQUIRE(a.size() <= b.size());
    CHECK((a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0));
}

} // namespace

TEMPLATE_TEST_CASE("Operations on few elements give the bits of those on many", "", double, float,
                   std::int64_t, std::int32_t, std::uint8_t) {
    using T = TestType;
    constexpr bool kFloats = std::is_floating_point_v<T>;
    constexpr index_t kMany = 200;
    const std::vector<T> numbers = hard_numbers<T>();
    std::vector<T> a;
    std::vector<T> b;
    for (std::size_t i = 0; i < kMany; ++i) {
        a.push_back(numbers[i % numbers.size()]);
        b.push_back(numbers[i / 2 % numbers.size()]);
        if (!kFloats && b.back() == 0) b.back() = 1;
        if (kFloats && i % 11 == 10) a.back() = std::numeric_limits<T>::quiet_NaN();
    }
    const pv::Tensor<T> x = pv::tensor(a);
    const pv::Tensor<T> y = pv::tensor(b);
    for (index_t n = 0; n <= 20; ++n) {
        CAPTURE(n);
        const pv::Tensor<T> s = pv::clone(x(pv::range(0, n)));
        const pv::Tensor<T> t = pv::clone(y(pv::range(0, n)));
        const pv::Tensor<T> u = y(pv::range(0, n)); // of longer memory
        check_same<T>(pv::clone(s + t), pv::clone(x + y));
        check_same<T>(pv::clone(s - u), pv::clone(x - y));
        check_same<T>(pv::clone(s * t), pv::clone(x * y));
        check_same<T>(pv::clone(s + T(3)), pv::clone(x + T(3)));
        check_same<T>(pv::clone(T(3) - s), pv::clone(T(3) - x));
        check_same<T>(pv::clone(s * s), pv::clone(x * x));
        if constexpr (kFloats) {
            check_same<T>(pv::clone(s / t), pv::clone(x / y));
            check_same<T>(pv::clone(T(1) / s), pv::clone(T(1) / x));
            check_same<T>(pv::clone(s / T(3)), pv::clone(x / T(3)));
        }
    }
}

TEST_CASE("Few elements may be computed into memory of their operands") {
    for (index_t to = 0; to < 12; ++to)
        for (index_t n = 0; n <= 18; ++n) {
            CAPTURE(to, n);
            auto x = pv::clone(pv::arange<double>(0, 40));
            std::vector<double> twin(x);
            const std::vector<double> before = twin;
            for (index_t i = 0; i < n; ++i)
                twin[static_cast<std::size_t>(to + i)] = before[static_cast<std::size_t>(i)] * 3;
            auto target = x(pv::range(to, to + n));
            pv::copy(x(pv::range(0, n)) * 3., target);
            CHECK(std::vector<double>(x) == twin);
        }
    // A NaN in the middle: nothing is written before all is read.
    auto x = pv::tensor({1., 2., std::numeric_limits<double>::quiet_NaN(), 4.});
    pv::copy(x * 2., x);
    CHECK(x(0) == 2);
    CHECK(x(1) == 4);
    CHECK(double(x(2)) != double(x(2)));
    CHECK(x(3) == 8);
}

TEST_CASE("Few elements of other shapes and types") {
    const pv::Tensor<double> m = pv::tensor({{1., 2.}, {3., 4.}});
    const pv::Tensor<double> v = pv::tensor({10., 20.});
    CHECK(std::vector<double>(pv::clone(m + m)) == std::vector<double>{2, 4, 6, 8});
    CHECK(std::vector<double>(pv::clone(m + v)) == std::vector<double>{11, 22, 13, 24});
    CHECK(std::vector<double>(pv::clone(pv::transpose(m) + m)) == std::vector<double>{2, 5, 5, 8});
    CHECK(std::vector<double>(pv::clone(pv::transpose(m + v))) ==
          std::vector<double>{11, 13, 22, 24});
    CHECK(std::vector<double>(pv::clone(m + pv::tensor({1.F, 2.F}))) ==
          std::vector<double>{2, 4, 4, 6});
    CHECK_THROWS_AS(pv::clone(pv::tensor({1, 2}) / 0), pv::ArithmeticError);
}

} // namespace few_elements_test
