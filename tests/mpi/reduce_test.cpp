// `mpi::reduce`: several reductions at once, and those of one's own, over ranks.

#include "mpi/random_distribution.hpp"
#include "mpi/same_bits.hpp"
#include "support/catch.hpp"
#include "support/own_reducers.hpp"

#include <purview/mpi/reductions.hpp>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::digest_of;
using oracle::Random;
using oracle::spread_of;
using oracle::world;
using pv::index_t;

TEST_CASE("reduce over ranks: several, and one's own in row-major order") {
    Random random(31);
    for (int round = 0; round < 20; ++round) {
        pv::Shape shape;
        for (int a = 0; a <= round % 3; ++a) shape.push_back(random.between(1, 9));
        const auto whole = oracle::random_values(random, shape);
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        CAPTURE(pv::to_string(shape), round);
        const auto e = x.global() * 2;
        const auto expected = pv::clone(whole * 2);
        const auto [total, least, range, order] =
            pm::reduce(e, pv::sum, pv::min, spread_of(round % 2 == 0), digest_of<double>());
        CHECK(std::abs(total - pv::sum(expected)) <= 1e-9 * (1 + std::abs(total)));
        CHECK(least == pv::min(expected));
        CHECK(range == pv::reduce(expected, spread_of(true)));
        const auto [kinds, quantiles] =
            pm::reduce(e, pv::approximate_distinct, pv::approximate_quantile({.25, .9}));
        CHECK(kinds == pv::reduce(expected, pv::approximate_distinct));
        if (expected.size() <= 512) CHECK(pv::equals(quantiles, pv::quantile(expected, {.25, .9})));
        CHECK(order == pv::reduce(expected, digest_of<double>()));
        CHECK(pm::reduce(e, pv::variance) == pm::variance(e));
        if (shape.size() < 2) continue;
        for (index_t axis = 0; axis < std::ssize(shape); ++axis) {
            const auto [sums, digests, ranges] =
                pm::reduce(e, {axis}, pv::sum, digest_of<double>(), spread_of(true));
            CHECK(pv::equals(pm::all_gather(sums), pm::all_gather(pm::sum(e, axis))));
            CHECK(pv::equals(pm::all_gather(digests),
                             pv::reduce(expected, axis, digest_of<double>())));
            CHECK(pv::equals(pm::all_gather(ranges), pv::reduce(expected, axis, spread_of(true))));
            const auto [averages, deviations, places] =
                pm::reduce(e, {axis}, pv::mean, pv::variance, pv::argmax, pv::keep_dims);
            const auto alone = [&](const auto& f) {
                return pm::all_gather(f(e, axis, pv::keep_dims));
            };
            CHECK(pv::equals(pm::all_gather(averages), alone(pm::mean)));
            CHECK(pv::equals(pm::all_gather(deviations), alone(pm::variance)));
            CHECK(pv::equals(pm::all_gather(places), alone(pm::argmax)));
        }
    }
}

TEST_CASE("reduce over ranks: squares that leave the range of float64") {
    for (const double scale : {1e200, 1e-200}) {
        const auto whole = pv::clone(pv::cast<double>(pv::arange<index_t>(37)) * scale);
        const auto x = pm::distribute(whole, pm::blocks({37}, pm::Grid(world())));
        const double deviation = pm::standard_deviation(x.global());
        CHECK(std::abs(deviation / pv::standard_deviation(whole) - 1) < 1e-14);
    }
}

TEST_CASE("reduce over ranks: NaN, and elements that do not convert") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto whole = pv::tensor({1., nan, 5., nan, 2.});
    const auto x = pm::distribute(whole, pm::blocks({5}, pm::Grid(world())));
    CHECK(pm::reduce(x.global(), spread_of(true), pv::skip_nan) == 4);
    CHECK(pm::reduce(x.global(), spread_of(false)(pv::skip_nan)) == 4);
    CHECK_THROWS_AS(pm::reduce(x.global(), pv::sum, spread_of(true)(pv::throw_nan)),
                    pv::ArithmeticError);
    const auto integers =
        pm::distribute(pv::arange<std::int64_t>(5), pm::blocks({5}, pm::Grid(world())));
    CHECK_THROWS_AS(pm::reduce(integers.global(), spread_of(true)), pv::DtypeError);
    CHECK(pm::reduce(integers.global(), pv::sum) == 10);
}
