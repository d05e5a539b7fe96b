#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/literal.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace argsort_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// NaN is behind everything.
template <typename T>
bool comes_before(const T& a, const T& b, bool descending) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return std::isnan(b) && !std::isnan(a);
    return descending ? b < a : a < b;
}

/// Whether the element at one position comes before the one at another.
using Before = std::function<bool(index_t, index_t)>;

std::vector<index_t> stable_order(std::vector<index_t> positions, const Before& before) {
    std::stable_sort(positions.begin(), positions.end(), before);
    return positions;
}

template <typename T>
Before before_in(const std::vector<T>& values, bool descending) {
    return [&values, descending](index_t a, index_t b) {
        return comes_before<T>(values[static_cast<std::size_t>(a)],
                               values[static_cast<std::size_t>(b)], descending);
    };
}

template <typename T>
std::vector<index_t> naive_order(const std::vector<T>& values, bool descending) {
    std::vector<index_t> positions(values.size());
    std::iota(positions.begin(), positions.end(), index_t{0});
    return stable_order(std::move(positions), before_in(values, descending));
}

/// Along an axis, part by part, of elements that lie in row-major order.
oracle::Oracle<index_t> naive_argsort(const Coordinates& shape, std::size_t axis,
                                      const Before& before) {
    auto result = oracle::Oracle<index_t>::make(shape, [](const Coordinates&) { return 0; });
    oracle::for_each(shape, [&](const Coordinates& g) {
        if (g[axis] != 0) return;
        std::vector<index_t> part;
        Coordinates at = g;
        for (at[axis] = 0; at[axis] < shape[axis]; ++at[axis])
            part.push_back(static_cast<index_t>(oracle::position_of(shape, at)));
        const std::vector<index_t> order = stable_order(part, before);
        const index_t step = part.size() > 1 ? part[1] - part[0] : 1;
        for (std::size_t i = 0; i < part.size(); ++i)
            result.values[static_cast<std::size_t>(part[i])] = (order[i] - part[0]) / step;
    });
    return result;
}

template <typename T>
std::vector<T> taken(const std::vector<T>& values, const std::vector<index_t>& order) {
    std::vector<T> result;
    for (const index_t i : order) result.push_back(values[static_cast<std::size_t>(i)]);
    return result;
}

/// The same to the bit, so that NaN equals NaN, and 0 is not -0.
template <typename T>
bool identical(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](const T& x, const T& y) {
               if constexpr (std::floating_point<T>)
                   return (std::isnan(x) && std::isnan(y)) ||
                          (x == y && std::signbit(x) == std::signbit(y));
               else
                   return x == y;
           });
}

/// The types whose own entry points are tested; all others are known only at run time.
template <typename T>
constexpr bool kKnownWhenCompiling = std::same_as<T, double> || std::same_as<T, std::int32_t>;

template <typename T>
void check_list(const std::vector<T>& values) {
    const pv::Tensor<T> typed = pv::tensor(std::vector<T>(values));
    const std::conditional_t<kKnownWhenCompiling<T>, pv::Tensor<T>, pv::AnyTensor> x = typed;
    for (const pv::SortOrder order : {pv::ascending, pv::descending}) {
        const std::vector<index_t> expected = naive_order(values, order == pv::descending);
        const pv::Tensor<index_t> indexes(pv::argsort(x, order).operand());
        CHECK(pv::to_vector(indexes) == expected);
        const pv::Tensor<T> sorted(pv::sort(x, order).operand());
        CHECK(identical(pv::to_vector(sorted), taken(values, expected)));
    }
}

} // namespace

TEST_CASE("argsort: tech.datatype's golden case") {
    const auto x = pv::arange(10, 0, -1);
    CHECK(pv::to_vector(pv::argsort(x)) == std::vector<index_t>{9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    CHECK(pv::to_vector(pv::sort(x)) == std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    CHECK(pv::to_vector(x | pv::argsort(pv::descending)) ==
          std::vector<index_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEMPLATE_TEST_CASE("argsort: of every type, along every axis, in every layout", "", bool,
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
    Random random(5);
    for (int round = 0; round < oracle::rounds(25); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        const std::size_t axis = random.axis_of(x.naive.shape);
        const bool descending = random.one_in(2);
        INFO(x.name << " axis " << axis << " descending " << descending);
        const auto expected =
            naive_argsort(x.naive.shape, axis, before_in(x.naive.values, descending));
        const auto order = descending ? pv::descending : pv::ascending;
        const auto along = static_cast<index_t>(axis);
        std::vector<TestType> values;
        oracle::for_each(x.naive.shape, [&](const Coordinates& g) {
            Coordinates at = g;
            at[axis] = expected.at(g);
            values.push_back(x.naive.at(at));
        });
        if constexpr (kKnownWhenCompiling<TestType>) {
            const pv::MutableTensor<std::int64_t> indexes = pv::argsort(x.real, along, order);
            CHECK(pv::to_vector(indexes) == expected.values);
            CHECK(pv::to_vector(pv::sort(x.real, along, order)) == values);
        }
        const pv::AnyTensor any(x.real.operand());
        const pv::AnyTensor indexes = pv::argsort(any, along, order);
        const pv::Shape shape = indexes.shape();
        REQUIRE(Coordinates(shape.begin(), shape.end()) == x.naive.shape);
        CHECK(pv::to_vector(indexes.as<std::int64_t>()) == expected.values);
        const pv::Tensor<TestType> sorted = pv::sort(any, along, order).template as<TestType>();
        CHECK((pv::to_vector(sorted) == values));
    }
}

TEMPLATE_TEST_CASE("argsort: extremes, few values, whole ranges", "", std::int8_t, std::int64_t,
                   std::uint8_t, std::uint64_t, std::int32_t, std::uint16_t, float, double) {
    std::mt19937_64 engine(3);
    using Limits = std::numeric_limits<TestType>;
    for (const std::size_t count :
         std::initializer_list<std::size_t>{1, 2, 3, 17, 255, 256, 257, 1000, 9000}) {
        std::vector<TestType> values(count);
        for (TestType& value : values) value = static_cast<TestType>(engine());
        check_list(values);
        for (TestType& value : values)
            value = engine() % 3 == 0 ? Limits::lowest() : engine() % 2 == 0 ? Limits::max() : 1;
        check_list(values);
        for (TestType& value : values) value = 7;
        check_list(values);
    }
}

TEST_CASE("argsort: NaN last in either order, zeros equal, stable") {
    std::mt19937_64 engine(4);
    const double kinds[] = {kNaN, -kNaN, kInfinity, -kInfinity, 0.0, -0.0, 1.5, -1.5, 5e-324};
    for (const std::size_t count : std::initializer_list<std::size_t>{1, 9, 300, 20000}) {
        std::vector<double> values(count);
        std::vector<float> floats(count);
        for (std::size_t i = 0; i < count; ++i) {
            values[i] = kinds[engine() % std::size(kinds)];
            floats[i] = static_cast<float>(kinds[engine() % std::size(kinds)]);
        }
        check_list(values);
        check_list(floats);
        check_list(std::vector<double>(count, kNaN));
        // Long keys that differ only in their last bits, in runs that are not in order.
        for (double& value : values)
            value = 1.0 + static_cast<double>(engine() % 7) * 0x1p-52 +
                    static_cast<double>(engine() % 2) * 1e300;
        check_list(values);
    }
}

TEST_CASE("argsort: default axis, rank 0, nothing") {
    const auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}});
    CHECK(pv::to_vector(pv::argsort(m)) == std::vector<index_t>{1, 2, 0, 0, 2, 1});
    CHECK(pv::to_vector(pv::argsort(m, 0)) == std::vector<index_t>{1, 0, 0, 0, 1, 1});
    CHECK(pv::to_vector(m | pv::sort) == std::vector<int>{1, 2, 3, 0, 4, 5});
    CHECK(pv::to_vector(m | pv::sort(0, pv::descending)) == std::vector<int>{3, 5, 4, 0, 1, 2});
    const auto scalar = pv::reshape(pv::tensor({7}), {});
    CHECK(pv::argsort(scalar).item() == 0);
    CHECK(pv::sort(scalar).item() == 7);
    CHECK(pv::argsort(pv::zeros({0})).empty());
    CHECK(pv::argsort(pv::zeros({3, 0})).shape() == pv::Shape{3, 0});
    CHECK(pv::sort(pv::zeros({0, 3})).shape() == pv::Shape{0, 3});
    CHECK_THROWS_WITH(pv::argsort(m, 2),
                      ContainsSubstring("argsort") && ContainsSubstring("axis 2"));
    CHECK_THROWS_AS(pv::sort(m, -3), pv::IndexError);
    CHECK_THROWS_AS(pv::argsort(scalar, 0), pv::IndexError);
}

TEST_CASE("argsort: by a function, and of types that are not built in") {
    const auto x = pv::tensor({7, 3, 10, 4, 6});
    const auto by_rest = [](int a, int b) { return a % 3 < b % 3; };
    CHECK(pv::to_vector(pv::argsort(x, by_rest)) == std::vector<index_t>{1, 4, 0, 2, 3});
    CHECK(pv::to_vector(x | pv::sort(0, by_rest)) == std::vector<int>{3, 6, 7, 10, 4});
    const auto words = pv::tensor({"pear", "fig", "apple", "fig"});
    CHECK(pv::to_vector(pv::argsort(words)) == std::vector<index_t>{2, 1, 3, 0});
    CHECK(pv::to_vector(pv::argsort(words, pv::descending)) == std::vector<index_t>{0, 1, 3, 2});
    CHECK(pv::to_vector(pv::sort(words)) ==
          std::vector<std::string>{"apple", "fig", "fig", "pear"});
    const auto by_length = [](const std::string& a, const std::string& b) {
        return a.size() < b.size();
    };
    CHECK(pv::to_vector(pv::argsort(words, by_length)) == std::vector<index_t>{1, 3, 0, 2});
    CHECK_THROWS_AS(pv::argsort(pv::AnyTensor(pv::tensor({std::complex(1., 2.)}))), pv::DtypeError);
    CHECK_THROWS_AS(pv::sort(pv::AnyTensor(pv::tensor({std::complex(1., 2.)}))), pv::DtypeError);
    std::mt19937_64 engine(6);
    for (const std::size_t count :
         std::initializer_list<std::size_t>{1, 15, 16, 17, 31, 33, 100, 1000}) {
        std::vector<int> values(count);
        for (int& value : values) value = static_cast<int>(engine() % 20);
        CHECK(pv::to_vector(pv::argsort(pv::tensor(std::vector<int>(values)), [](int a, int b) {
                  return a < b;
              })) == naive_order(values, false));
    }
}

TEMPLATE_TEST_CASE(
    "argsort: durations and time points as the numbers they are counted in, NaN last", "",
    std::int32_t, std::int64_t, float, double, long double) {
    using Duration = std::chrono::duration<TestType, std::milli>;
    using Point = std::chrono::time_point<std::chrono::system_clock, Duration>;
    Random random(20);
    for (int round = 0; round < 20; ++round) {
        const auto n = static_cast<std::size_t>(random.between(0, 200));
        std::vector<TestType> counts(n);
        for (TestType& count : counts) {
            count = static_cast<TestType>(random.between(-50, 50));
            // A long double is no built-in type: durations of it are compared by `<`.
            if constexpr (std::floating_point<TestType> && !std::same_as<TestType, long double>)
                if (random.between(0, 5) == 0) count = std::numeric_limits<TestType>::quiet_NaN();
        }
        std::vector<Duration> durations;
        std::vector<Point> points;
        for (const TestType count : counts) {
            durations.emplace_back(count);
            points.emplace_back(durations.back());
        }
        for (const auto order : {pv::ascending, pv::descending}) {
            const std::vector<index_t> expected =
                naive_order(counts, order == pv::SortOrder::descending);
            CHECK(pv::to_vector(pv::argsort(durations, order)) == expected);
            CHECK(pv::to_vector(pv::argsort(points, order)) == expected);
            const auto sorted = pv::sort(durations, order);
            for (std::size_t i = 0; i < n; ++i) {
                const TestType value = counts[static_cast<std::size_t>(expected[i])];
                const TestType got = Duration(sorted(static_cast<index_t>(i))).count();
                CHECK((got == value || (got != got && value != value)));
            }
        }
    }
}

TEST_CASE("argsort: of computed, rotated and tiled tensors") {
    const auto x = pv::tensor({{3., 1., 2.}, {0., 5., 4.}});
    CHECK(pv::to_vector(pv::argsort(x * -1.0)) == std::vector<index_t>{0, 2, 1, 1, 2, 0});
    CHECK(pv::to_vector(pv::sort(pv::rotate(x, {1, 1}), 0)) ==
          std::vector<double>{2, 0, 1, 4, 3, 5});
    CHECK(pv::to_vector(pv::sort(pv::broadcast(x, {2, 6}))) ==
          std::vector<double>{1, 1, 2, 2, 3, 3, 0, 0, 4, 4, 5, 5});
    CHECK(pv::to_vector(pv::sort(x(pv::all, pv::indexes({2, 0, 2})))) ==
          std::vector<double>{2, 2, 3, 0, 4, 4});
}

TEST_CASE("argsort and sort along a Dim") {
    const auto x = pv::tensor({{3., 1., 2.}, {0., 5., 4.}});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> down = pv::sort(x(i, j), i) | pv::order(i, j);
    CHECK(pv::to_vector(down) == std::vector<double>{0, 1, 2, 3, 5, 4});
    const pv::Tensor<std::int64_t> across =
        x(i, j) | pv::argsort(j, pv::descending) | pv::order(i, j);
    CHECK(pv::to_vector(across) == std::vector<index_t>{0, 2, 1, 1, 2, 0});
    const pv::Tensor<double> batched = x(i, pv::all) | pv::sort | pv::order(i);
    CHECK(pv::to_vector(batched) == std::vector<double>{1, 2, 3, 0, 4, 5});
    const auto [k] = pv::dims("k");
    CHECK_THROWS_AS(pv::sort(x(i, j), k), pv::DimError);
    CHECK_THROWS_AS(pv::sort(x, i), pv::DimError);
}

TEST_CASE("argsort does not depend on the number of threads") {
    std::mt19937_64 engine(7);
    constexpr index_t kRows = UNDER_A_SANITIZER ? 80 : 300;
    std::vector<double> values(kRows * 1000);
    for (double& value : values)
        value = engine() % 50 == 0 ? kNaN : std::ldexp(static_cast<double>(engine() % 10007), -7);
    const std::vector<index_t> expected = naive_order(values, true);
    const auto x = pv::tensor(std::vector<double>(values));
    const auto rows = pv::reshape(x, {kRows, 1000});
    pv::set_threads(1);
    const auto row_orders = pv::to_vector(pv::argsort(rows));
    const auto sorted_rows = pv::to_vector(pv::sort(pv::cast<std::int32_t>(pv::argsort(rows))));
    for (const int threads : {1, 2, 5}) {
        pv::set_threads(threads);
        CHECK(pv::to_vector(pv::argsort(x, pv::descending)) == expected);
        CHECK(identical(pv::to_vector(pv::sort(x, pv::descending)), taken(values, expected)));
        CHECK(pv::to_vector(pv::argsort(rows)) == row_orders);
        CHECK(pv::to_vector(pv::sort(pv::cast<std::int32_t>(pv::argsort(rows)))) == sorted_rows);
    }
    pv::set_threads(0);
}

TEMPLATE_TEST_CASE("sort: few and many values, on either side of a table, in rows", "", std::int8_t,
                   std::uint16_t, std::int32_t, std::int64_t, std::uint64_t, float, double) {
    std::mt19937_64 engine(8);
    using Limits = std::numeric_limits<TestType>;
    constexpr std::size_t kMany = UNDER_A_SANITIZER ? 17'001 : 70'001;
    for (const int threads : {1, 3, 8}) {
        pv::set_threads(threads);
        for (const std::size_t count : std::initializer_list<std::size_t>{255, 256, 8192, kMany}) {
            std::vector<TestType> values(count);
            for (const std::uint64_t range :
                 {count / 6, count / 5, count / 5 + 1, count / 3, count, count + 1}) {
                for (TestType& value : values)
                    value = static_cast<TestType>(engine() % range) - static_cast<TestType>(50);
                check_list(values);
            }
            for (TestType& value : values) value = static_cast<TestType>(engine());
            values.front() = Limits::max();
            values.back() = Limits::lowest();
            check_list(values);
            // Most agree in the bits that are sorted by.
            for (TestType& value : values)
                value = static_cast<TestType>(Limits::max() / 2 +
                                              static_cast<TestType>(engine() % 100));
            values.back() = Limits::lowest();
            check_list(values);
            if constexpr (std::floating_point<TestType>) {
                const double kinds[] = {kNaN, -kNaN, kInfinity, -kInfinity, 0.0, -0.0, 1.5};
                for (TestType& value : values)
                    value = static_cast<TestType>(kinds[engine() % std::size(kinds)]);
                check_list(values);
            }
        }
    }
    pv::set_threads(0);
}

} // namespace argsort_test
