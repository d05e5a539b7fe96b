#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/random_source.hpp>
#include <support/random_state.hpp>
#include <support/rounds.hpp>
#include <support/same_bits.hpp>
#include <support/settings.hpp>

#include "evaluation/loops/tiled_steps.hpp"

#include <purview/dims.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What is expected are the bits of single steps.
namespace time_tiles_test {

namespace {

namespace pv = purview;
using oracle::random_state;
using pv::index_t;

/// Small caches, so that small states are cut into tiles.
struct Tiles {
    explicit Tiles(const pv::TileSizes& sizes) { pv::set_tile_sizes(sizes); }
    ~Tiles() { pv::set_tile_sizes({}); }
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;
};

/// `u` without `before` elements at the beginning and `behind` at the end of an axis.
template <typename U>
auto without_ends(const U& u, index_t axis, index_t before, index_t behind) {
    const index_t n = u.shape()[static_cast<std::size_t>(axis)];
    const auto range = pv::range(before, n - behind);
    switch (axis) {
    case 0: return u(range, pv::ellipsis);
    case 1: return u(pv::all, range, pv::ellipsis);
    case 2: return u(pv::all, pv::all, range, pv::ellipsis);
    default: return u(pv::all, pv::all, pv::all, range);
    }
}

/// What a random step does: terms at offsets along axes, round these or between borders.
struct RandomStep {
    struct Term {
        double factor;
        std::vector<index_t> offsets;
    };
    std::vector<Term> terms;
    std::vector<index_t> most; ///< of offsets along each axis; 0 where none is
    bool has_borders;
    bool is_clamped;
    double border;

    RandomStep(oracle::Random& random, const pv::Shape& shape)
        : most(shape.size(), 0),
          has_borders(random.one_in(2)),
          is_clamped(random.one_in(3)),
          border(static_cast<double>(random.between(-4, 4)) / 4) {
        for (index_t i = random.between(1, 6); i > 0; --i) {
            Term term{static_cast<double>(random.between(-8, 8)) / 32, {}};
            for (std::size_t a = 0; a < shape.size(); ++a) {
                const index_t far = std::min<index_t>(2, (shape[a] - 1) / 3);
                term.offsets.push_back(random.one_in(2) ? 0 : random.between(-far, far));
                most[a] = std::max(most[a], std::abs(term.offsets.back()));
            }
            terms.push_back(std::move(term));
        }
    }

    template <typename U>
    auto operator()(const U& u) const {
        using T = typename U::value_type;
        auto at = [&](const Term& term) {
            auto moved = u * T{1};
            for (std::size_t a = 0; a < most.size(); ++a) {
                const auto axis = static_cast<index_t>(a);
                if (has_borders && most[a] > 0)
                    moved = without_ends(moved, axis, most[a] + term.offsets[a],
                                         most[a] - term.offsets[a]);
                else if (term.offsets[a] != 0)
                    moved = pv::roll(moved, -term.offsets[a], axis) * T{1};
            }
            return moved * static_cast<T>(term.factor);
        };
        auto sum = at(terms[0]) * T{1};
        for (std::size_t i = 1; i < terms.size(); ++i) sum = sum + at(terms[i]) * T{1};
        auto next = sum * T{1};
        if (has_borders) {
            pv::PadWidths widths;
            for (const index_t width : most) widths.push_back({width, width});
            next = pv::pad(next, widths, pv::PadMode::constant, static_cast<T>(border)) * T{1};
        }
        if (is_clamped) return pv::clamp(next + u / T{2}, T{-3}, T{3}) * T{1};
        return next + u / T{2};
    }
};

template <typename T>
void check_random(unsigned seed) {
    oracle::Random random(seed);
    pv::Shape shape;
    const index_t rank = random.between(1, 4);
    const index_t longest = rank == 1 ? 400 : rank == 2 ? 40 : rank == 3 ? 14 : 8;
    for (index_t a = 0; a < rank; ++a) shape.push_back(random.between(longest / 2, longest));
    const RandomStep step(random, shape);
    const auto first = random_state<T>(random, shape);
    const index_t steps = random.between(2, 24);
    const index_t bytes = first.size() * index_t{sizeof(T)};
    // From 2 * bytes on, states stay in the cache.
    const Tiles tiles({.cache_bytes = random.between(bytes / 4, 3 * bytes),
                       .together_bytes = random.between(1, bytes / 4),
                       .blocks = random.between(1, 4)});
    const oracle::Threads threads(static_cast<int>(random.between(1, 3)));
    CAPTURE(seed, pv::to_string(shape), steps, step.has_borders, step.terms.size());
    const auto found = pv::iterate(step, first, steps);
    auto expected = pv::clone(first);
    for (index_t i = 0; i < steps; ++i) expected = pv::clone(step(expected));
    oracle::expect_same_bits<T>(found, expected);
}

} // namespace

TEST_CASE("Steps in tiles give the bits of single steps", "[loops]") {
    for (unsigned seed = 0; seed < oracle::rounds(800U); ++seed) {
        check_random<double>(seed);
        check_random<float>(seed + 100'000);
    }
}

TEST_CASE("Several states, and what is only read, go through tiles", "[loops]") {
    oracle::Random random(7);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const pv::Shape shape{random.between(8, 40), random.between(8, 30)};
        const auto u = random_state<double>(random, shape);
        const auto v = random_state<double>(random, shape);
        const auto speed = random_state<double>(random, shape);
        const auto column = random_state<double>(random, {shape[1]});
        const index_t steps = random.between(2, 20);
        const bool is_ring = random.one_in(2);
        const auto step = [&](const auto& now, const auto& before) {
            const auto shifted = [&](index_t by, index_t axis) {
                if (is_ring) return pv::roll(now, by, axis) * 1.;
                auto rest = without_ends(now, axis, by < 0 ? 1 : 0, by > 0 ? 1 : 0) * 1.;
                pv::PadWidths widths{{0, 0}, {0, 0}};
                widths[static_cast<std::size_t>(axis)] = {by > 0 ? 1 : 0, by < 0 ? 1 : 0};
                return pv::pad(rest, widths, pv::PadMode::constant, 0.25) * 1.;
            };
            auto around =
                shifted(1, 0) + shifted(-1, 0) + shifted(1, 1) + shifted(-1, 1) - 4. * now;
            return std::tuple(2. * now - before + speed * 0.01 * around + column * 0.001,
                              now + 0. * before);
        };
        const Tiles tiles({.cache_bytes = (random.one_in(2) ? 4 : 100) * u.size(),
                           .together_bytes = random.between(1, 4000),
                           .blocks = random.between(1, 3)});
        const auto [a, b] = pv::iterate(step, std::tuple(u, v), steps);
        auto p = pv::clone(u), q = pv::clone(v);
        for (index_t i = 0; i < steps; ++i) {
            auto [next, last] = step(p, q);
            auto fixed = pv::clone(next);
            q = pv::clone(last);
            p = fixed;
        }
        CAPTURE(round, steps, is_ring);
        oracle::expect_same_bits<double>(a, p);
        oracle::expect_same_bits<double>(b, q);
    }
}

TEST_CASE("States that follow others are neither computed nor copied", "[loops]") {
    oracle::Random random(11);
    for (int round = 0; round < oracle::rounds(120); ++round) {
        const pv::Shape shape{random.between(8, 40), random.between(4, 20)};
        const auto a = random_state<float>(random, shape);
        const auto b = random_state<float>(random, shape);
        const auto c = random_state<float>(random, shape);
        const index_t steps = random.between(1, 20);
        const bool last_moves = random.one_in(2);
        const auto step = [&](const auto& x, const auto& y, const auto& z) {
            auto next = 0.5F * x + 0.25F * pv::roll(y, 1, 0) - 0.125F * z +
                        0.25F * pv::roll(x, -1, 0) + pv::roll(x, 1, 1) * 0.125F;
            if (last_moves) return std::tuple(next - 0.25F * pv::roll(z, 1, 1), x * 1.F, y * 1.F);
            return std::tuple(next * 1.F, x * 1.F, y * 1.F);
        };
        // The same with x and y as they are.
        const auto following = [&](const auto& x, const auto& y, const auto& z) {
            return std::tuple(std::get<0>(step(x, y, z)), x, y);
        };
        auto p = pv::clone(a), q = pv::clone(b), r = pv::clone(c);
        for (index_t i = 0; i < steps; ++i) {
            const auto [next, second, third] = step(p, q, r);
            auto fixed = pv::clone(next), before = pv::clone(second);
            r = pv::clone(third);
            p = fixed;
            q = before;
        }
        CAPTURE(round, steps, last_moves);
        const auto check = [&, &p = p, &q = q, &r = r] {
            const auto [x, y, z] = pv::iterate(following, std::tuple(a, b, c), steps);
            oracle::expect_same_bits<float>(x, p);
            oracle::expect_same_bits<float>(y, q);
            oracle::expect_same_bits<float>(z, r);
        };
        check();
        const Tiles tiles({.cache_bytes = 5 * a.size(),
                           .together_bytes = random.between(1, 2000),
                           .blocks = random.between(1, 3)});
        check();
        const auto [x, taken] = pv::iterate_while(
            following, std::tuple(a, b, c), [](auto now, auto...) { return pv::min(now) < 1e30F; },
            {.most = steps, .or_else = pv::Ended::last});
        CHECK(taken == steps);
        oracle::expect_same_bits<float>(std::get<2>(x), r);
    }
    // Another state reads the last of a chain.
    const auto u = random_state<double>(random, {60, 50});
    const Tiles tiles({.cache_bytes = 20'000, .together_bytes = 2000});
    const auto [a, b, c] =
        pv::iterate([](auto x, auto y, auto z) { return std::tuple(x * 0.5 + z, x, y * 0.9); },
                    std::tuple(u, pv::clone(u * 2), pv::clone(u * 3)), 7);
    auto p = pv::clone(u), q = pv::clone(u * 2), r = pv::clone(u * 3);
    for (int i = 0; i < 7; ++i) {
        auto next = pv::clone(p * 0.5 + r);
        r = pv::clone(q * 0.9);
        q = p;
        p = next;
    }
    oracle::expect_same_bits<double>(a, p);
    oracle::expect_same_bits<double>(b, q);
    oracle::expect_same_bits<double>(c, r);
    const auto swapped =
        pv::iterate([](auto x, auto y) { return std::tuple(y, x); }, std::tuple(1, 2), 5);
    CHECK(swapped == std::tuple(2, 1));
    const auto turned = pv::iterate([](auto x, auto y, auto z) { return std::tuple(y, z, x); },
                                    std::tuple(1, 2, 3), 4);
    CHECK(turned == std::tuple(2, 3, 1));
    const auto ended =
        pv::iterate_while([](auto x, auto y) { return std::tuple(x + y, x); }, std::tuple(1, 0),
                          [](auto x, auto) { return x < 50; }, {.most = 100});
    CHECK(ended == std::pair(std::tuple(55, 34), index_t{9}));
}

TEST_CASE("States are shown and kept between tiles", "[loops]") {
    const auto u = pv::clone(pv::sin(pv::arange(3000.)));
    const auto step = [](const auto& x) {
        return x + 0.1 * (pv::roll(x, 1, 0) + pv::roll(x, -1, 0) - 2. * x);
    };
    const Tiles tiles({.cache_bytes = 4000, .together_bytes = 100});
    std::vector<pv::MutableTensor<double>> shown;
    const auto last =
        pv::iterate(step, u, 25,
                    {.every = 10, .call = [&](index_t, const auto& now) { shown.push_back(now); }});
    auto now = pv::clone(u);
    for (index_t i = 1; i <= 25; ++i) {
        now = pv::clone(step(now));
        if (i % 10 == 0)
            oracle::expect_same_bits<double>(shown[static_cast<std::size_t>(i / 10 - 1)], now);
    }
    oracle::expect_same_bits<double>(last, now);
    CHECK(shown.size() == 2);
    const auto loss = [&](auto loop) {
        return pv::gradient(pv::computation([=](auto x) { return pv::sum(pv::sq(loop(x))); },
                                            pv::spec<double>({3000})));
    };
    const auto found = loss([&](auto x) { return pv::iterate(step, x, 25); })(u);
    const auto expected = loss([&](auto x) {
        auto each = x * 1.;
        for (int i = 0; i < 25; ++i) each = step(each);
        return each;
    })(u);
    CHECK(pv::max(pv::abs(found - expected)) < 1e-12);
}

TEST_CASE("States of chunks beyond the memory limit lie in files", "[loops]") {
    oracle::Random random(5);
    const auto u = random_state<double>(random, {400, 300});
    const auto v = random_state<double>(random, {400, 300});
    const auto speed = pv::clone(0.001 * random_state<double>(random, {400, 300}));
    const auto wave = [&](auto weight) {
        return [=](const auto& now, const auto& before) {
            auto around =
                pv::roll(now, 1, 0) + pv::roll(now, -1, 0) + pv::roll(now, 2, 1) - 3. * now;
            return std::tuple(2. * now - before + weight * around, now);
        };
    };
    const auto all = [](const auto& now) { return now - pv::mean(now, {0}, pv::keep_dims) * 0.5; };
    for (const index_t steps : {1, 2, 9, 30}) {
        const auto expected = pv::iterate(wave(speed), std::tuple(u, v), steps);
        const auto centred = pv::iterate(all, u, steps);
        for (const index_t limit : {index_t{256} << 10, index_t{900} << 10, index_t{64} << 20}) {
            CAPTURE(steps, limit);
            const auto chunks = pv::chunked(u, {64, 100});
            const auto other = pv::chunked(v, {100, 64});
            const auto slow = pv::chunked(speed, {50, 50});
            const oracle::MemoryLimit memory(limit);
            const auto found = pv::iterate(wave(slow), std::tuple(chunks, other), steps);
            oracle::expect_same_bits(found, expected);
            oracle::expect_same_bits<double>(pv::iterate(all, chunks, steps), centred);
        }
    }
    const auto chunks = pv::chunked(u, {64, 100});
    const oracle::MemoryLimit memory(index_t{256} << 10);
    const oracle::TemporaryLimit temporary(100'000);
    CHECK_THROWS_AS(pv::iterate(wave(0.1), std::tuple(chunks, v), 3), pv::MemoryLimitError);
}

TEST_CASE("A loop says how its steps are taken, and why", "[loops]") {
    const Tiles tiles({.cache_bytes = 4000, .together_bytes = 100});
    const auto told = [](auto step) {
        return pv::explain(pv::computation([=](auto u) { return pv::iterate(step, u, 30); },
                                           pv::spec<double>({100, 10})),
                           pv::zeros({100, 10}));
    };
    const auto has = [](const std::string& text) {
        return Catch::Matchers::ContainsSubstring(text);
    };
    CHECK_THAT(told([](auto u) { return u + pv::roll(u, 1, 0); }),
               has("steps for each time memory is read") &&
                   has("a step reads 1 below, 0 above, as a ring"));
    CHECK_THAT(told([](auto u) { return u - pv::sum(u); }), has("because it has a reduction"));
    CHECK_THAT(told([](auto u) { return pv::flip(u, 0); }),
               has("because a state is not read row by row"));
    pv::set_tile_sizes({});
    CHECK_THAT(told([](auto u) { return u * 2.; }), has("a step is one pass over their memory"));
    const auto row = pv::clone(pv::arange(10.));
    CHECK_THAT(told([=](auto u) { return pv::roll(u, 1, 1) * row; }), has("a step is one box"));
    CHECK_THAT(told([](auto u) {
                   return pv::pad(u(pv::all, pv::range(1, 9)), {{0, 0}, {1, 1}});
               }),
               has("a step is 3 boxes"));
    CHECK_THAT(pv::explain([&] {
                   return pv::iterate([](auto u, auto v) { return std::tuple(u * 2., v * 2.); },
                                      std::tuple(pv::zeros({4}), pv::zeros({5})), 30);
               }),
               has("because small states are not of one shape"));
}

} // namespace time_tiles_test
