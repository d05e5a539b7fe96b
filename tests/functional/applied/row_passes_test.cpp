// Computations over arrays in chunks whose stages go row by row are taken together: each chunk is read once.

#include "support/catch.hpp"
#include "support/random_choice.hpp"
#include "support/rounds.hpp"
#include "support/settings.hpp"

#include <purview/functional/applied/gradient.hpp>
#include <purview/purview.hpp>

#include <functional>
#include <iterator>
#include <string>
#include <tuple>

namespace pv = purview;
using oracle::Random;
using pv::index_t;

namespace {

using Symbol = pv::Symbol<double>;
using Loss = std::function<pv::ScalarSymbol<double>(Symbol w, Symbol x, Symbol y)>;

auto with_gradients(const Loss& loss, index_t n, index_t k) {
    return pv::value_and_gradient(pv::computation(loss, pv::spec<double>({k}),
                                                  pv::spec<double>({n, k}), pv::spec<double>({n})));
}

bool differ_by_rounding(const pv::Tensor<double>& a, const pv::Tensor<double>& b) {
    return pv::allclose(a, b, {.relative = 1e-9, .absolute = 1e-9});
}

const Loss kLosses[] = {
    [](Symbol w, Symbol x, Symbol y) { return pv::mean(pv::sq(pv::matmul(x, w) - y)); },
    [](Symbol w, Symbol x, Symbol y) {
        return pv::sum(pv::log1p(pv::exp(-y * pv::matmul(x, w)))) + pv::sum(pv::sq(w));
    },
    [](Symbol w, Symbol x, Symbol y) { // reads the means of all rows first
        const auto centred = x - pv::mean(x, 0);
        return pv::variance(pv::matmul(centred, w) - y);
    },
    [](Symbol w, Symbol x, Symbol y) { return pv::sum(pv::logsumexp(x + w, 1) * y) + pv::min(x); },
    [](Symbol w, Symbol x, Symbol y) {
        const auto hidden = pv::tanh(x * w);
        return pv::max(pv::sum(hidden, 0)) + pv::mean(pv::sum(pv::softmax(hidden, 1) * w, 1) * y);
    },
    [](Symbol w, Symbol x, Symbol y) { // not row by row
        return pv::sum(pv::flip(x, {0}) * x * w) + pv::sum(pv::cumsum(y));
    },
};

} // namespace

TEST_CASE("computations over rows of chunks are those in memory") {
    Random random(3);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const index_t n = random.between(1, 40), k = random.between(1, 6);
        const auto a = pv::clone(pv::random_normal({n, k}, 1 + round));
        const auto b = pv::clone(pv::random_normal({n}, 2 + round));
        const auto w = pv::clone(pv::random_normal({k}, 3 + round));
        const pv::Shape chunk{random.between(1, 12), random.between(1, 6)};
        const auto x = pv::chunked(a, chunk);
        const auto y = pv::chunked(b, {random.between(1, 12)});
        CAPTURE(n, k, pv::to_string(chunk), round);
        const auto f =
            with_gradients(kLosses[static_cast<std::size_t>(round) % std::size(kLosses)], n, k);
        const auto [value, by_w, by_x, by_y] = f(w, a, b);
        const auto same = [&](const auto& found) {
            const auto& [value_, by_w_, by_x_, by_y_] = found;
            CHECK(value_ == Approx(value).epsilon(1e-9).margin(1e-9));
            CHECK(differ_by_rounding(by_w_, by_w));
            CHECK(differ_by_rounding(by_x_, by_x));
            CHECK(differ_by_rounding(by_y_, by_y));
        };
        same(f(w, x, y));
        same(f(w, x, b));
        same(f(w, x * 2 / 2, y)); // an expression over chunks
        const oracle::MemoryLimit limit(16384);
        same(f(w, x, y));
    }
}

TEST_CASE("a gradient over rows of chunks reads each chunk once") {
    const index_t n = 1000, k = 8;
    const auto a = pv::clone(pv::random_normal({n, k}, 1));
    const auto b = pv::clone(pv::random_normal({n}, 2));
    const auto w = pv::clone(pv::random_normal({k}, 3));
    const auto x = pv::chunked(a, {100, k});
    const auto y = pv::chunked(b, {50});
    // Of 64 KiB in chunks of 6,400 bytes: no pass finds what the one before has read.
    const oracle::MemoryLimit limit(30000);
    const auto reads = [&](const auto& call) {
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        call();
        return pv::chunk_statistics().chunks_read;
    };
    const auto of_weights = [&](const Loss& loss) {
        return pv::computation(
            [=](Symbol v, Symbol s, Symbol t) {
                const auto l = loss(v, s, t);
                return std::tuple(l, pv::gradient(l, v));
            },
            pv::spec<double>({k}), pv::spec<double>({n, k}), pv::spec<double>({n}));
    };
    CHECK(reads([&] { of_weights(kLosses[0])(w, x, y); }) == 10 + 20);
    CHECK(reads([&] { of_weights(kLosses[1])(w, x, y); }) == 10 + 20);
    CHECK(reads([&] { of_weights(kLosses[2])(w, x, y); }) <=
          3 * 10 + 3 * 20); // means, variance, rest
    const auto captured = pv::computation(
        [&](Symbol v) {
            const auto l = pv::sum(pv::sq(pv::matmul(x, v) - y));
            return std::tuple(l, pv::gradient(l, v));
        },
        pv::spec<double>({k}));
    CHECK(reads([&] { captured(w); }) == 10 + 20);
    CHECK_THAT(pv::explain(captured, w),
               Catch::Matchers::ContainsSubstring("block by block of rows"));
    // Rows whose chunks have no room in a quarter of the limit are read stage by stage.
    const oracle::MemoryLimit more(100000);
    const auto wide = pv::chunked(a, {500, 2});
    const auto alone = of_weights(kLosses[0]);
    CHECK_FALSE(pv::explain(alone, w, wide, y).find("block by block of rows") != std::string::npos);
    CHECK(differ_by_rounding(std::get<1>(alone(w, wide, y)), std::get<1>(alone(w, a, b))));
}

TEST_CASE("sums over rows of chunks have the same bits for any limit and number of threads") {
    const index_t n = 3000, k = 5;
    const auto x = pv::chunked(pv::clone(pv::random_normal<float>({n, k}, 1)), {128, k});
    const auto w = pv::clone(pv::random_normal<float>({k}, 3));
    const auto c = pv::computation(
        [](auto v, auto s) {
            const auto l = pv::sum(pv::exp(pv::matmul(s, v)));
            return std::tuple(l, pv::gradient(l, v));
        },
        pv::spec<float>({k}), pv::spec<float>({n, k}));
    const auto [value, by_w] = c(w, x);
    for (const index_t bytes : {20000, 1 << 20})
        for (const int threads : {1, 2, 5}) {
            const oracle::MemoryLimit limit(bytes);
            const oracle::Threads on(threads);
            const auto [value_, by_w_] = c(w, x);
            CHECK(value_ == value);
            CHECK(pv::equals(by_w_, by_w));
        }
}
