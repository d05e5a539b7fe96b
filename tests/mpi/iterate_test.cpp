// Loops over distributed states, against the same loops over whole ones in memory.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <tuple>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using oracle::world;
using pv::index_t;

namespace {

auto shifted(const auto& u, index_t by, index_t axis, bool is_ring) {
    auto rolled = pv::roll(u, by, axis) * 1.;
    if (is_ring) return rolled;
    const index_t n = u.shape()[static_cast<std::size_t>(axis)];
    pv::PadWidths widths(u.shape().size(), {0, 0});
    widths[static_cast<std::size_t>(axis)] = {std::max<index_t>(by, 0), std::max<index_t>(-by, 0)};
    const auto rest = pv::range(std::max<index_t>(-by, 0), n - std::max<index_t>(by, 0));
    auto inside = axis == 0 ? u(rest, pv::ellipsis) : u(pv::all, rest, pv::ellipsis);
    return pv::pad(inside, widths, pv::PadMode::constant, 0.5) * 1.;
}

} // namespace

TEST_CASE("loops over ranks give the bits of loops in memory") {
    Random random(11);
    for (int round = 0; round < 40; ++round) {
        const pv::Shape shape{random.between(6, 60), random.between(4, 50)};
        const auto whole = oracle::random_values(random, shape);
        const auto weight = pv::clone(0.001 * oracle::random_values(random, shape));
        const bool is_ring = random.one_in(2);
        const index_t far = random.between(1, 2);
        const index_t steps = random.between(0, 30);
        const auto step = [&](const auto& u) {
            return 0.5 * u + 0.125 * (shifted(u, far, 0, is_ring) + shifted(u, -1, 0, is_ring)) -
                   weight * shifted(u, 1, 1, is_ring) + 0.25 * shifted(u, -far, 1, is_ring);
        };
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto u = pm::distribute(whole, d);
        INFO(to_string(d) << ", " << steps << " steps" << (is_ring ? ", as a ring" : ""));
        const auto found = pm::iterate(step, u, steps);
        CHECK(found.distribution() == d);
        CHECK(pv::equals(pm::all_gather(found), pv::iterate(step, whole, steps)));
        CHECK(pv::equals(pm::all_gather(u), whole)); // as it was
    }
}

TEST_CASE("loops over ranks carry several states, and read others") {
    Random random(12);
    for (int round = 0; round < 20; ++round) {
        const pv::Shape shape{random.between(20, 60), random.between(20, 40)};
        const auto a = oracle::random_values(random, shape);
        const auto b = oracle::random_values(random, shape);
        const auto speed = oracle::random_values(random, shape);
        const index_t steps = random.between(1, 25);
        const auto wave = [](const auto& weight) {
            return [weight](const auto& now, const auto& before) {
                auto around = pv::roll(now, 1, 0) + pv::roll(now, -1, 0) + pv::roll(now, 1, 1) +
                              pv::roll(now, -1, 1) - 4. * now;
                return std::tuple(2. * now - before + 0.0001 * weight * around, now);
            };
        };
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto u = pm::distribute(a, d);
        const auto v = pm::distribute(b, d);
        const auto far = pm::distribute(speed, d);
        INFO(to_string(d) << ", " << steps << " steps");
        const auto [x, y] = pv::iterate(wave(speed), std::tuple(a, b), steps);
        const auto [p, q] = pm::iterate(wave(speed), std::tuple(u, v), steps);
        CHECK(pv::equals(pm::all_gather(p), x));
        CHECK(pv::equals(pm::all_gather(q), y));
        // What the step reads besides may be distributed itself.
        const auto [r, s] = pm::iterate(wave(far.global()), std::tuple(u, v), steps);
        CHECK(pv::equals(pm::all_gather(r), x));
        CHECK(pv::equals(pm::all_gather(s), y));
    }
}

TEST_CASE("loops over ranks read what is distributed, and carry what stays") {
    Random random(13);
    for (int round = 0; round < 30; ++round) {
        const pv::Shape shape{random.between(20, 60), random.between(20, 40)};
        const auto whole = oracle::random_values(random, shape);
        const auto speed = oracle::random_values(random, shape);
        const auto count = pv::clone(pv::cast<std::int32_t>(oracle::random_values(random, shape)));
        const auto row = oracle::random_values(random, pv::Shape{shape[1]});
        const auto force = oracle::random_values(random, shape);
        const bool is_ring = random.one_in(2);
        const bool has_row = random.one_in(4); // is divided otherwise: steps are taken one by one
        const index_t steps = random.between(1, 40);
        const auto step = [&](const auto& c, const auto& k, const auto& first, const auto& line) {
            return [&, c, k, first, line](const auto& u, const auto& f) {
                auto next = 0.5 * u +
                            shifted(c, 1, 0, is_ring) * 0.001 * shifted(u, 1, 0, is_ring) -
                            0.001 * c * shifted(u, -1, 1, is_ring) + 0.001 * k * u +
                            0.01 * shifted(first, -2, 0, is_ring) + 0.1 * shifted(f, 1, 1, is_ring);
                return std::tuple(has_row ? next + line : next + 0., f);
            };
        };
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const pm::Distribution other = oracle::random_distribution(random, shape);
        const auto u = pm::distribute(whole, d);
        const auto f = pm::distribute(force, d);
        const auto c = pm::distribute(speed, random.one_in(2) ? other : d);
        const auto k = pm::distribute(count, d);
        const auto line = pm::distribute(row, pm::blocks({shape[1]}, pm::Grid(world())));
        INFO(to_string(d) << ", " << steps << " steps" << (is_ring ? ", as a ring" : ""));
        const auto [x, y] =
            pv::iterate(step(speed, count, whole, row), std::tuple(whole, force), steps);
        const auto [p, q] = pm::iterate(step(c.global(), k.global(), u.global(), line.global()),
                                        std::tuple(u, f), steps);
        CHECK(pv::equals(pm::all_gather(p), x));
        CHECK(pv::equals(pm::all_gather(q), y));
        CHECK(pv::equals(y, force));
    }
}

TEST_CASE("a hundred steps send a tenth of the messages") {
    const auto heat = [](const auto& u) {
        return u + 0.1 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) + pv::roll(u, 1, 1) +
                          pv::roll(u, -1, 1) - 4 * u);
    };
    const pv::Shape shape{60 * world().size(), 40};
    const auto u = pm::distribute(
        pv::sin(pv::arange(60. * world().size())(pv::all, pv::new_axis) + pv::arange(40.)),
        pm::blocks(shape, pm::Grid(world())));
    pm::iterate(heat, u, 100);
    pm::reset_messages();
    pm::iterate(heat, u, 100);
    const index_t neighbours = std::min(world().size() - 1, 2);
    CHECK(pm::messages().with_elements <= 12 * neighbours);

    // A coefficient that is divided is sent once, and what is carried and stays, too: 32 rows to both sides.
    const auto coefficient = pm::evaluate(0.1 + 0.01 * pv::cos(u.global()), u.distribution());
    const auto around = [](const auto& t) {
        return pv::roll(t, 1, 0) + pv::roll(t, -1, 0) - 2 * t;
    };
    const auto spread = [&](const auto& t, const auto& s) {
        return std::tuple(t + coefficient.global() * around(t) + s, s);
    };
    const auto source = pm::evaluate(0.001 * u.global(), u.distribution());
    pm::reset_messages();
    const auto [last, same] = pm::iterate(spread, std::tuple(u, source), 100);
    CHECK(pm::messages().with_elements <= 12 * neighbours);
    CHECK(pm::messages().elements_bytes <= 9 * 2 * 16 * 40 * 8 * std::min(neighbours, index_t{1}));
    const auto c = pm::all_gather(coefficient);
    const auto [wanted, kept] = pv::iterate(
        [&](const auto& t, const auto& s) { return std::tuple(t + c * around(t) + s, s); },
        std::tuple(pm::all_gather(u), pm::all_gather(source)), 100);
    CHECK(pv::equals(pm::all_gather(last), wanted));
    CHECK(pv::equals(pm::all_gather(same), kept));
}

TEST_CASE("what cannot be a loop over ranks is refused on all") {
    const pv::Shape shape{12, 8};
    const auto u = pm::distribute(pv::ones(shape), pm::blocks(shape, pm::Grid(world())));
    const auto v = pm::distribute(pv::ones({8, 12}), pm::blocks({8, 12}, pm::Grid(world())));
    CHECK_THROWS_AS(pm::iterate([](auto x) { return x(pv::range(0, 3), pv::all); }, u, 2),
                    pv::ShapeError);
    CHECK_THROWS_AS(pm::iterate([](auto x) { return x; }, u, -1), pv::ShapeError);
    CHECK_THROWS_AS(pm::iterate([](auto x) { return x - pv::mean(x); }, u, 2),
                    pm::DistributionError);
    CHECK_THROWS_AS(
        pm::iterate([](auto x, auto y) { return std::tuple(x, y); }, std::tuple(u, v), 2),
        pm::DistributionError);
}
