// 64-bit integers beyond 2^53 are close by their exact distance, as in mathematics (numpy.isclose rounds them).

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/named/index.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace close_integers_test {

namespace {

namespace pv = purview;

constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

/// |x - y| in 128 bits.
template <typename X, typename Y>
bool naive(X x, Y y, double absolute) {
    __extension__ typedef __int128 wide_t;
    const wide_t apart = wide_t{x} < wide_t{y} ? wide_t{y} - wide_t{x} : wide_t{x} - wide_t{y};
    return static_cast<long double>(apart) <= static_cast<long double>(absolute);
}

template <typename X, typename Y>
void check(const std::vector<X>& xs, const std::vector<Y>& ys) {
    for (const double absolute : {0., 0.5, 1., 10., 11.9, 1024., 0x1p62, 0x1p63})
        for (const X x : xs)
            for (const Y y : ys) {
                CAPTURE(absolute, x, y);
                const pv::Tolerance tolerance{.relative = 0, .absolute = absolute};
                const bool expected = naive(x, y, absolute);
                CHECK(pv::close_to(x, y, tolerance) == expected);
                if constexpr (std::is_signed_v<X> == std::is_signed_v<Y>) {
                    const auto a = pv::tensor(std::vector<X>{x});
                    const auto b = pv::tensor(std::vector<Y>{y});
                    CHECK(pv::close_to(a, b, tolerance)(0) == expected);
                    CHECK(pv::close_to(a, y, tolerance)(0) == expected);
                    CHECK(pv::close_to(x, b, tolerance)(0) == expected);
                    CHECK(pv::allclose(a, b, tolerance) == expected);
                    CHECK(pv::close_to(pv::AnyTensor(a), pv::AnyTensor(b), tolerance)
                              .template as<bool>()(0) == expected);
                }
            }
}

} // namespace

TEST_CASE("64-bit integers beyond 2^53 are close by their exact distance") {
    CHECK_FALSE(
        pv::close_to(1589056744433029441, 1589056744433029431, {.relative = 0, .absolute = 1}));
    CHECK(pv::close_to(1589056744433029441, 1589056744433029431, {.relative = 0, .absolute = 10}));
    const std::vector<std::int64_t> of_both{kLow,
                                            kLow + 1,
                                            -5,
                                            -1,
                                            0,
                                            1,
                                            9,
                                            kHigh - 1,
                                            kHigh,
                                            1589056744433029441,
                                            1589056744433029431};
    const std::vector<std::uint64_t> above{
        0, 1, 9, static_cast<std::uint64_t>(kHigh), kMost - 1, kMost, 1589056744433029441};
    check(of_both, of_both);
    check(above, above);
    check(of_both, above);
    check(above, of_both);
    check(of_both, std::vector<std::int32_t>{-5, 0, 9});
    check(std::vector<std::uint8_t>{0, 9, 255}, above);
}

TEST_CASE("integers are close by relative tolerances, and equal ones always") {
    const auto x = pv::tensor<std::int64_t>({100, 101, 110, -100});
    CHECK(pv::to_vector(pv::close_to(x, pv::tensor<std::int64_t>({100, 100, 100, -101}),
                                     {.relative = 0.01, .absolute = 0})) ==
          std::vector<bool>{true, true, false, true});
    CHECK(pv::allclose(x, x, {.relative = 0, .absolute = -1}));
    CHECK(pv::close_to(std::int64_t{7}, std::int64_t{7}, {.relative = 0, .absolute = -1}));
    CHECK(pv::close_to(std::int64_t{7}, 7.00000001));
    CHECK(pv::to_vector(pv::close_to(x, 100.0000001)) ==
          std::vector<bool>{true, false, false, false});
}

TEST_CASE("distances of integers beyond 2^53 are rounded once: equals with a tolerance") {
    const auto x = pv::tensor({std::int64_t{1589056744433029441}});
    const auto y = pv::tensor({std::int64_t{1589056744433029431}});
    CHECK(pv::distance(x, y) == 10);
    CHECK(pv::distance_squared(pv::AnyTensor(x), pv::AnyTensor(y)) == 100);
    CHECK_FALSE(pv::equals(x, y, 9.5));
    CHECK(pv::equals(x, y, 10.));
    CHECK_FALSE(pv::equals(pv::AnyTensor(x), pv::AnyTensor(y), 9.5));
    const auto most = pv::tensor({std::numeric_limits<std::uint64_t>::max()});
    CHECK(pv::distance(most, pv::tensor({std::numeric_limits<std::uint64_t>::max() - 2})) == 2);
    CHECK(pv::distance(most, pv::tensor({std::int64_t{-1}})) == 0x1p64);
    CHECK(pv::distance(pv::tensor({std::int64_t{-3}}), pv::tensor({std::uint8_t{1}})) == 4);
    CHECK(pv::distance(pv::tensor({true, false}), pv::tensor({false, false})) == 1);
    CHECK(pv::distance(pv::tensor<float>({1, 4}), pv::tensor<float>({1, 1})) == 3.F);
    const auto [i] = pv::dims("i");
    CHECK(pv::to_vector(pv::as_tensor(pv::distance(x(i), y(i), i)))[0] == 10);
}

} // namespace close_integers_test
