// The algorithms of std that write, on tensors: against the same on vectors.
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <support/catch.hpp>

#include <algorithm>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace algorithms_test {

namespace {

namespace pv = purview;
using pv::index_t;

static_assert(std::sortable<pv::TensorIterator<double, true>>);
static_assert(std::random_access_iterator<pv::TensorIterator<std::string, true>>);

/// Numbers with equal ones among them, which carry where they were in their last digits.
template <typename T>
std::vector<T> samples(std::mt19937& random, index_t n) {
    std::vector<T> values;
    for (index_t i = 0; i < n; ++i) {
        const int number = static_cast<int>(random() % 10) * 1000 + static_cast<int>(i);
        if constexpr (std::same_as<T, std::string>)
            values.push_back(std::string(20, 'x') + std::to_string(number));
        else
            values.push_back(static_cast<T>(number));
    }
    return values;
}

/// By all but the last digits.
template <typename T>
bool before(const T& a, const T& b) {
    if constexpr (std::same_as<T, std::string>)
        return a.substr(0, 21) < b.substr(0, 21);
    else
        return static_cast<int>(a) / 1000 < static_cast<int>(b) / 1000;
}

/// Runs `change` on a vector and on tensors in memory, reversed, and in columns.
template <typename T, typename Change>
void check_as_vector(Change change) {
    std::mt19937 random(7);
    for (const index_t n : {0, 1, 2, 6, 30, 240}) {
        const std::vector<T> values = samples<T>(random, n);
        std::vector<T> expected = values;
        change(expected);
        const auto check = [&](const pv::MutableTensor<T>& t) {
            pv::copy(pv::tensor(values), pv::reshape(t, {n}));
            change(t);
            CHECK(std::ranges::equal(t, expected));
        };
        check(pv::empty<T>({n}));
        check(pv::flip(pv::empty<T>({n})));
        check(pv::empty<T>({2 * n})(pv::range(0, 2 * n, 2)));
        check(pv::rotate(pv::empty<T>({n}), {3}));
    }
}

template <typename T>
void check_algorithms() {
    const auto order = [](const T& a, const T& b) { return before<T>(a, b); };
    check_as_vector<T>([](auto&& x) { std::ranges::sort(x); });
    check_as_vector<T>([&](auto&& x) { std::ranges::stable_sort(x, order); });
    check_as_vector<T>([&](auto&& x) {
        const auto middle = std::ranges::begin(x) + std::ranges::distance(x) / 3;
        std::ranges::stable_sort(std::ranges::begin(x), middle, order);
        std::ranges::stable_sort(middle, std::ranges::end(x), order);
        std::ranges::inplace_merge(x, middle, order);
    });
    check_as_vector<T>([&](auto&& x) {
        const T pivot = std::ranges::distance(x) > 0 ? T(*std::ranges::begin(x)) : T();
        std::ranges::stable_partition(x, [&](const T& value) { return before<T>(value, pivot); });
    });
    check_as_vector<T>([](auto&& x) { std::ranges::reverse(x); });
    check_as_vector<T>([](auto&& x) {
        std::ranges::rotate(x, std::ranges::begin(x) + std::ranges::distance(x) / 2);
    });
    check_as_vector<T>([](auto&& x) { std::ranges::sort(x, std::greater{}); });
}

// As std::swap(v[0], v[1]) of std::vector<bool>, whose references are values, too.
TEST_CASE("std::swap exchanges two elements") {
    const auto t = pv::tensor({{1., 2.}, {3., 4.}});
    std::swap(t(0, 0), t(1, 1));
    CHECK(pv::to_vector(t) == std::vector<double>{4, 2, 3, 1});
    std::ranges::swap(t(0, 0), t(0, 1));
    CHECK(pv::to_vector(t) == std::vector<double>{2, 4, 3, 1});
    const auto words = pv::tensor({"a", "b"});
    std::swap(words(0), words(-1));
    CHECK(pv::to_vector(words) == std::vector<std::string>{"b", "a"});
}

TEST_CASE("algorithms change a tensor as they change a vector") {
    check_algorithms<double>();
    check_algorithms<std::string>();
}

} // namespace

} // namespace algorithms_test
