#include "engine/ways/way.hpp"

#include <support/allowing_ways.hpp>
#include <support/catch.hpp>
#include <support/own_reducers.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <tuple>
#include <vector>

// What a computation has prepared is a way like others: told, counted, forbidden, and of no influence on the bits.

namespace prepared_run_test {

namespace {

namespace pv = purview;
using oracle::Allowing;
using oracle::Random;
using pv::index_t;
using pv::engine::Way;
using pv::engine::Ways;

template <typename T>
std::vector<unsigned char> bits_of(const T& number) {
    std::vector<unsigned char> bits(sizeof number);
    std::memcpy(bits.data(), &number, sizeof number);
    return bits;
}
template <typename T>
std::vector<unsigned char> bits_of(const pv::MutableTensor<T>& x) {
    std::vector<unsigned char> all;
    for (const T& element : pv::to_vector(x))
        for (const unsigned char byte : bits_of(element)) all.push_back(byte);
    return all;
}

/// The bits of all outputs of a call.
template <typename C, typename... X>
std::vector<std::vector<unsigned char>> results(const C& c, const X&... x) {
    return std::apply([](const auto&... each) { return std::vector{bits_of(each)...}; }, c(x...));
}

/// Numbers whose sums round, in memory in some order of axes and direction.
template <typename T>
pv::Tensor<T> numbers(Random& random, index_t rows, index_t columns) {
    const bool transposed = random.one_in(3);
    auto x = transposed ? pv::empty<T>({columns, rows}) : pv::empty<T>({rows, columns});
    for (auto&& each : x) each = static_cast<T>(random.between(-900, 1000)) / T{7};
    pv::Tensor<T> view = x;
    if (transposed) view = pv::transpose(view);
    if (random.one_in(4)) view = pv::flip(view, 0);
    return view;
}

constexpr auto kOfEachKind = [](auto x, auto y, auto scale) {
    const auto centred = x - pv::mean(x);
    return std::tuple(pv::sum(pv::sq(x - y)), pv::max(x * y), pv::product(y / (abs(y) + 1)),
                      pv::sum(pv::transpose(x) * pv::transpose(y)), centred * scale + y,
                      pv::transpose(x) - scale, pv::sum(centred, 0), pv::concat(x + y, centred, 0));
};

std::size_t count(const std::string& text, const std::string& words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string::npos; at = text.find(words, at + 1))
        ++found;
    return found;
}

} // namespace

TEMPLATE_TEST_CASE("without what a computation has prepared it gives the same bits", "", float,
                   double, std::int64_t) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed) {
        Random random(seed);
        const index_t rows = random.between(1, 60), columns = random.between(1, 90);
        const auto c = pv::computation(kOfEachKind, pv::spec<T>({rows, columns}),
                                       pv::spec<T>({rows, columns}), pv::spec<T>());
        for (int call = 0; call < 3; ++call) {
            INFO("seed " << seed << ", call " << call);
            const auto x = numbers<T>(random, rows, columns);
            const auto y = numbers<T>(random, rows, columns);
            const auto scale = static_cast<T>(random.between(-9, 9));
            pv::engine::ways_taken() = {};
            const auto prepared = results(c, x, y, scale);
#ifndef NDEBUG
            CHECK(pv::engine::ways_taken().has(Way::prepared));
#endif
            const Allowing others(Ways::all().without(Way::prepared));
            pv::engine::ways_taken() = {};
            CHECK(results(c, x, y, scale) == prepared);
            CHECK_FALSE(pv::engine::ways_taken().has(Way::prepared));
        }
    }
}

TEMPLATE_TEST_CASE("products of factors at other addresses give the same bits", "", float, double,
                   std::int64_t) {
    using T = TestType;
    for (unsigned seed = 0; seed < oracle::rounds(100U); ++seed) {
        Random random(seed);
        const index_t rows = random.between(2, 90), columns = random.between(2, 70);
        const index_t width = random.between(2, 9);
        const auto own = numbers<T>(random, columns, width);
        const auto c = pv::computation(
            [=](auto a, auto b, auto v) {
                return std::tuple(pv::matmul(a, b), pv::matmul(a, v), pv::matmul(a, own),
                                  pv::matmul(pv::transpose(a), a), pv::matmul(a + a, b));
            },
            pv::spec<T>({rows, columns}), pv::spec<T>({columns, width}), pv::spec<T>({columns}));
        for (int call = 0; call < 3; ++call) {
            INFO("seed " << seed << ", call " << call);
            const auto a = numbers<T>(random, rows, columns);
            const auto b = numbers<T>(random, columns, width);
            const auto v = numbers<T>(random, columns, 2)(pv::all, 1);
            const auto prepared = results(c, a, b, v);
            for (const Way way : {Way::prepared, Way::product}) {
                const Allowing others(Ways::all().without(way));
                const auto without = results(c, a, b, v);
                if (way == Way::prepared) CHECK(without == prepared);
            }
            CHECK(results(c, a, b, v) == prepared);
            const auto found = std::get<0>(c(a, b, v));
            T sum{};
            for (index_t k = 0; k < columns; ++k) sum += a(rows - 1, k) * b(k, width - 1);
            CHECK(std::abs(found(rows - 1, width - 1) - sum) < 1);
        }
    }
}

TEST_CASE("explain names the way of each stage of a computation") {
    const auto x = pv::clone(pv::reshape(pv::arange(12.), {3, 4}));
    const auto c = pv::computation(
        [](auto t) {
            return std::tuple(pv::sum(pv::sq(t - pv::mean(t))), pv::max(t, 1), pv::cumsum(t));
        },
        pv::spec<double>({3, 4}));
    const std::string text = pv::explain(c, x);
    INFO(text);
    CHECK(
        text.starts_with("#purview.computation(float64[3 4])\n%0 = placeholder 0 float64[3 4]\n"));
    // The two sums of everything. The others are folds of rows, and a scan.
    CHECK(count(text, "\nstage ") == 4);
    CHECK(count(text, "way: ") == 4);
    CHECK(count(text, "bytes\n  way: prepared, ") + count(text, "output 0\n  way: prepared, ") ==
          2);
    CHECK(count(text, "max of float64 [3 4] to 3 elements\n") == 1);
    CHECK(count(text, "cumsum of float64 ") == 1);

    pv::engine::ways_taken() = {};
    c(x);
#ifndef NDEBUG
    for (const Way way : {Way::prepared, Way::lanes}) CHECK(pv::engine::ways_taken().has(way));
#endif
    {
        const Allowing others(Ways::parse("-prepared"));
        const std::string without = pv::explain(c, x);
        INFO(without);
        CHECK(count(without, "way: prepared") == 0);
        CHECK(count(without, "sum of float64 [12] to 1 element\n") +
                  count(without, "sum of float64 [3 4] to 1 element\n") ==
              2);
        pv::engine::ways_taken() = {};
        c(x);
        CHECK_FALSE(pv::engine::ways_taken().has(Way::prepared));
#ifndef NDEBUG
        CHECK(pv::engine::ways_taken().has(Way::flat));
#endif
    }
    // What cannot be moved to other addresses: no memory, and what is worth several threads.
    const auto sum = pv::computation([](auto t) { return pv::sum(t); }, pv::spec<double>({3, 4}));
    CHECK(count(pv::explain(sum, x), "way: prepared") == 1);
    CHECK(count(pv::explain(sum, x + 1.0), "way: prepared") == 0);
    CHECK_THROWS_AS(pv::explain(sum, pv::zeros({4, 3})), pv::ShapeError);
}

TEST_CASE("explain of a computation computes nothing") {
    int calls = 0;
    const auto c = pv::computation(
        [&](auto t) {
            return pv::max(pv::emap([&](double v) { return ++calls + v; }, t - pv::sum(t)), 0);
        },
        pv::spec<double>({5}));
    CHECK(pv::explain(c, pv::ones({5})).find("stage 1: ") != std::string::npos);
    CHECK(calls == 0);
}

TEST_CASE("explain of a computation with symbols of its own, of gathers and of other stages") {
    const auto weights = pv::variable(pv::ones({3, 4}), "weights");
    const auto x = pv::ones({3, 4});
    const auto c = pv::computation(
        [=](auto t) {
            auto scaled = t * weights;
            auto bits = pv::cast<std::int64_t>(pv::max(scaled, 1)) % std::int64_t{3};
            return std::tuple(pv::take(scaled, bits, 0), pv::reduce(t, oracle::spread_of()));
        },
        pv::spec<double>({3, 4}));
    const std::string text = pv::explain(c, x);
    INFO(text);
    CHECK(count(text, "= variable 'weights' float64[3 4]") == 1);
    CHECK(count(text, "\nstage ") == count(text, "way: "));
    CHECK(count(text, "way: by its own function") == 1);
}

TEST_CASE("explain says how the pieces of a result are computed") {
    const auto c = pv::computation([](auto t) { return pv::concat(t, t * 2., t + 1., 0); },
                                   pv::spec<double>({4}));
    CHECK(pv::explain(c, pv::ones({4})).find("way: in 3 pieces, one after the other, 3 of them") !=
          std::string::npos);
}

} // namespace prepared_run_test
