#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace scans_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// One by one, as the definition says.
template <typename R, typename T, typename F>
std::vector<R> scanned(const std::vector<T>& lane, F f) {
    std::vector<R> out;
    for (const T& x : lane)
        out.push_back(out.empty() ? static_cast<R>(x)
                                  : static_cast<R>(f(R(out.back()), static_cast<R>(x))));
    return out;
}

template <typename R>
R wrapped_product(R a, R b) {
    if constexpr (std::floating_point<R>)
        return a * b;
    else
        return static_cast<R>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

} // namespace

TEMPLATE_TEST_CASE("scans agree with one by one", "", bool, std::int8_t, std::int16_t, std::int32_t,
                   std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, float,
                   double) {
    using T = TestType;
    using R = pv::Accumulated<T>;
    Random random(11);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = oracle::random_layout<T>(random);
        const auto axis = random.axis_of(x.naive.shape);
        INFO(x.name << " axis " << axis);
        const auto along = [&](auto f) { return oracle::along_lanes(x.naive, axis, f); };
        const auto at = static_cast<index_t>(axis);
        using Lane = std::vector<T>;
        CHECK(oracle::agrees(pv::cumsum(x.real, at), along([](const Lane& lane) {
                                 return scanned<R>(lane, [](R a, R b) { return a + b; });
                             }),
                             1e3));
        CHECK(oracle::agrees(pv::cumprod(x.real, at), along([](const Lane& lane) {
                                 return scanned<R>(lane, wrapped_product<R>);
                             })));
        CHECK(oracle::agrees(pv::cummin(x.real, at), along([](const Lane& lane) {
                                 return scanned<T>(lane, [](T a, T b) { return b < a ? b : a; });
                             })));
        CHECK(oracle::agrees(pv::cummax(x.real, at), along([](const Lane& lane) {
                                 return scanned<T>(lane, [](T a, T b) { return a < b ? b : a; });
                             })));
    }
}

TEMPLATE_TEST_CASE("scans of rows, one by one down each column", "", bool, std::int8_t,
                   std::int32_t, std::int64_t, std::uint16_t, std::uint64_t, float, double) {
    using T = TestType;
    using R = pv::Accumulated<T>;
    Random random(12);
    constexpr index_t kOuter = 2;
    constexpr index_t kLength = 7;
    for (const index_t inner : {32, 33, 1000, 1025, 2100}) {
        std::vector<T> values;
        for (index_t i = 0; i < kOuter * kLength * inner; ++i) {
            values.push_back(static_cast<T>(random.between(0, 100) % 90));
            if constexpr (std::floating_point<T>)
                if (random.one_in(200)) values.back() = std::numeric_limits<T>::quiet_NaN();
        }
        const auto x = pv::reshape(pv::tensor(std::vector<T>(values)), {kOuter, kLength, inner});
        const auto check = [&]<typename S>(const pv::MutableTensor<S>& found, auto combine) {
            const std::vector<S> results = pv::to_vector(found);
            REQUIRE(results.size() == values.size());
            std::size_t wrong = 0;
            for (index_t i = 0; i < found.size(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                const bool begins = i / inner % kLength == 0;
                const auto value = static_cast<S>(values[at]);
                const S expected =
                    begins ? value : combine(results[at - static_cast<std::size_t>(inner)], value);
                wrong +=
                    results[at] != expected && (results[at] == results[at] || expected == expected);
            }
            CHECK(wrong == 0);
        };
        const auto sum = [](R a, R b) { return static_cast<R>(a + b); };
        const auto least = [](T a, T b) { return b < a || b != b ? b : a; };
        const auto greatest = [](T a, T b) { return a < b || b != b ? b : a; };
        INFO(inner);
        check(pv::cumsum(x, 1), sum);
        check(pv::cumprod(x, 1), wrapped_product<R>);
        check(pv::cummin(x, 1), least);
        check(pv::cummax(x, 1), greatest);
        // Seen through a view, and computed.
        const auto turned = pv::clone(x | pv::transpose({2, 0, 1})) | pv::transpose({1, 2, 0});
        check(pv::cumsum(turned, 1), sum);
        check(pv::cummin(pv::where(x == x, x, x), -2), least);
        pv::set_threads(3);
        check(pv::cumsum(x, 1), sum);
        pv::set_threads(0);
    }
}

TEST_CASE("scans: NaN, infinities, signs of zero") {
    const auto x = pv::tensor({-0.0, 1.0, kInf, 2.0, -kInf, 3.0, 4.0, 5.0, 6.0, 7.0});
    const auto sums = pv::to_vector(pv::cumsum(x));
    CHECK(std::signbit(sums[0]));
    CHECK(sums[2] == kInf);
    CHECK(sums[3] == kInf);
    for (std::size_t i = 4; i < sums.size(); ++i) CHECK(std::isnan(sums[i]));
    for (const index_t at : {0, 3, 8, 20, 39}) {
        auto y = pv::clone(pv::arange(40.0));
        y(at) = kNaN;
        for (const auto& result : {pv::cumsum(y), pv::cummin(y), pv::cummax(y), pv::cumprod(y)})
            for (index_t i = 0; i < 40; ++i) CHECK(std::isnan(double(result(i))) == (i >= at));
    }
    // One by one: nothing is multiplied that is not next to it.
    CHECK(pv::to_vector(pv::cumprod(pv::tensor({1e-200, 1e-200, 1e200, 1e200}))) ==
          std::vector{1e-200, 0.0, 0.0, 0.0});
}

TEST_CASE("scans: the last axis, stages, dims, other types, errors") {
    const auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}});
    CHECK(pv::to_vector(pv::cumsum(m)) == std::vector<std::int64_t>{3, 4, 6, 0, 5, 9});
    CHECK(pv::to_vector(m | pv::cumsum(0)) == std::vector<std::int64_t>{3, 1, 2, 3, 6, 6});
    CHECK(pv::to_vector(m | pv::cummax) == std::vector{3, 3, 3, 0, 5, 5});
    CHECK(pv::to_vector(pv::cumsum(pv::tensor({true, true, false, true}))) ==
          std::vector<std::int64_t>{1, 2, 2, 3});
    CHECK(pv::to_vector(pv::cumsum(pv::tensor<std::uint8_t>({200, 100}))) ==
          std::vector<std::uint64_t>{200, 300});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<std::int64_t> down = pv::cumsum(m(i, j), i) | pv::order(i, j);
    CHECK(pv::to_vector(down) == std::vector<std::int64_t>{3, 1, 2, 3, 6, 6});
    const pv::Tensor<int> batched = pv::cummin(m(i, pv::all)) | pv::order(i);
    CHECK(pv::to_vector(batched) == std::vector{3, 1, 1, 0, 0, 0});

    CHECK(pv::cumsum(pv::reshape(pv::tensor({7}), {})).item() == 7);
    CHECK(pv::cumsum(pv::zeros({0})).shape() == pv::Shape{0});
    CHECK(pv::cumsum(pv::zeros({3, 0}), 0).shape() == pv::Shape{3, 0});
    CHECK(pv::to_vector(pv::cumsum(pv::tensor({"a", "b", "c"}))) ==
          std::vector<std::string>{"a", "ab", "abc"});
    CHECK(pv::to_vector(pv::cummax(pv::tensor({"b", "a", "c"}))) ==
          std::vector<std::string>{"b", "b", "c"});
    const pv::AnyTensor any = pv::cumsum(pv::AnyTensor(m), 0);
    CHECK(any.dtype() == pv::int64);
    CHECK(pv::to_vector(any.as<std::int64_t>()) == std::vector<std::int64_t>{3, 1, 2, 3, 6, 6});
    CHECK(pv::cummin(pv::AnyTensor(m)).dtype() == pv::int32);
    CHECK_THROWS_WITH(pv::cumsum(pv::AnyTensor(pv::tensor({"a"}))), ContainsSubstring("cumsum"));
    CHECK_THROWS_AS(pv::cumsum(m, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::cumsum(m, i), pv::DimError);
}

TEST_CASE("scans do not depend on the number of threads") {
    const auto x = pv::reshape(pv::linspace(3.0, -2.0, 400'000) * pv::linspace(-1.0, 1.0, 400'000),
                               {400, 1000});
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::cumsum(x));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::cumsum(x)) == alone);
    const auto down = pv::to_vector(pv::cumsum(x, 0));
    pv::set_threads(1);
    CHECK(pv::to_vector(pv::cumsum(x, 0)) == down);
    pv::set_threads(0);
}

} // namespace scans_test
