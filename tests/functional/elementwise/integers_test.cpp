#include <support/catch.hpp>
#include <support/tensors.hpp>
#include <support/wrapping.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace integers_test {

namespace {

namespace pv = purview;

} // namespace

TEMPLATE_TEST_CASE("integers wrap", "", std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                   std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t) {
    using T = TestType;
    std::vector<T> edges{0,
                         1,
                         2,
                         3,
                         std::numeric_limits<T>::max(),
                         static_cast<T>(std::numeric_limits<T>::max() - 1),
                         std::numeric_limits<T>::min(),
                         static_cast<T>(-1),
                         100,
                         17};
    const auto n = static_cast<pv::index_t>(edges.size());
    const auto x = pv::reshape(pv::tensor(std::vector<T>(edges)), {n, 1});
    const auto y = pv::tensor(std::vector<T>(edges));
    const auto sums = pv::clone(x + y);
    const auto differences = pv::clone(x - y);
    const auto products = pv::clone(x * y);
    const auto divisors = pv::where(y == T{0}, T{1}, y);
    const auto quotients = pv::clone(x / divisors);
    const auto remainders = pv::clone(x % divisors);
    for (pv::index_t i = 0; i < n; ++i)
        for (pv::index_t j = 0; j < n; ++j) {
            const T a = edges[static_cast<std::size_t>(i)];
            const T b = edges[static_cast<std::size_t>(j)];
            INFO(+a << " and " << +b);
            CHECK(sums(i, j) == oracle::add<T>(a, b));
            CHECK(differences(i, j) == oracle::subtract<T>(a, b));
            CHECK(products(i, j) == oracle::multiply<T>(a, b));
            if (b == 0) continue;
            const bool wraps = std::is_signed_v<T> && b == static_cast<T>(-1);
            CHECK(quotients(i, j) == (wraps ? oracle::negative<T>(a) : static_cast<T>(a / b)));
            CHECK(remainders(i, j) == (wraps ? T{0} : static_cast<T>(a % b)));
        }
    CHECK_THROWS_AS(pv::clone(x / y), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::clone(x % y), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::sum(x / T{0}), pv::ArithmeticError);
    CHECK_NOTHROW(x / y); // only evaluation divides
    if constexpr (std::is_signed_v<T>) {
        const T lowest = std::numeric_limits<T>::min();
        CHECK((pv::full<T>({1}, lowest) / T{-1})(0) == lowest);
        CHECK((pv::full<T>({1}, lowest) % T{-1})(0) == T{0});
        CHECK(pv::abs(pv::full<T>({1}, lowest))(0) == lowest);
        CHECK((-pv::full<T>({1}, lowest))(0) == lowest);
        CHECK((pv::full<T>({1}, T{-7}) / T{2})(0) == T{-3});
        CHECK((pv::full<T>({1}, T{-7}) % T{2})(0) == T{-1});
    }
}

} // namespace integers_test
