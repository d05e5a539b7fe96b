#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/applied/saved.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

// What is expected is what the same functions give at once for the number: distributions_test.cpp has
// that stream from another language.
namespace seed_symbols_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

/// Samples of all distributions and types.
auto samples(const pv::Shape& shape, const auto& seed) {
    return std::tuple(
        pv::random_uniform(shape, seed), pv::random_uniform<float>(shape, seed),
        pv::random_normal(shape, seed), pv::random_normal<float>(shape, seed, -3, 2.5),
        pv::random_exponential(shape, seed), pv::random_exponential<float>(shape, seed, 0.1),
        pv::random_poisson(shape, seed, 4.5), pv::random_poisson(shape, seed, 1000));
}
void check_one(const auto& result, const auto& expected) {
    CHECK(result.shape() == expected.shape());
    CHECK(pv::to_vector(result) == pv::to_vector(expected));
}
template <typename... X, typename... Y>
void check_same(const std::tuple<X...>& results, const std::tuple<Y...>& expected) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check_one(std::get<I>(results), std::get<I>(expected)), ...);
    }
    (std::index_sequence_for<X...>());
}
template <typename... Y>
void check_same(const std::vector<pv::AnyTensor>& results, const std::tuple<Y...>& expected) {
    REQUIRE(results.size() == sizeof...(Y));
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (check_one(results[I].template as<typename Y::value_type>(), std::get<I>(expected)), ...);
    }
    (std::index_sequence_for<Y...>());
}

const std::vector<std::uint64_t> kSeeds{0, 42, std::uint64_t{1} << 63,
                                        std::numeric_limits<std::uint64_t>::max()};

} // namespace

TEST_CASE("random samples of a symbol are those of its number") {
    // The last of more indexes than are in a table.
    for (const pv::Shape& shape :
         {pv::Shape{}, pv::Shape{1}, pv::Shape{3, 4}, pv::Shape{2, 0, 3}, pv::Shape{70'000, 2}}) {
        INFO("shape " << pv::to_string(shape));
        int traced = 0;
        const auto c = pv::computation(
            [&](auto seed) {
                ++traced;
                return samples(shape, seed);
            },
            pv::spec<std::uint64_t>());
        for (const std::uint64_t seed : kSeeds) check_same(c(seed), samples(shape, seed));
        CHECK(traced == 1);
    }
}

TEST_CASE("seeds are symbols of all integers, elements and what is computed of them") {
    const auto of_type = [&]<typename N>(N seed) {
        const auto c =
            pv::computation([](auto s) { return pv::random_normal({5}, s); }, pv::spec<N>());
        CHECK(pv::to_vector(c(seed)) ==
              pv::to_vector(pv::random_normal({5}, static_cast<std::uint64_t>(seed))));
    };
    of_type(std::int8_t{-3});
    of_type(std::uint8_t{200});
    of_type(std::int16_t{-300});
    of_type(std::uint16_t{60'000});
    of_type(std::int32_t{-7});
    of_type(std::uint32_t{4'000'000'000});
    of_type(std::numeric_limits<std::int64_t>::min());

    const auto several = pv::computation(
        [](auto seeds) {
            return std::tuple(
                pv::random_uniform({4}, seeds(1)), pv::random_uniform({4}, seeds(0) + 1),
                pv::random_poisson({4}, pv::sum(seeds), 2), pv::random_uniform({4}, 6));
        },
        pv::spec<std::int64_t>({2}));
    check_same(several(pv::tensor<std::int64_t>({5, 8})),
               std::tuple(pv::random_uniform({4}, 8), pv::random_uniform({4}, 6),
                          pv::random_poisson({4}, 13, 2), pv::random_uniform({4}, 6)));
}

TEST_CASE("a seed that is kept between calls is that of its last update") {
    const auto seed = pv::persistent(std::int64_t{1}, "seed");
    const auto x = pv::ones({20});
    const auto c =
        pv::computation([=](auto s) { return std::tuple(pv::dropout(s, 0.5, seed), seed + 1); },
                        pv::spec<double>({20}));
    for (const std::int64_t expected : {1, 2, 3}) {
        const auto [kept, next] = c(x);
        check_one(kept, pv::dropout(x, 0.5, expected));
        seed.update(next);
    }
}

TEST_CASE("samples of a symbol are reduced and viewed as other symbols are") {
    const auto f = [](const auto& x, const auto& seed) {
        const auto noise = pv::random_normal(x.shape(), seed);
        const auto counts = pv::random_poisson(x.shape(), seed, 9); // their sums are exact
        return std::tuple(pv::sum(counts, 0), pv::max(x + noise, 1), pv::flip(noise)(0, pv::all),
                          pv::transpose(counts) + 1);
    };
    const auto c = pv::computation(f, pv::spec<double>({pv::any_size, 3}), pv::spec<int>());
    for (const index_t rows : {1, 2, 50}) {
        const auto x = pv::clone(pv::random_uniform({rows, 3}, 1));
        check_same(c(x, 9), f(x, 9));
    }
}

TEST_CASE("dropout and random_like of a symbol are those of its number") {
    const auto check = [&]<typename T>(T, const pv::Shape& shape) {
        const auto x = pv::clone(pv::random_normal<T>(shape, 1));
        const auto f = [&](auto s, auto seed) {
            return std::tuple(pv::dropout(s, 0.25, seed), s | pv::dropout(0.5, seed),
                              pv::dropout(x, 0.25, seed), pv::random_like(s, seed),
                              x | pv::random_like(seed));
        };
        const auto c = pv::computation(f, pv::spec<T>(shape), pv::spec<std::uint64_t>());
        for (const std::uint64_t seed : kSeeds) check_same(c(x, seed), f(x, seed));
    };
    for (const pv::Shape& shape : {pv::Shape{}, pv::Shape{0}, pv::Shape{30, 7}}) {
        check(double{}, shape);
        check(float{}, shape);
    }
    const auto counts = pv::computation([](auto n, auto seed) { return pv::random_like(n, seed); },
                                        pv::spec<std::int32_t>({4}), pv::spec<std::int64_t>());
    CHECK(pv::to_vector(counts(pv::zeros<std::int32_t>({4}), 3)) ==
          pv::to_vector(pv::random_uniform({4}, 3)));
}

TEST_CASE("with dims, a symbol as a seed goes by the dims first, as a number does") {
    pv::Dim i;
    pv::Dim k;
    const auto f = [&](const auto& x, const auto& seed) {
        return (pv::dropout(x(k, i), 0.5, seed) + pv::random_like(x(i, k), seed)) | pv::order(i, k);
    };
    const auto x = pv::clone(pv::random_normal({4, 4}, 1));
    const auto square =
        pv::computation([&](auto s, auto seed) { return pv::Symbol<double>(f(s, seed)); },
                        pv::spec<double>({4, 4}), pv::spec<std::int64_t>());
    CHECK(pv::to_vector(square(x, 5)) == pv::to_vector(f(x, 5)));
}

TEST_CASE("a gradient through dropout of a symbol is that of its number") {
    const auto loss = [](const auto& w, const auto& x, const auto& seed) {
        const auto hidden = pv::dropout(pv::tanh(w * x), 0.4, seed);
        return pv::sum(pv::sq(hidden) * pv::random_normal({6, 5}, seed) +
                       w * pv::random_uniform({5}, seed));
    };
    const auto x = pv::clone(pv::random_normal({6, 5}, 1));
    const auto w = pv::clone(pv::random_normal({5}, 2));
    const auto by_w =
        pv::value_and_gradient(pv::computation([&](auto s, auto seed) { return loss(s, x, seed); },
                                               pv::spec<double>({5}), pv::spec<std::int64_t>()));
    for (const std::int64_t seed : {3, 4, -1}) {
        const auto frozen = pv::value_and_gradient(
            pv::computation([&](auto s) { return loss(s, x, static_cast<std::uint64_t>(seed)); },
                            pv::spec<double>({5})));
        const auto [value, slope] = by_w(w, seed);
        const auto [expected, expected_slope] = frozen(w);
        CHECK(value == expected);
        CHECK(pv::to_vector(slope) == pv::to_vector(expected_slope));
    }
    pv::check_gradient(
        pv::computation([&](auto s) { return loss(s, x, 3); }, pv::spec<double>({5})), w);
    // A seed that is computed of what is derived by: steps, of derivative 0.
    const auto of_seed = pv::gradient(pv::computation(
        [&](auto s) {
            return pv::sum(pv::dropout(s, 0.5, pv::sum(pv::cast<std::int64_t>(s))) *
                           pv::random_uniform({3}, pv::cast<std::int64_t>(s(0))));
        },
        pv::spec<double>({3})));
    const auto at = pv::tensor({7., 8., 9.});
    CHECK(pv::to_vector(of_seed(at)) ==
          pv::to_vector(pv::dropout(pv::ones({3}), 0.5, 24) * pv::random_uniform({3}, 7)));
}

TEST_CASE("computations over seeds are saved, loaded and called with other seeds") {
    const pv::Shape shape{3, 5};
    const auto x = pv::clone(pv::random_normal(shape, 1));
    const auto f = [&](const auto& s, const auto& seed) {
        return std::tuple_cat(samples(shape, seed), std::tuple(pv::dropout(s, 0.3, seed)));
    };
    const auto c = pv::computation(f, pv::spec<double>(shape), pv::spec<std::int64_t>());
    const std::string text = pv::computation_text(c);
    const std::string bytes = pv::computation_bytes(c);
    for (const std::string& saved : {text, bytes}) {
        const pv::AnyComputation again = pv::computation_from(saved);
        CHECK(pv::computation_text(again) == text);
        CHECK(pv::computation_bytes(again) == bytes);
        for (const std::int64_t seed : {0, 17, -5}) {
            check_same(again({x, pv::tensor(seed)}), f(x, static_cast<std::uint64_t>(seed)));
        }
    }
    // Of the parameters that a file may say, those are taken that the functions take.
    const auto edited = [&](const std::string& from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        return changed;
    };
    const auto other = pv::computation_from(edited("number float64 4.5", "number float64 5.5"));
    check_one(other({x, pv::tensor(std::int64_t{2})})[6].as<std::int64_t>(),
              pv::random_poisson(shape, 2, 5.5));
    for (const auto& [from, to] : {std::pair("number float64 4.5", "number float64 -1"),
                                   std::pair("number float64 4.5", "number float64 nan"),
                                   std::pair("number float64 1000", "number float64 1e300"),
                                   std::pair("number float64 2.5", "number float64 -2.5"),
                                   std::pair("number float64 0.1", "number float64 inf")})
        CHECK_THROWS_AS(pv::computation_from(edited(from, to)), pv::FormatError);
}

TEST_CASE("a printed computation tells of a seed that is the same at each call") {
    std::ostringstream printed;
    printed << pv::computation(
        [](auto x, auto seed) {
            return pv::dropout(x, 0.1, seed) + pv::random_normal<float>({2}, 42);
        },
        pv::spec<float>({2}), pv::spec<std::int64_t>());
    CHECK_THAT(printed.str(), ContainsSubstring("random_uniform"));
    CHECK_THAT(printed.str(), ContainsSubstring("tensor float32[2] of the seed 42 at each call"));
}

TEST_CASE("what is no seed is refused by its type and shape") {
    const auto with = [](auto spec) {
        return [spec] {
            pv::computation([](auto seed) { return pv::random_uniform({3}, seed); }, spec);
        };
    };
    CHECK_THROWS_AS(with(pv::spec<double>())(), pv::DtypeError);
    CHECK_THROWS_WITH(with(pv::spec<double>())(),
                      "seed: one integer is asked for, of rank 0, and float64[] is given");
    CHECK_THROWS_AS(with(pv::spec<bool>())(), pv::DtypeError);
    CHECK_THROWS_AS(with(pv::spec<std::int64_t>({1}))(), pv::ShapeError);
    CHECK_THROWS_WITH(with(pv::spec<std::int64_t>({2, 3}))(),
                      "seed: one integer is asked for, of rank 0, and int64[2 3] is given");
    const auto c = [](auto f) { return [f] { pv::computation(f, pv::spec<std::int64_t>()); }; };
    CHECK_THROWS_WITH(c([](auto s) { return pv::random_normal({3}, s, 0, -1); })(),
                      "random_normal: a mean of 0 and a deviation of -1");
    CHECK_THROWS_AS(c([](auto s) { return pv::random_exponential({3}, s, -1); })(), pv::Error);
    CHECK_THROWS_WITH(c([](auto s) { return pv::random_poisson({3}, s, -1); })(),
                      "random_poisson: the rate -1 is not in [0, 2^32]");
    CHECK_THROWS_WITH(c([](auto s) { return pv::dropout(pv::ones({3}), 1.0, s); })(),
                      "dropout: the rate 1 is not in [0, 1)");
    CHECK_THROWS_AS(c([](auto s) { return pv::random_uniform({-3}, s); })(), pv::ShapeError);
}

} // namespace seed_symbols_test
