#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/statistics/join.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace join_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::Random;
using pv::JoinKind;
using Rows = std::vector<std::int64_t>;
using Pairs = std::pair<Rows, Rows>;

constexpr JoinKind kKinds[] = {JoinKind::inner, JoinKind::left, JoinKind::right,
                               JoinKind::outer, JoinKind::semi, JoinKind::anti};

Pairs joined(const pv::KeyColumns& left, const pv::KeyColumns& right,
             JoinKind kind = JoinKind::inner) {
    const pv::JoinedRows rows = pv::join(left, right, kind);
    return {pv::to_vector(rows.left), pv::to_vector(rows.right)};
}

/// By a look at every pair of rows.
template <typename Equal>
Pairs by_loops(std::int64_t left, std::int64_t right, JoinKind kind, Equal equal) {
    const bool keeps_left = kind == JoinKind::left || kind == JoinKind::outer;
    const bool keeps_right = kind == JoinKind::right || kind == JoinKind::outer;
    const bool pairs = kind != JoinKind::semi && kind != JoinKind::anti;
    Pairs rows;
    std::vector<bool> matched(static_cast<std::size_t>(right));
    for (std::int64_t l = 0; l < left; ++l) {
        bool any = false;
        for (std::int64_t r = 0; r < right; ++r) {
            if (!equal(l, r)) continue;
            any = true;
            matched[static_cast<std::size_t>(r)] = true;
            if (!pairs) continue;
            rows.first.push_back(l);
            rows.second.push_back(r);
        }
        if ((kind == JoinKind::semi && any) || (kind == JoinKind::anti && !any))
            rows.first.push_back(l);
        if (keeps_left && !any) {
            rows.first.push_back(l);
            rows.second.push_back(-1);
        }
    }
    for (std::int64_t r = 0; keeps_right && r < right; ++r)
        if (!matched[static_cast<std::size_t>(r)]) {
            rows.first.push_back(-1);
            rows.second.push_back(r);
        }
    return rows;
}

template <typename T>
bool same(const T& a, const T& b) {
    return a == b || (a != a && b != b);
}

/// Values of a type, of which few or many are distinct, close together or far apart.
template <typename T>
std::vector<T> values(Random& random, std::int64_t rows, std::int64_t distinct, bool far) {
    std::vector<T> made(static_cast<std::size_t>(rows));
    for (auto&& value : made) {
        const std::int64_t n = random.between(0, distinct) - distinct / 3;
        if constexpr (std::is_same_v<T, std::string>)
            value = (far ? "a long prefix of all keys " : "") + std::to_string(n);
        else if constexpr (std::is_floating_point_v<T>)
            value = n == 0   ? T{random.one_in(2) ? T{0} : -T{0}}
                    : n == 1 ? std::numeric_limits<T>::quiet_NaN()
                             : static_cast<T>(n) / T{4};
        else if constexpr (std::is_same_v<T, sys_seconds>)
            value = n == 0 ? pv::nat_value<sys_seconds>()
                           : sys_seconds(seconds(n * (far ? 86'400 : 1)));
        else
            value = static_cast<T>(far ? n * 0x0123'4567'89ab'cdef : n);
    }
    return made;
}

template <typename T>
bool equal_keys(const T& a, const T& b) {
    if constexpr (std::is_floating_point_v<T>)
        return same(a, b);
    else
        return a == b;
}

template <typename T>
void check_random(Random& random) {
    const std::int64_t distinct = random.one_in(2) ? 5 : 100;
    const bool far = random.one_in(2);
    const auto left = values<T>(random, random.between(0, 90), distinct, far);
    const auto right = values<T>(random, random.between(0, 90), distinct, far);
    const auto left_more = values<std::int16_t>(random, std::ssize(left), 1, false);
    const auto right_more = values<std::int16_t>(random, std::ssize(right), 1, false);
    const auto at = [](const auto& list, std::int64_t i) {
        return list[static_cast<std::size_t>(i)];
    };
    for (const JoinKind kind : kKinds) {
        CHECK(joined(pv::tensor(left), pv::tensor(right), kind) ==
              by_loops(std::ssize(left), std::ssize(right), kind,
                       [&](auto l, auto r) { return equal_keys<T>(at(left, l), at(right, r)); }));
        CHECK(joined({pv::tensor(left_more), pv::tensor(left)},
                     {pv::tensor(right_more), pv::tensor(right)}, kind) ==
              by_loops(std::ssize(left), std::ssize(right), kind, [&](auto l, auto r) {
                  return equal_keys<T>(at(left, l), at(right, r)) &&
                         at(left_more, l) == at(right_more, r);
              }));
    }
}

} // namespace

TEST_CASE("join: as a look at every pair of rows") {
    Random random(7);
    for (int round = 0; round < oracle::rounds(12); ++round) {
        check_random<std::int64_t>(random);
        check_random<std::uint64_t>(random);
        check_random<std::int8_t>(random);
        check_random<bool>(random);
        check_random<double>(random);
        check_random<float>(random);
        check_random<std::string>(random);
        check_random<sys_seconds>(random);
    }
}

TEST_CASE("join: several columns whose words fit together, and those that do not") {
    Random random(8);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const auto column = [&](std::int64_t rows, std::int64_t distinct) {
            return values<std::int64_t>(random, rows, distinct, true);
        };
        const std::int64_t count = random.between(1, 80);
        std::vector<std::vector<std::int64_t>> a;
        std::vector<std::vector<std::int64_t>> b;
        std::vector<pv::AnyTensor> left;
        std::vector<pv::AnyTensor> right;
        for (int c = 0; c < 4; ++c) {
            a.push_back(column(60, 3));
            b.push_back(column(count, 3));
            left.push_back(pv::tensor(a.back()));
            right.push_back(pv::tensor(b.back()));
        }
        for (const JoinKind kind : kKinds)
            CHECK(joined(left, right, kind) == by_loops(60, count, kind, [&](auto l, auto r) {
                      for (std::size_t c = 0; c < 4; ++c)
                          if (a[c][static_cast<std::size_t>(l)] !=
                              b[c][static_cast<std::size_t>(r)])
                              return false;
                      return true;
                  }));
    }
}

TEST_CASE("join: the order of rows, nothing on a side") {
    const auto left = pv::tensor({3, 1, 2, 1});
    const auto right = pv::tensor({1, 4, 3, 1});
    CHECK(joined(left, right) == Pairs{{0, 1, 1, 3, 3}, {2, 0, 3, 0, 3}});
    CHECK(joined(left, right, JoinKind::left) == Pairs{{0, 1, 1, 2, 3, 3}, {2, 0, 3, -1, 0, 3}});
    CHECK(joined(left, right, JoinKind::right) == Pairs{{0, 1, 1, 3, 3, -1}, {2, 0, 3, 0, 3, 1}});
    CHECK(joined(left, right, JoinKind::outer) ==
          Pairs{{0, 1, 1, 2, 3, 3, -1}, {2, 0, 3, -1, 0, 3, 1}});
    CHECK(joined(left, right, JoinKind::semi) == Pairs{{0, 1, 3}, {}});
    CHECK(joined(left, right, JoinKind::anti) == Pairs{{2}, {}});
    const auto none = pv::zeros<int>({0});
    CHECK(joined(left, none, JoinKind::outer) == Pairs{{0, 1, 2, 3}, {-1, -1, -1, -1}});
    CHECK(joined(none, right, JoinKind::outer) == Pairs{{-1, -1, -1, -1}, {0, 1, 2, 3}});
    CHECK(joined(left, none, JoinKind::anti) == Pairs{{0, 1, 2, 3}, {}});
    CHECK(joined(none, none, JoinKind::outer) == Pairs{});
    CHECK(joined({none, none}, {right, right}, JoinKind::right).second == Rows{0, 1, 2, 3});
    CHECK(joined({left, left}, {none, none}, JoinKind::left).second == Rows{-1, -1, -1, -1});
    // of any kind: lazy, a view, of a type known at run time
    CHECK(joined(pv::arange(4) * 2, pv::AnyTensor(pv::tensor({6, 2}) | pv::flip(0))) ==
          Pairs{{1, 3}, {0, 1}});
    CHECK(pv::to_vector(pv::join({left}, {right}, JoinKind::semi).left) == Rows{0, 1, 3});
    pv::KeyColumns kept = std::vector<int>{1, 2};
    const pv::KeyColumns copy = kept;
    CHECK(joined(copy, std::vector<int>{2}) == Pairs{{1}, {0}});
}

TEST_CASE("join: numbers of two types match where they are the same number") {
    constexpr std::int64_t kExact = std::int64_t{1} << 53;
    constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kHigh = std::numeric_limits<std::int64_t>::max();
    CHECK(joined(pv::tensor({1, 2}), pv::tensor<std::int64_t>({2, kHigh})) == Pairs{{1}, {0}});
    CHECK(joined(pv::tensor({kExact + 1, kExact, std::int64_t{-3}}),
                 pv::tensor({double(kExact), -3.0, 0.5, std::nan("")})) == Pairs{{1, 2}, {0, 1}});
    CHECK(joined(pv::tensor({0x1p63, -0x1p63, 0x1p64, 1.5, -0.0}),
                 pv::tensor<std::int64_t>({kHigh, kLow, 1, 0})) == Pairs{{1, 4}, {1, 3}});
    CHECK(joined(pv::tensor({0x1p63, -1.0}),
                 pv::tensor<std::uint64_t>({std::uint64_t{1} << 63, ~std::uint64_t{0}})) ==
          Pairs{{0}, {0}});
    CHECK(joined(pv::tensor<std::int64_t>({-1, 7}),
                 pv::tensor<std::uint64_t>({~std::uint64_t{0}, 7})) == Pairs{{1}, {1}});
    CHECK(joined(pv::tensor({16'777'217, 16'777'216}), pv::tensor({16'777'216.f})) ==
          Pairs{{1}, {0}});
    CHECK(joined(pv::tensor({true, false}), pv::tensor({1.0, 2.0})) == Pairs{{0}, {0}});
    CHECK(joined(pv::tensor({0.1f}), pv::tensor({0.1, double(0.1f)})) == Pairs{{0}, {1}});
    using Complex = std::complex<double>;
    const auto complex =
        pv::tensor(std::vector<Complex>{{1, 2}, {3, 0}, {double(kExact), 0}, {3, -0.0}});
    CHECK(joined(complex, complex) == Pairs{{0, 1, 1, 2, 3, 3}, {0, 1, 3, 2, 1, 3}});
    CHECK(joined(complex, pv::tensor<std::int64_t>({3, kExact + 1, kExact})) ==
          Pairs{{1, 2, 3}, {0, 2, 0}});
    CHECK(joined(pv::tensor({3.f}), complex) == Pairs{{0, 0}, {1, 3}});
}

TEST_CASE("join: many rows on any number of threads, close together and far apart") {
    Random random(9);
    const auto keys = [&](std::int64_t rows, std::int64_t distinct, std::int64_t step) {
        std::vector<std::int64_t> made(static_cast<std::size_t>(rows));
        for (auto& key : made) // wrapping, where they are far apart
            key = static_cast<std::int64_t>(
                static_cast<std::uint64_t>(random.between(0, distinct - 1) - distinct / 2) *
                static_cast<std::uint64_t>(step));
        return made;
    };
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{86'400}, 0x0123'4567'89ab'cdef})
        for (const std::int64_t distinct : {50, 12'000, 400'000}) {
            const auto left = keys(distinct == 50 ? 3'000 : 40'000, distinct, step);
            const auto right = keys(distinct == 50 ? 2'000 : 30'000, distinct, step);
            std::vector<std::size_t> order(right.size());
            for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
            std::ranges::stable_sort(order, {}, [&](std::size_t r) { return right[r]; });
            for (const JoinKind kind : {JoinKind::outer, JoinKind::inner, JoinKind::anti}) {
                Pairs expected;
                std::vector<bool> matched(right.size());
                for (std::size_t l = 0; l < left.size(); ++l) {
                    const auto found = std::ranges::equal_range(
                        order, left[l], {}, [&](std::size_t r) { return right[r]; });
                    if (kind != JoinKind::anti)
                        for (const std::size_t r : found) {
                            expected.first.push_back(static_cast<std::int64_t>(l));
                            expected.second.push_back(static_cast<std::int64_t>(r));
                            matched[r] = true;
                        }
                    if (!found.empty() || kind == JoinKind::inner) continue;
                    expected.first.push_back(static_cast<std::int64_t>(l));
                    if (kind == JoinKind::outer) expected.second.push_back(-1);
                }
                for (std::size_t r = 0; kind == JoinKind::outer && r < right.size(); ++r)
                    if (!matched[r]) {
                        expected.first.push_back(-1);
                        expected.second.push_back(static_cast<std::int64_t>(r));
                    }
                for (const int threads : {1, 4}) {
                    pv::set_threads(threads);
                    const Pairs found = joined(pv::tensor(left), pv::tensor(right), kind);
                    CHECK((found == expected));
                }
                pv::set_threads(0);
            }
        }
}

TEST_CASE("join: refuses types, shapes and results that do not fit") {
    const auto x = pv::tensor({1, 2});
    const auto text = pv::tensor<std::string>({"a", "b"});
    const auto days = pv::tensor({sys_days{}});
    CHECK_THROWS_WITH(pv::join(x, text), "join: keys are int32 on the left and string on the "
                                         "right, which are never equal");
    CHECK_THROWS_AS(pv::join(x, days), pv::DtypeError);
    CHECK_THROWS_AS(pv::join(days, pv::tensor({sys_seconds{}})), pv::DtypeError);
    CHECK_THROWS_AS(pv::join(pv::tensor(std::vector{std::tuple(1, 2)}),
                             pv::tensor(std::vector{std::tuple(1, 2)})),
                    pv::DtypeError);
    CHECK_THROWS_WITH(pv::join(x, pv::zeros<int>({2, 2})),
                      "join: a column on the right has the shape [2 2], and keys have one axis");
    CHECK_THROWS_WITH(pv::join({x, text}, x),
                      "join: the key has 2 columns on the left and 1 on the right");
    CHECK_THROWS_AS(pv::join(pv::KeyColumns{}, pv::KeyColumns{}), pv::ShapeError);
    CHECK_THROWS_WITH(pv::join({x, x}, {x, pv::tensor({1})}),
                      "join: a column on the right has 1 rows, and the first has 2");
    const auto many = pv::zeros<std::int64_t>({std::int64_t{1} << 22});
    CHECK_THROWS_MATCHES(
        pv::join(many, many), pv::MemoryLimitError,
        Catch::Matchers::Message(
            "join: the result has 17592186044416 rows, for which there is no memory"));
}

} // namespace join_test
