#include <support/catch.hpp>
#include <support/settings.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/reductions/statistics.hpp>

#include <atomic>
#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace parallel_test {

// Evaluations that use several threads, and those that must not. Sizes are such that threads pay.

namespace {

namespace pv = purview;
using oracle::Threads;

template <typename X>
auto values_on(int threads, const X& x) {
    const Threads chosen(threads);
    return pv::to_vector(pv::clone(x));
}

constexpr pv::index_t kSide = 1100;

} // namespace

TEST_CASE("results do not depend on the number of threads") {
    const auto x = pv::reshape(pv::linspace(-3.0, 7.0, kSide * kSide), {kSide, kSide});
    const auto y = pv::transpose(x) * 2.0;
    const auto same = [](const auto& expression) {
        const auto alone = values_on(1, expression);
        CHECK(values_on(2, expression) == alone);
        CHECK(values_on(5, expression) == alone);
    };
    same(pv::sqrt(pv::abs(x)) + y);
    same(pv::where(x < y, x, y));
    same(pv::rotate(x, {5, 1000}) - pv::flip(x, {1}));
    same(pv::cast<std::int32_t>(x) % 7);
    same(pv::emap([](double value) { return value * value + 1; }, x));
    same(pv::compute_tensor({kSide, kSide}, [](pv::index_t i, pv::index_t j) { return i - j; }) +
         pv::cast<std::int64_t>(x));
    same(x(pv::new_axis, pv::all, pv::range(0, 3)) * 2.0);
}

TEST_CASE("reductions do not depend on the number of threads, to the last bit") {
    const auto same = [](auto reduce) {
        const auto result = [&](int threads) {
            const Threads chosen(threads);
            return reduce();
        };
        const auto alone = result(1);
        for (const int count : {2, 3, 8}) CHECK(result(count) == alone);
    };
    for (const pv::index_t size : {300'000, 1'048'576, 2'000'003, 2'097'153}) {
        const auto x = pv::linspace(-1.0, 2.0, size);
        const auto y = pv::cast<float>(x * x);
        same([&] { return pv::sum(pv::sq(x) * x); });
        same([&] { return pv::sum(y); });
        same([&] { return pv::product(1.0 + x * 1e-6); });
        same([&] { return pv::max(pv::abs(x)); });
        same([&] { return pv::all_of(x < 2.5); });
        same([&] { return pv::sum(pv::cast<std::int32_t>(x * 100.0)); });
        same([&] { return pv::sum(pv::emap([](double v) { return v * 3; }, x)); });
    }
    const auto matrix = pv::reshape(pv::linspace(0.1, 0.7, kSide * kSide), {kSide, kSide});
    const auto inner = matrix(pv::range(1, kSide), pv::range(0, kSide - 7));
    same([&] { return pv::sum(inner); });
    same([&] {
        return pv::sum(inner + pv::transpose(matrix)(pv::range(1, kSide), pv::range(0, kSide - 7)));
    });
    for (const pv::index_t axis : {0, 1}) {
        same([&] { return pv::to_vector(pv::sum(pv::sqrt(inner), {axis})); });
        same([&] { return pv::to_vector(pv::min(inner, {axis})); });
    }
}

TEST_CASE("statistics do not depend on the number of threads, to the last bit") {
    const auto same = [](auto statistic) {
        const auto result = [&](int threads) {
            const Threads chosen(threads);
            return statistic();
        };
        const auto alone = result(1);
        for (const int count : {2, 3, 8}) CHECK(result(count) == alone);
    };
    const auto flat = pv::clone(pv::sqrt(pv::linspace(0.1, 0.7, kSide * kSide)));
    const auto matrix = pv::reshape(flat, {kSide, kSide});
    const auto inner = matrix(pv::range(1, kSide), pv::range(0, kSide - 7));
    const auto repeating = pv::cast<std::int32_t>(pv::arange(kSide * kSide)) % 1000;
    same([&] { return pv::argmax(flat * (1.0 - flat)); });
    same([&] { return pv::argmin(pv::transpose(inner)); });
    same([&] { return pv::argmax(repeating); });
    same([&] { return pv::argmin(pv::transpose(pv::reshape(repeating, {kSide, kSide}))); });
    same([&] { return pv::variance(flat); });
    same([&] { return pv::standard_deviation(pv::sqrt(inner)); });
    same([&] { return pv::variance(pv::cast<float>(inner)); });
    same([&] { return pv::count_true(inner < 0.5); });
    same([&] {
        return pv::count_true(pv::transpose(inner) + 0.0 <
                              matrix(pv::range(7, kSide), pv::range(1, kSide)));
    });
    for (const pv::index_t axis : {0, 1}) {
        same([&] { return pv::to_vector(pv::argmax(inner, {axis})); });
        same([&] { return pv::to_vector(pv::variance(inner, {axis})); });
        same([&] { return pv::to_vector(pv::count_true(inner < 0.6, {axis})); });
    }
}

TEST_CASE("sums over outer axes do not depend on the number of threads") {
    const auto same = [](auto reduce) {
        const auto result = [&](int threads) {
            const Threads chosen(threads);
            return pv::to_vector(reduce());
        };
        const auto alone = result(1);
        for (const int count : {2, 3, 8}) CHECK(result(count) == alone);
    };
    for (const pv::Shape& shape :
         {pv::Shape{1100, 1000}, pv::Shape{129, 5000}, pv::Shape{7, 150'001}, pv::Shape{3, 2050},
          pv::Shape{20'000, 64}}) {
        const auto x = pv::reshape(pv::linspace(-1.0, 2.0, shape[0] * shape[1]), shape);
        same([&] { return pv::sum(pv::sqrt(pv::abs(x)), {0}); });
        same([&] { return pv::max(x * (1.0 - x), {0}); });
    }
    const auto cube =
        pv::clone(pv::reshape(pv::linspace(-1.0, 2.0, 90 * 130 * 110), {90, 130, 110}));
    for (const pv::index_t axis : {0, 1, 2}) same([&] { return pv::sum(cube * cube, {axis}); });
    same([&] { return pv::sum(cube, {0, 2}); });
    same([&] { return pv::sum(cube, {0, 1}); });
    same([&] { return pv::sum(pv::cast<float>(cube), {1}); });
}

TEST_CASE("reductions by panels do not depend on the number of threads") {
    const auto same = [](auto reduce) {
        const auto result = [&](int threads) {
            const Threads chosen(threads);
            return reduce();
        };
        const auto alone = result(1);
        for (const int count : {2, 3, 8}) CHECK(result(count) == alone);
    };
    for (const pv::index_t side : {500, 1027}) {
        const auto x = pv::clone(pv::reshape(pv::linspace(0.1, 0.9, side * side), {side, side}));
        same([&] { return pv::sum(x + pv::transpose(x)); });
        same([&] { return pv::sum(pv::sqrt(x) * pv::transpose(x)); });
        same([&] { return pv::max(pv::cast<float>(x) - pv::transpose(pv::cast<float>(x))); });
    }
    const auto cube = pv::clone(pv::reshape(pv::linspace(0.1, 0.9, 5 * 203 * 701), {5, 203, 701}));
    const auto turned = pv::clone(pv::transpose(cube, {0, 2, 1}));
    same([&] { return pv::sum(cube * pv::transpose(turned, {0, 2, 1})); });
}

TEST_CASE("a function that throws in a reduction is heard of once") {
    const Threads two(2);
    const auto x = pv::arange(1'000'000.0);
    const auto failing = pv::emap(
        [](double value) {
            if (value == 777'777) throw std::runtime_error("no such element");
            return value;
        },
        x);
    for (int round = 0; round < 3; ++round) CHECK_THROWS_AS(pv::sum(failing), std::runtime_error);
    CHECK(pv::sum(x) == 999'999.0 * 500'000);
}

TEST_CASE("destinations of every layout are written by several threads") {
    const Threads two(2);
    const auto x = pv::reshape(pv::arange(kSide * kSide), {kSide, kSide});
    const auto whole = pv::zeros<double>({2 * kSide, kSide});
    pv::copy(x * 3, whole(pv::range(0, 2 * kSide, 2), pv::all));
    pv::copy(x + 1, pv::transpose(whole(pv::range(1, 2 * kSide, 2), pv::all)));
    bool right = true;
    for (pv::index_t i = 0; i < kSide; ++i)
        for (pv::index_t j = 0; j < kSide; ++j)
            right = right && whole(2 * i, j) == 3.0 * static_cast<double>(i * kSide + j) &&
                    whole(2 * i + 1, j) == static_cast<double>(j * kSide + i + 1);
    CHECK(right);
}

TEST_CASE("an exception of a user's function arrives once, and the library stays usable") {
    const Threads two(2);
    const auto x = pv::arange(2'000'000);
    const auto out = pv::zeros<double>({2'000'000});
    const auto failing = pv::emap(
        [](pv::index_t i) {
            if (i % 1000 == 999) throw std::runtime_error("no such element");
            return static_cast<double>(i);
        },
        pv::cast<pv::index_t>(x));
    for (int round = 0; round < 5; ++round)
        CHECK_THROWS_AS(pv::copy(failing, out), std::runtime_error);
    const auto reader = pv::make_reader(2'000'000, [](pv::index_t i) {
        if (i == 1'234'567) throw std::out_of_range("broken block");
        return 1.0;
    });
    CHECK_THROWS_AS(pv::clone(pv::tensor(reader) * 2.0), std::out_of_range);
    CHECK(pv::sum(pv::clone(x * 2)) == 2'000'000LL * 1'999'999);
}

TEST_CASE("the element that does not fit is the first one, however many threads look") {
    const Threads two(2);
    const auto x = pv::zeros<double>({3'000'000});
    x(1'500'001) = 300;
    x(2'999'999) = std::numeric_limits<double>::quiet_NaN();
    for (int round = 0; round < 5; ++round)
        CHECK_THROWS_WITH(pv::clone(pv::cast<std::uint8_t>(x)),
                          "value 300 at index 1500001 does not fit uint8");
}

TEST_CASE("a reader that is not thread-safe is read from the caller's thread alone") {
    const Threads two(2);
    const std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> elsewhere{0};
    const auto reader = pv::make_reader(
        2'000'000,
        [&](pv::index_t i) {
            if (std::this_thread::get_id() != caller) ++elsewhere;
            return static_cast<double>(i);
        },
        pv::ThreadSafety::none);
    const auto x = pv::tensor(reader);
    CHECK(pv::clone(x + 1.0)(1'999'999) == 2'000'000);
    CHECK(pv::sum(x) == 1'999'999.0 * 1'000'000);
    pv::copy(x, pv::zeros<double>({2'000'000}));
    CHECK(elsewhere == 0);
}

TEST_CASE("a user's reader may evaluate while it is read by several threads") {
    const Threads two(2);
    const auto inner = pv::arange(300'000.0);
    const auto reader = pv::make_reader(
        4000, [&](pv::index_t i) { return i % 500 == 0 ? pv::sum(inner * 2.0) : 0.0; });
    CHECK(pv::sum(pv::tensor(reader)) == 8 * 300'000.0 * 299'999);
}

TEST_CASE("the number of threads is checked, and can be asked for") {
    CHECK_THROWS_AS(pv::set_threads(-1), pv::Error);
    {
        const Threads one(1);
        CHECK(pv::threads() == 1);
        const Threads three(3);
        CHECK(pv::threads() <= 3);
    }
    CHECK(pv::threads() >= 1);
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    const auto x = pv::ones<double>({1'000'000});
    for (int id = 0; id < 3; ++id)
        callers.emplace_back([&, id] {
            for (int round = 0; round < 10; ++round) {
                pv::set_threads(1 + (id + round) % 3);
                if (pv::sum(pv::clone(x + 1.0)) != 2'000'000) ++wrong;
            }
        });
    for (std::thread& caller : callers) caller.join();
    pv::set_threads(0);
    CHECK(wrong == 0);
}

} // namespace parallel_test
