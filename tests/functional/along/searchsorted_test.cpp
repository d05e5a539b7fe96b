#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/searchsorted.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace searchsorted_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
bool before(T a, T b) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return a < b;
}

/// How many elements lie before a value, one by one.
template <typename T>
std::int64_t place(const std::vector<T>& sorted, T value, pv::Side side) {
    std::int64_t count = 0;
    for (const T element : sorted)
        count += side == pv::Side::left ? before(element, value) : !before(value, element);
    return count;
}

} // namespace

TEMPLATE_TEST_CASE("searchsorted counts what lies before each value: every layout", "",
                   std::uint8_t, std::int64_t, float, double) {
    using T = TestType;
    Random random(1);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        auto x = oracle::random_layout<T>(random);
        if constexpr (std::floating_point<T>)
            if (random.one_in(2)) {
                x.real = pv::clone(
                    pv::where(x.real > T{5}, std::numeric_limits<T>::quiet_NaN(), x.real));
                for (T& value : x.naive.values)
                    if (value > T{5}) value = std::numeric_limits<T>::quiet_NaN();
            }
        std::vector<T> sorted = random.elements<T>(random.between(0, 70));
        if constexpr (std::floating_point<T>)
            if (random.one_in(3)) sorted.push_back(std::numeric_limits<T>::quiet_NaN());
        std::sort(sorted.begin(), sorted.end(), before<T>);
        const pv::Tensor<T> held = pv::tensor(std::vector<T>(sorted));
        INFO(x.name << " among " << sorted.size());
        for (const pv::Side side : {pv::Side::left, pv::Side::right}) {
            std::vector<std::int64_t> expected;
            for (const T value : x.naive.values) expected.push_back(place(sorted, value, side));
            const auto found = pv::searchsorted(held, x.real, side);
            CHECK(found.shape() == x.real.shape());
            CHECK(pv::to_vector(found) == expected);
            CHECK(pv::to_vector(held | pv::searchsorted(x.real, side)) == expected);
            CHECK(pv::to_vector(pv::searchsorted(pv::AnyTensor(held), pv::AnyTensor(x.real),
                                                 side)) == expected);
        }
    }
}

TEST_CASE("searchsorted: values in ascending order, runs, one after the other") {
    Random random(2);
    for (int round = 0; round < oracle::rounds(100); ++round) {
        std::vector<double> sorted = random.elements<double>(random.between(0, 300));
        std::vector<double> values = random.elements<double>(random.between(0, 300));
        std::sort(sorted.begin(), sorted.end());
        const auto half = values.begin() + std::ssize(values) / 2;
        std::sort(values.begin(), half);
        if (random.one_in(2)) std::sort(half, values.end());
        if (random.one_in(2)) std::sort(values.begin(), values.end());
        for (const pv::Side side : {pv::Side::left, pv::Side::right}) {
            std::vector<std::int64_t> expected;
            for (const double value : values) expected.push_back(place(sorted, value, side));
            CHECK(pv::to_vector(pv::searchsorted(pv::tensor(std::vector(sorted)),
                                                 pv::tensor(std::vector(values)), side)) ==
                  expected);
        }
    }
}

TEST_CASE("searchsorted: numbers, types, sorters, strings, dims") {
    const auto x = pv::tensor({1, 3, 3, 7});
    CHECK(pv::searchsorted(x, 3) == 1);
    CHECK(pv::searchsorted(x, 3, pv::Side::right) == 3);
    CHECK(pv::searchsorted(x, 2.5) == 1);
    CHECK((x | pv::searchsorted(8)) == 4);
    CHECK(pv::searchsorted(pv::AnyTensor(x), 3.5) == 3);
    CHECK(pv::to_vector(pv::searchsorted(x, pv::tensor({2.5, 3.0, kNaN}))) ==
          std::vector<std::int64_t>{1, 1, 4});
    CHECK(pv::searchsorted(pv::tensor({1.0, kNaN, kNaN}), kNaN) == 1);
    CHECK(pv::searchsorted(pv::tensor({1.0, kNaN, kNaN}), kNaN, pv::Side::right) == 3);
    CHECK(pv::searchsorted(pv::tensor({false, true}), true) == 1);

    const auto mixed = pv::tensor({7, 3, 1, 3});
    CHECK(pv::to_vector(
              pv::searchsorted(mixed, pv::tensor({0, 3, 9}), pv::Side::left, pv::argsort(mixed))) ==
          std::vector<std::int64_t>{0, 1, 4});
    CHECK(pv::to_vector(mixed | pv::searchsorted(pv::tensor({3}), pv::Side::right,
                                                 pv::tensor({-2, 1, 3, 0}))) ==
          std::vector<std::int64_t>{3});
    CHECK(pv::to_vector(pv::searchsorted(pv::tensor({"a", "c", "c"}), pv::tensor({"b", "c"}),
                                         pv::Side::right)) == std::vector<std::int64_t>{1, 3});

    const auto m = pv::tensor({{0, 3}, {4, 9}});
    const auto [i] = pv::dims("i");
    const pv::Tensor<std::int64_t> bound = pv::searchsorted(x, m(pv::all, i)) | pv::order(i);
    CHECK(pv::to_vector(bound) == std::vector<std::int64_t>{0, 3, 1, 4});
    CHECK(pv::searchsorted(x, pv::zeros({3, 0})).shape() == pv::Shape{3, 0});
    CHECK(pv::searchsorted(x, pv::reshape(pv::tensor({7}), {})).item() == 3);
    CHECK(pv::searchsorted(pv::zeros({0}), 1) == 0);
}

TEST_CASE("searchsorted: errors say what and which") {
    const auto x = pv::tensor({1, 2, 3});
    using Catch::Matchers::ContainsSubstring;
    CHECK_THROWS_AS(pv::searchsorted(pv::zeros({2, 2}), 1.0), pv::ShapeError);
    CHECK_THROWS_WITH(pv::searchsorted(x, x, pv::Side::left, pv::tensor({0, 1})),
                      ContainsSubstring("searchsorted") && ContainsSubstring("[2]") &&
                          ContainsSubstring("3"));
    CHECK_THROWS_WITH(pv::searchsorted(x, x, pv::Side::left, pv::tensor({0, 3, 1})),
                      ContainsSubstring("index 3 at place 1"));
    CHECK_THROWS_AS(pv::searchsorted(x, x, pv::Side::left, pv::tensor({0.0, 1.0, 2.0})),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::searchsorted(pv::AnyTensor(pv::tensor({"a"})), pv::AnyTensor(x)),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::searchsorted(pv::AnyTensor(x | pv::cast<std::int64_t>),
                                     pv::AnyTensor(x | pv::cast<std::uint64_t>)),
                    pv::DtypeError);
}

TEST_CASE("searchsorted does not depend on the number of threads") {
    const auto sorted = pv::arange(0.0, 30'000.0, 3.0);
    const auto values = pv::arange(200'000) * 7919 % 30'000;
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::searchsorted(sorted, values));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::searchsorted(sorted, values)) == alone);
    pv::set_threads(0);
    for (std::size_t i = 0; i < alone.size(); i += 997) {
        const auto value = static_cast<std::int64_t>(i) * 7919 % 30'000;
        CHECK(alone[i] == (value + 2) / 3);
    }
}

TEST_CASE("digitize: NumPy's bins, ascending and descending") {
    const auto x = pv::tensor({0.2, 6.4, 3.0, 1.6, 0.0, 1.0, 2.5, 4.0, 10.0, 11.0});
    const auto edges = pv::tensor({0.0, 1.0, 2.5, 4.0, 10.0});
    CHECK(pv::to_vector(pv::digitize(x, edges)) ==
          std::vector<std::int64_t>{1, 4, 3, 2, 1, 2, 3, 4, 5, 5});
    CHECK(pv::to_vector(x | pv::digitize(edges, pv::Side::right)) ==
          std::vector<std::int64_t>{1, 4, 3, 2, 0, 1, 2, 3, 4, 5});
    Random random(3);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto values = oracle::random_layout<double>(random);
        std::vector<double> bins = random.elements<double>(random.between(1, 9));
        std::sort(bins.begin(), bins.end());
        const bool down = random.one_in(2);
        if (down) std::reverse(bins.begin(), bins.end());
        const bool falls = bins.front() > bins.back();
        for (const pv::Side side : {pv::Side::left, pv::Side::right}) {
            const auto found =
                pv::to_vector(pv::digitize(values.real, pv::tensor(std::vector(bins)), side));
            bool right = found.size() == values.naive.values.size();
            for (std::size_t i = 0; right && i < found.size(); ++i) {
                const double value = values.naive.values[i];
                std::int64_t bin = 0;
                for (const double edge : bins) {
                    if (falls)
                        bin += side == pv::Side::left ? value < edge : value <= edge;
                    else
                        bin += side == pv::Side::left ? edge <= value : edge < value;
                }
                right = found[i] == bin;
            }
            INFO(values.name);
            CHECK(right);
        }
    }
    CHECK(pv::digitize(2, pv::tensor({1, 2, 3})) == 2);
    CHECK(pv::digitize(kNaN, edges) == 5);
    CHECK(pv::to_vector(pv::digitize(pv::AnyTensor(x), pv::AnyTensor(edges))).size() == 10);
    CHECK_THROWS_WITH(pv::digitize(x, pv::tensor({0.0, 2.0, 1.0})),
                      Catch::Matchers::ContainsSubstring("digitize"));
    CHECK_THROWS_AS(pv::digitize(x, pv::zeros({2, 2})), pv::ShapeError);
}

TEST_CASE("searchsorted as a stage: of strings") {
    const std::vector<std::string> sorted{"a", "c", "e"};
    const std::vector<std::string> wanted{"b", "c", "f"};
    CHECK(pv::to_vector(sorted | pv::searchsorted(wanted)) == std::vector<std::int64_t>{1, 1, 3});
    CHECK(pv::to_vector(pv::tensor(sorted) | pv::searchsorted(wanted, pv::Side::right)) ==
          std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("searchsorted: times of run-time type, NaT last (numpy.searchsorted of datetime64)") {
    using namespace std::chrono;
    const auto check = []<typename T>(std::type_identity<T>, bool has_nat, auto made) {
        Random random(71);
        const index_t n = random.between(40, 90);
        std::vector<T> sorted;
        std::vector<T> values;
        for (index_t i = 0; i < n; ++i) sorted.push_back(made(random.between(0, 60)));
        for (index_t i = 0; i < n; ++i) values.push_back(made(random.between(-2, 62)));
        std::ranges::sort(sorted);
        values[3] = sorted.back();
        for (const int i : {1, 2, 5})
            if (has_nat) *(sorted.end() - i) = values[static_cast<std::size_t>(7 * i)] = T::min();
        const auto is_before = [&](const T& a, const T& b) {
            if (has_nat && (a == T::min() || b == T::min())) return a != T::min() && b == T::min();
            return a < b;
        };
        std::ranges::stable_sort(sorted, is_before);
        std::vector<std::int64_t> order(sorted.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = std::ssize(order) - 1 - static_cast<index_t>(i);
        for (const pv::Side side : {pv::Side::left, pv::Side::right}) {
            std::vector<std::int64_t> expected;
            for (const T& value : values)
                expected.push_back(std::ranges::count_if(sorted, [&](const T& each) {
                    return side == pv::Side::left ? is_before(each, value)
                                                  : !is_before(value, each);
                }));
            const pv::AnyTensor s(pv::tensor(std::vector(sorted)));
            const pv::AnyTensor v(pv::tensor(std::vector(values)));
            CHECK(pv::to_vector(pv::searchsorted(s, v, side)) == expected);
            std::vector<T> reversed(sorted.rbegin(), sorted.rend());
            CHECK(pv::to_vector(pv::searchsorted(pv::AnyTensor(pv::tensor(reversed)), v, side,
                                                 pv::tensor(std::vector(order)))) == expected);
        }
    };
    const auto as_time = []<typename T>(std::type_identity<T>) {
        return [](index_t count) {
            using Count = typename T::duration::rep;
            return T(typename T::duration(static_cast<Count>(count)));
        };
    };
    const auto as_duration = []<typename T>(std::type_identity<T>) {
        return [](index_t count) { return T(static_cast<typename T::rep>(count < 0 ? 0 : count)); };
    };
    const auto points = [&]<typename T>(std::type_identity<T> type) {
        check(type, true, as_time(type));
    };
    points(std::type_identity<sys_time<nanoseconds>>{});
    points(std::type_identity<sys_days>{});
    points(std::type_identity<local_seconds>{});
    using Small = duration<std::int16_t>;
    using Unsigned = duration<std::uint32_t>;
    check(std::type_identity<nanoseconds>{}, true, as_duration(std::type_identity<nanoseconds>{}));
    check(std::type_identity<Small>{}, true, as_duration(std::type_identity<Small>{}));
    check(std::type_identity<Unsigned>{}, false, as_duration(std::type_identity<Unsigned>{}));
    check(std::type_identity<duration<double>>{}, false,
          as_duration(std::type_identity<duration<double>>{}));
}

} // namespace searchsorted_test
