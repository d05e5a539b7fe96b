#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/statistics/as_of.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

// pandas.merge_asof
namespace as_of_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::Random;
using Rows = std::vector<std::int64_t>;
using pv::AsOf;
using pv::AsOfOptions;

template <typename L, typename R>
Rows rows(const L& left, const R& right, const AsOfOptions& options = {}) {
    return pv::to_vector(pv::as_of(left, right, options));
}

/// The best row, by looking at all.
template <typename T>
std::int64_t best_row(T key, std::int64_t group, const std::vector<T>& right,
                      const std::vector<std::int64_t>& groups, AsOf direction, bool exact,
                      std::optional<T> tolerance) {
    const auto best = [&](bool forward) {
        std::int64_t found = -1;
        for (std::size_t r = 0; r < right.size(); ++r) {
            if (groups[r] != group) continue;
            const T from = forward ? key : right[r];
            const T to = forward ? right[r] : key;
            if (from > to || (from == to && !exact) || (tolerance && to - from > *tolerance))
                continue;
            if (!forward || found < 0) found = static_cast<std::int64_t>(r);
        }
        return found;
    };
    if (direction != AsOf::nearest) return best(direction == AsOf::forward);
    const std::int64_t before = best(false);
    const std::int64_t behind = best(true);
    if (before < 0 || behind < 0) return std::max(before, behind);
    const auto at = [&](std::int64_t r) { return right[static_cast<std::size_t>(r)]; };
    return key - at(before) <= at(behind) - key ? before : behind;
}

template <typename T>
void check_random(Random& random, T step) {
    const auto keys = [&] {
        std::vector<T> values(static_cast<std::size_t>(random.between(0, 60)));
        for (T& value : values) value = static_cast<T>(random.between(-20, 40)) * step;
        std::sort(values.begin(), values.end());
        return values;
    };
    const auto groups_of = [&](const std::vector<T>& values, std::int64_t last) {
        std::vector<std::int64_t> groups(values.size());
        for (std::int64_t& group : groups) group = random.between(0, last);
        return groups;
    };
    const std::vector<T> left = keys();
    const std::vector<T> right = keys();
    const std::int64_t last = random.between(0, 3);
    const auto left_groups = groups_of(left, last);
    const auto right_groups = groups_of(right, last);
    for (const AsOf direction : {AsOf::backward, AsOf::forward, AsOf::nearest})
        for (const bool exact : {true, false})
            for (const std::optional<T> tolerance :
                 {std::optional<T>(), std::optional<T>(T{3} * step), std::optional<T>(T{0})}) {
                AsOfOptions options{.direction = direction, .allow_exact_matches = exact};
                if (tolerance) options.tolerance = *tolerance;
                if (last > 0) {
                    options.left_by = {pv::tensor(left_groups)};
                    options.right_by = {pv::tensor(right_groups)};
                }
                Rows expected;
                for (std::size_t l = 0; l < left.size(); ++l)
                    expected.push_back(best_row(left[l], left_groups[l], right, right_groups,
                                                direction, exact, tolerance));
                CHECK(rows(pv::tensor(left), pv::tensor(right), options) == expected);
            }
}

} // namespace

TEST_CASE("as_of: the examples of pandas' merge_asof") {
    const auto left = pv::tensor({1, 5, 10});
    const auto right = pv::tensor({1, 2, 3, 6, 7});
    CHECK(rows(left, right) == Rows{0, 2, 4});
    CHECK(rows(left, right, {.allow_exact_matches = false}) == Rows{-1, 2, 4});
    CHECK(rows(left, right, {.direction = AsOf::forward}) == Rows{0, 3, -1});
    CHECK(rows(left, right, {.direction = AsOf::nearest}) == Rows{0, 3, 4});
    CHECK(rows(left, right, {.tolerance = 2}) == Rows{0, 2, -1});
    CHECK(rows(pv::tensor({2}), pv::tensor({1, 3}), {.direction = AsOf::nearest}) ==
          Rows{0}); // as near: the one before
}

TEST_CASE("as_of: quotes at trades, by symbol, within 2 ms (pandas merge_asof(by='ticker'))") {
    using Time = sys_time<milliseconds>;
    const auto at = [](const std::vector<int>& counts) {
        std::vector<Time> times;
        for (const int count : counts) times.push_back(Time{} + milliseconds(count));
        return pv::tensor(times);
    };
    const auto quotes = at({23, 23, 30, 41, 48, 49, 72, 75});
    const auto quoted =
        pv::tensor<std::string>({"GOOG", "MSFT", "MSFT", "MSFT", "GOOG", "AAPL", "GOOG", "MSFT"});
    const auto trades = at({23, 38, 48, 48, 48});
    const auto traded = pv::tensor<std::string>({"MSFT", "MSFT", "GOOG", "GOOG", "AAPL"});
    AsOfOptions options{.left_by = {traded}, .right_by = {quoted}};
    CHECK(rows(trades, quotes, options) == Rows{1, 2, 4, 4, -1});
    options.tolerance = milliseconds(2);
    CHECK(rows(trades, quotes, options) == Rows{1, -1, 4, 4, -1});
    options.tolerance = milliseconds(10);
    options.allow_exact_matches = false;
    CHECK(rows(trades, quotes, options) == Rows{-1, 2, -1, -1, -1});
    options.tolerance = microseconds(8'000); // 38 - 30
    CHECK(rows(trades, quotes, options) == Rows{-1, 2, -1, -1, -1});
    options.tolerance = microseconds(7'999);
    CHECK(rows(trades, quotes, options) == Rows(5, -1));
    options.tolerance = duration<double>(0.008);
    CHECK(rows(trades, quotes, options) == Rows{-1, 2, -1, -1, -1});
    options.tolerance = hours(1'000'000'000);
    CHECK(rows(trades, quotes, options) == Rows{-1, 2, 0, 0, -1});
    // a column needs no braces, of whatever kind it is
    const pv::AnyTensor any = traded;
    CHECK(rows(trades, quotes, {.left_by = traded, .right_by = quoted}) == Rows{1, 2, 4, 4, -1});
    CHECK(rows(trades, quotes, {.left_by = any, .right_by = {quoted}}) == Rows{1, 2, 4, 4, -1});
    CHECK(rows(pv::tensor({5, 6}), pv::tensor({1, 2}),
               {.left_by = pv::arange(2) + 1, .right_by = {pv::tensor({2, 1})}}) == Rows{1, 0});
    CHECK(rows(pv::tensor({5, 6}), pv::tensor({1, 2}),
               {.left_by = {pv::arange(2), pv::tensor<std::string>({"a", "b"})},
                .right_by = {pv::arange(2), pv::tensor<std::string>({"a", "c"})}}) == Rows{0, -1});
    // several columns, of types of their own; a group that one side alone has
    const auto pair = [](std::vector<int> a, std::vector<std::string> b) {
        return std::vector<pv::AnyTensor>{pv::tensor(a), pv::tensor(b)};
    };
    CHECK(rows(pv::tensor({5, 6, 7}), pv::tensor({1, 2, 3}),
               {.left_by = pair({1, 1, 2}, {"a", "b", "b"}),
                .right_by = pair({1, 1, 3}, {"a", "b", "b"})}) == Rows{0, 1, -1});
}

TEST_CASE("as_of: as a look at every row on the right") {
    Random random(51);
    for (int round = 0; round < 30; ++round) {
        check_random<std::int64_t>(random, 1);
        check_random<double>(random, 0.5);
        check_random<std::int16_t>(random, 100);
    }
}

TEST_CASE("as_of: numbers of two types, the ends of types, infinities, nothing") {
    CHECK(rows(pv::tensor({1.5, 2.0}), pv::tensor({1, 2})) == Rows{0, 1});
    constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
    constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
    CHECK(rows(pv::tensor({kHigh}), pv::tensor({kLow}), {.tolerance = 1}) == Rows{-1});
    CHECK(rows(pv::tensor({kHigh}), pv::tensor({kLow}),
               {.tolerance = std::numeric_limits<std::uint64_t>::max()}) == Rows{0});
    CHECK(rows(pv::tensor({kHigh - 1}), pv::tensor({kLow, kHigh}), {.direction = AsOf::nearest}) ==
          Rows{1});
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    CHECK(rows(pv::tensor({kInfinity}), pv::tensor({-kInfinity, kInfinity}), {.tolerance = 0}) ==
          Rows{1});
    CHECK(rows(pv::tensor({1.0, 2.0}), pv::zeros<double>({0})) == Rows{-1, -1});
    CHECK(rows(pv::zeros<double>({0}), pv::tensor({1.0})).empty());
    CHECK(rows(pv::zeros<double>({0}), pv::zeros<double>({0}),
               {.left_by = {pv::zeros<int>({0})}, .right_by = {pv::zeros<int>({0})}})
              .empty());
    CHECK(rows(pv::AnyTensor(pv::tensor({1, 2})), (pv::tensor({2, 1}) | pv::flip(0)) * 1) ==
          Rows{0, 1});
}

TEST_CASE("as_of: keys that descend, and those that are none, are named") {
    const auto good = pv::tensor({1.0, 2.0});
    CHECK_THROWS_WITH(pv::as_of(good, pv::tensor({1.0, 3.0, 2.5})),
                      "as_of: the right keys have to ascend, and row 2 has 2.5 behind 3");
    CHECK_THROWS_WITH(pv::as_of(pv::tensor({2, 1}), good),
                      "as_of: the left keys have to ascend, and row 1 has 1 behind 2");
    CHECK_THROWS_WITH(
        pv::as_of(pv::tensor({1.0, std::nan("")}), good),
        "as_of: the left key of row 1 is nan, which is neither before nor after another one");
    const auto days = pv::tensor({sys_days{}, pv::nat_value<sys_days>()});
    CHECK_THROWS_WITH(pv::as_of(days, days),
                      Catch::Matchers::ContainsSubstring("left key of row 1 is NaT"));
}

TEST_CASE("as_of: refuses tolerances, types and shapes that do not fit") {
    const auto x = pv::tensor({1, 2});
    const auto days = pv::tensor({sys_days{}});
    CHECK_THROWS_WITH(pv::as_of(x, x, {.tolerance = seconds(1)}),
                      "as_of: the tolerance is a duration, and the keys are int32");
    CHECK_THROWS_AS(pv::as_of(days, days, {.tolerance = 1}), pv::Error);
    CHECK_THROWS_WITH(pv::as_of(x, x, {.tolerance = -1}),
                      "as_of: the tolerance is -1, and has to be at least 0");
    CHECK_THROWS_AS(pv::as_of(x, x, {.tolerance = std::nan("")}), pv::Error);
    CHECK_THROWS_AS(pv::as_of(x, days), pv::DtypeError);
    CHECK_THROWS_AS(pv::as_of(days, pv::tensor({sys_seconds{}})), pv::DtypeError);
    CHECK_THROWS_AS(pv::as_of(pv::tensor<std::string>({"a"}), pv::tensor<std::string>({"a"})),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::as_of(pv::zeros<int>({2, 2}), x), pv::ShapeError);
    CHECK_THROWS_WITH(pv::as_of(x, x, {.left_by = {x}}),
                      "as_of: left_by has 1 columns, and right_by 0");
    CHECK_THROWS_WITH(pv::as_of(x, x, {.left_by = {x}, .right_by = {pv::tensor({1})}}),
                      "as_of: a column of right_by has the shape [1], and the keys have [2]");
}

} // namespace as_of_test
