#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/fill_gaps.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <ratio>
#include <string>
#include <type_traits>
#include <vector>

namespace fill_gaps_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One element after the other.
template <typename T>
std::vector<T> filled(std::vector<T> line, std::vector<bool> gaps, bool forwards) {
    if (!forwards) {
        std::reverse(line.begin(), line.end());
        std::reverse(gaps.begin(), gaps.end());
    }
    for (std::size_t i = 1; i < line.size(); ++i)
        if (gaps[i] && !gaps[i - 1]) {
            line[i] = line[i - 1];
            gaps[i] = false;
        }
    if (!forwards) std::reverse(line.begin(), line.end());
    return line;
}

} // namespace

TEMPLATE_TEST_CASE("forward_fill and backward_fill of NaN: every layout and axis", "", float,
                   double) {
    using T = TestType;
    Random random(1);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        auto x = oracle::random_layout<T>(random);
        const T limit = static_cast<T>(random.between(-8, 8));
        x.real = pv::where(x.real > limit, std::numeric_limits<T>::quiet_NaN(), x.real);
        if (random.one_in(2)) x.real = pv::clone(x.real);
        for (T& value : x.naive.values)
            if (value > limit) value = std::numeric_limits<T>::quiet_NaN();
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        INFO(x.name << " axis " << axis);
        const auto expected = [&](bool forwards) {
            return oracle::along_lanes(x.naive, axis, [&](const std::vector<T>& line) {
                std::vector<bool> gaps;
                for (const T value : line) gaps.push_back(std::isnan(value));
                return filled(line, gaps, forwards);
            });
        };
        CHECK(oracle::agrees(pv::forward_fill(x.real, at), expected(true), 0));
        CHECK(oracle::agrees(x.real | pv::backward_fill(at), expected(false), 0));
        CHECK(oracle::agrees(pv::forward_fill(pv::AnyTensor(x.real), at).template as<T>(),
                             expected(true), 0));
    }
}

TEMPLATE_TEST_CASE("forward_fill and backward_fill by a mask", "", std::int16_t, double) {
    using T = TestType;
    Random random(2);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<T>(random);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        const T limit = static_cast<T>(random.between(-8, 8));
        const auto mask = x.real > limit;
        INFO(x.name << " axis " << axis);
        const auto expected = [&](bool forwards) {
            return oracle::along_lanes(x.naive, axis, [&](const std::vector<T>& line) {
                std::vector<bool> gaps;
                for (const T value : line) gaps.push_back(value > limit);
                return filled(line, gaps, forwards);
            });
        };
        CHECK(oracle::agrees(pv::forward_fill(x.real, mask, at), expected(true), 0));
        CHECK(oracle::agrees(pv::backward_fill(x.real, mask, at), expected(false), 0));
        CHECK(oracle::agrees(
            pv::backward_fill(pv::AnyTensor(x.real), pv::AnyTensor(mask), at).template as<T>(),
            expected(false), 0));
    }
}

TEST_CASE(
    "forward_fill and backward_fill: long lines with few gaps and with many, of every length") {
    Random random(3);
    for (const int most : {1, 2, 8, 40})
        for (index_t length = 1; length < 70; ++length) {
            std::vector<double> line;
            std::vector<bool> gaps;
            for (index_t i = 0; i < length; ++i) {
                gaps.push_back(random.between(0, most) == 0);
                line.push_back(static_cast<double>(i + 1));
            }
            const auto x = pv::tensor(line);
            const auto mask = pv::empty<bool>({length});
            for (index_t i = 0; i < length; ++i) mask(i) = bool(gaps[static_cast<std::size_t>(i)]);
            const auto with_nan = pv::where(mask, kNaN, x);
            CAPTURE(most, length);
            for (const bool forwards : {true, false}) {
                const std::vector<double> by_mask = filled(line, gaps, forwards);
                const auto fill = [&](const auto&... arguments) {
                    return pv::to_vector(forwards ? pv::forward_fill(arguments...)
                                                  : pv::backward_fill(arguments...));
                };
                CHECK(fill(x, mask) == by_mask);
                const std::vector<double> by_nan = fill(with_nan);
                for (std::size_t i = 0; i < by_nan.size(); ++i) {
                    const double left = gaps[i] && by_mask[i] == line[i] ? kNaN : by_mask[i];
                    CHECK((by_nan[i] == left || (std::isnan(by_nan[i]) && std::isnan(left))));
                }
            }
        }
}

TEST_CASE("forward_fill: the last axis, stages, dims, strings, nothing, errors") {
    const auto m = pv::tensor({{kNaN, 1.0, kNaN}, {2.0, kNaN, kNaN}});
    CHECK(oracle::agrees(m | pv::forward_fill,
                         oracle::Oracle<double>{{2, 3}, {kNaN, 1, 1, 2, 2, 2}}));
    CHECK(oracle::agrees(pv::backward_fill(m, -2),
                         oracle::Oracle<double>{{2, 3}, {2, 1, kNaN, 2, kNaN, kNaN}}));
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> bound = pv::forward_fill(m(i, j), j) | pv::order(i, j);
    CHECK(oracle::agrees(bound, oracle::Oracle<double>{{2, 3}, {kNaN, 1, 1, 2, 2, 2}}));
    const auto words = pv::tensor({"a", "", "b", ""});
    CHECK(pv::to_vector(pv::forward_fill(words, words == "")) ==
          std::vector<std::string>{"a", "a", "b", "b"});
    CHECK(pv::to_vector(pv::backward_fill(words, words == "", 0)) ==
          std::vector<std::string>{"a", "b", "b", ""});
    CHECK(pv::to_vector(pv::forward_fill(pv::tensor({1, 2}))) == std::vector{1, 2});
    CHECK(pv::forward_fill(pv::zeros({0, 3})).shape() == pv::Shape{0, 3});
    CHECK(pv::forward_fill(pv::zeros({3, 0}), 0).shape() == pv::Shape{3, 0});
    CHECK(pv::forward_fill(pv::reshape(pv::tensor({7.0}), {})).item() == 7);
    CHECK(pv::forward_fill(pv::reshape(pv::tensor({7.0}), {}), pv::reshape(pv::tensor({true}), {}))
              .item() == 7);
    CHECK_THROWS_WITH(pv::forward_fill(m, pv::tensor({true, false, true})),
                      ContainsSubstring("forward_fill") && ContainsSubstring("[3]") &&
                          ContainsSubstring("[2 3]"));
    CHECK_THROWS_AS(pv::forward_fill(m, m), pv::DtypeError);
    CHECK_THROWS_AS(pv::backward_fill(m, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::forward_fill(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("forward_fill does not depend on the number of threads") {
    const auto x = pv::reshape(pv::arange(400'000), {400, 1000});
    const auto gaps = pv::clone(pv::where(x % 7 < 3, kNaN, x | pv::cast<double>));
    pv::set_threads(1);
    const auto alone = pv::forward_fill(gaps);
    pv::set_threads(3);
    const auto shared = pv::forward_fill(gaps);
    pv::set_threads(0);
    CHECK(pv::all_of((alone == shared) || (alone != alone && shared != shared)));
}

TEST_CASE("gaps by a mask over dims") {
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto x = pv::reshape(pv::arange(12), {3, 4});
    const auto mask = x % 3 == 1;
    const auto plain = pv::forward_fill(x, mask, 1);
    CHECK(pv::to_vector(pv::order(pv::forward_fill(x(i, j), mask(i, j), j), i, j)) ==
          pv::to_vector(plain));
    CHECK(pv::to_vector(pv::order(pv::forward_fill(x(i), mask(i), 0), i, 0)) ==
          pv::to_vector(plain));
    const auto down = pv::order(pv::backward_fill(x(i, j), mask(i, j), i), i, j);
    CHECK(pv::to_vector(down) == pv::to_vector(pv::backward_fill(x, mask, 0)));
    // One mask for each k, of the same row for all.
    const auto row = pv::tensor({1., 2., 3., 4.});
    const auto many = pv::order(pv::forward_fill(row(j), mask(k, j), j), k, j);
    for (index_t each = 0; each < 3; ++each)
        CHECK(pv::to_vector(many(each, pv::all)) ==
              pv::to_vector(pv::forward_fill(row, mask(each, pv::all), 0)));
    CHECK_THROWS_AS(pv::forward_fill(x(i, j), mask(i, j), k), pv::DimError);
}

TEST_CASE("gaps among durations in floats: pandas' ffill of NaT") {
    using Seconds = std::chrono::duration<double>;
    using Millis = std::chrono::duration<float, std::milli>;
    const auto check = []<typename T>(std::type_identity<T>) {
        using Rep = typename T::rep;
        const T nat(std::numeric_limits<Rep>::quiet_NaN());
        const auto x = pv::tensor({{nat, T(1), nat}, {T(2), nat, T(4)}});
        const auto counts = [](const auto& filled) {
            std::vector<double> found;
            for (const T t : pv::to_vector(filled))
                found.push_back(std::isnan(t.count()) ? -1 : double(t.count()));
            return found;
        };
        CHECK(counts(pv::forward_fill(x)) == std::vector<double>{-1, 1, 1, 2, 2, 4});
        CHECK(counts(pv::backward_fill(x)) == std::vector<double>{1, 1, -1, 2, 4, 4});
        CHECK(counts(pv::forward_fill(x, 0)) == std::vector<double>{-1, 1, -1, 2, 1, 4});
        CHECK(counts(pv::forward_fill(pv::transpose(x), 0)) ==
              std::vector<double>{-1, 2, 1, 2, 1, 4});
        const pv::Dim i("i");
        CHECK(counts(pv::backward_fill(x(i), i) | pv::order(i)) ==
              std::vector<double>{2, 1, 4, 2, -1, 4});
    };
    check(std::type_identity<Seconds>{});
    check(std::type_identity<Millis>{});
    check(std::type_identity<std::chrono::duration<double, std::nano>>{});
    using Point = std::chrono::time_point<std::chrono::system_clock, Seconds>;
    const auto points = pv::tensor({Point(Seconds(1.5)), Point(Seconds(std::nan("")))});
    CHECK(pv::forward_fill(points)(1) == Point(Seconds(1.5)));
}

} // namespace fill_gaps_test
