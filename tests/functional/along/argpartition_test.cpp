#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/as_span.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace argpartition_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
struct TestedEqual {
    T value;
    bool operator()(T x) const { return x == value || (x != x && value != value); }
};

/// Many elements, so that a sample brackets the one in question: against argsort.
template <typename T>
void check_many(const std::vector<T>& values) {
    const auto x = pv::tensor(std::vector<T>(values));
    const auto n = std::ssize(values);
    for (const auto order : {pv::ascending, pv::descending}) {
        const auto sorted = pv::to_vector(pv::argsort(x, order));
        for (const index_t kth : {index_t{0}, index_t{99}, n / 2, n - 1}) {
            const auto parts = pv::to_vector(pv::argpartition(x, kth, order));
            const auto first =
                order == pv::ascending ? pv::arg_min_n(x, kth + 1) : pv::arg_max_n(x, kth + 1);
            INFO("kth " << kth << " descending " << (order == pv::descending));
            REQUIRE(parts.size() == sorted.size());
            CHECK(parts[static_cast<std::size_t>(kth)] == sorted[static_cast<std::size_t>(kth)]);
            // Where sorting puts the elements like this one.
            const auto value = [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; };
            const TestedEqual<T> same{value(sorted[static_cast<std::size_t>(kth)])};
            const auto begin = std::find_if(sorted.begin(), sorted.end(),
                                            [&](std::int64_t i) { return same(value(i)); });
            const auto end = std::find_if_not(begin, sorted.end(),
                                              [&](std::int64_t i) { return same(value(i)); });
            std::vector<std::int64_t> expected(sorted);
            std::sort(expected.begin(), expected.begin() + (begin - sorted.begin()));
            std::sort(expected.begin() + (end - sorted.begin()), expected.end());
            CHECK((parts == expected));
            CHECK(std::equal(sorted.begin(), sorted.begin() + kth + 1, pv::as_span(first).begin()));
        }
    }
}

} // namespace

TEMPLATE_TEST_CASE("argpartition and arg_min_n of many elements", "", std::int16_t, std::int64_t,
                   std::uint32_t, float, double) {
    Random random(7);
    for (const int threads : {1, 3}) {
        pv::set_threads(threads);
        for (const index_t n :
             {index_t{2000}, index_t{40'000}, index_t{UNDER_A_SANITIZER ? 12'501 : 100'003}}) {
            std::vector<TestType> values(static_cast<std::size_t>(n));
            for (TestType& value : values)
                value = static_cast<TestType>(random.between(-30'000, 30'000));
            check_many(values);
            if constexpr (std::floating_point<TestType>) {
                values.back() = -std::numeric_limits<TestType>::infinity();
                values[17] = static_cast<TestType>(kNaN);
                check_many(values);
                for (TestType& value : values)
                    if (random.one_in(2)) value = static_cast<TestType>(kNaN);
                check_many(values);
                check_many(std::vector<TestType>(values.size(), static_cast<TestType>(kNaN)));
            }
            for (TestType& value : values) value = static_cast<TestType>(random.between(0, 2));
            check_many(values);
        }
    }
    pv::set_threads(0);
}

TEMPLATE_TEST_CASE("argpartition and arg_min_n agree with argsort", "", bool, std::int8_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint64_t, float, double) {
    Random random(5);
    for (unsigned round = 0; round < oracle::rounds(40U); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        const auto axis = static_cast<index_t>(random.axis_of(x.naive.shape));
        const index_t length = x.real.extent(axis);
        const index_t kth = random.between(0, length - 1);
        const auto order = random.one_in(2) ? pv::descending : pv::ascending;
        INFO(x.name << " axis " << axis << " kth " << kth);
        const auto rows = [axis](const auto& t) {
            return pv::contiguous(pv::reshape(pv::move_axis(t, axis, -1), {-1, t.extent(axis)}));
        };
        const auto sorted = rows(pv::argsort(x.real, axis, order));
        const auto parts = rows(pv::argpartition(x.real, kth, axis, order));
        const auto negative = rows(pv::argpartition(x.real, kth - length, axis, order));
        CHECK(pv::to_vector(parts) == pv::to_vector(negative));
        for (index_t row = 0; row < sorted.extent(0); ++row) {
            const auto expected = pv::to_vector(sorted(row, pv::all));
            const auto found = pv::to_vector(parts(row, pv::all));
            const auto at = static_cast<std::ptrdiff_t>(kth);
            REQUIRE(found[static_cast<std::size_t>(kth)] ==
                    expected[static_cast<std::size_t>(kth)]);
            CHECK(std::is_permutation(found.begin(), found.begin() + at, expected.begin()));
            CHECK(std::is_permutation(found.begin() + at, found.end(), expected.begin() + at));
        }
        const auto least = order == pv::ascending ? pv::arg_min_n(x.real, kth + 1, axis)
                                                  : pv::arg_max_n(x.real, kth + 1, axis);
        CHECK(pv::to_vector(rows(least)) == pv::to_vector(sorted(pv::all, pv::range(0, kth + 1))));
    }
}

TEST_CASE("argpartition and arg_min_n: NaN last, edges, errors") {
    const auto x = pv::tensor({kNaN, 2.0, -1.0, kNaN, 2.0, 0.0, -0.0});
    CHECK(pv::to_vector(pv::arg_min_n(x, 7)) == std::vector<index_t>{2, 5, 6, 1, 4, 0, 3});
    CHECK(pv::to_vector(pv::arg_max_n(x, 7)) == std::vector<index_t>{1, 4, 5, 6, 2, 0, 3});
    CHECK(pv::to_vector(pv::arg_min_n(x, 2)) == std::vector<index_t>{2, 5});
    CHECK(pv::arg_min_n(x, 0).empty());
    CHECK(pv::to_vector(pv::argpartition(x, 1)) == std::vector<index_t>{2, 5, 6, 0, 1, 3, 4});
    CHECK(pv::arg_min_n(pv::zeros({3, 0}), 0).shape() == pv::Shape{3, 0});
    CHECK_THROWS_WITH(pv::arg_min_n(x, 8),
                      ContainsSubstring("arg_min_n") && ContainsSubstring("8"));
    CHECK_THROWS_AS(pv::arg_min_n(x, -1), pv::IndexError);
    CHECK_THROWS_AS(pv::argpartition(x, 7), pv::IndexError);
    CHECK_THROWS_AS(pv::argpartition(pv::zeros({0}), 0), pv::IndexError);
    CHECK_THROWS_AS(pv::arg_min_n(pv::AnyTensor(pv::tensor({"a"})), 1), pv::DtypeError);
    CHECK(pv::argpartition(pv::reshape(pv::tensor({7}), {}), 0).item() == 0);
    const auto [i] = pv::dims("i");
    const auto m = pv::tensor({{3, 1, 2}, {0, 5, 4}});
    const pv::Tensor<std::int64_t> down = pv::argpartition(m(i, pv::all), 0, i) | pv::order(i);
    CHECK(pv::to_vector(down) == std::vector<index_t>{1, 0, 0, 0, 1, 1});
}

TEST_CASE("argpartition does not depend on the number of threads") {
    const auto x = pv::reshape(pv::linspace(3.0, -2.0, 400'000) * pv::linspace(-1.0, 1.0, 400'000),
                               {400, 1000});
    pv::set_threads(1);
    const auto alone = pv::to_vector(pv::argpartition(x, 10));
    pv::set_threads(3);
    CHECK(pv::to_vector(pv::argpartition(x, 10)) == alone);
    pv::set_threads(0);
}

TEST_CASE("argmin_last and argmax_last: the last of several") {
    const auto x = pv::tensor({{2, 0, 3, 0}, {3, 3, 1, 1}});
    CHECK(pv::argmin(x) == 1);
    CHECK(pv::argmin_last(x) == 3);
    CHECK(pv::argmax(x) == 2);
    CHECK(pv::argmax_last(x) == 5);
    CHECK(pv::to_vector(pv::argmin_last(x, 1)) == std::vector<index_t>{3, 3});
    CHECK(pv::to_vector(pv::argmax_last(x, 1)) == std::vector<index_t>{2, 1});
    CHECK(pv::to_vector(pv::argmax_last(x, 0)) == std::vector<index_t>{1, 1, 0, 1});
    CHECK(pv::argmax_last(pv::tensor({1.0, kNaN, kNaN, 2.0})) == 2);
    CHECK(pv::argmin_last(pv::AnyTensor(x)).item<std::int64_t>() == 3);
    CHECK_THROWS_WITH(pv::argmin_last(pv::zeros({0})), ContainsSubstring("argmin_last"));
    Random random(6);
    for (unsigned round = 0; round < oracle::rounds(60U); ++round) {
        const auto t = oracle::random_layout<std::int32_t>(random);
        const auto values = t.naive.values;
        const auto last = std::max_element(values.rbegin(), values.rend());
        CHECK(pv::argmax_last(t.real) == std::ssize(values) - 1 - (last - values.rbegin()));
    }
}

} // namespace argpartition_test
