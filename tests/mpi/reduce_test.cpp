// `mpi::reduce`: several reductions at once, and those of one's own, over ranks.

#include "mpi/random_distribution.hpp"
#include "mpi/same_bits.hpp"
#include "support/catch.hpp"
#include "support/own_reducers.hpp"

#include <purview/mpi/order.hpp>
#include <purview/mpi/reductions.hpp>

#include <array>
#include <string>

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

TEST_CASE("reduce over ranks: the order of elements where every axis is reduced and kept") {
    Random random(35);
    for (int round = 0; round < 8; ++round) {
        const pv::Shape shape{random.between(1, 7), random.between(2, 7), random.between(1, 4)};
        const auto whole =
            pv::clone(pv::cast<std::int64_t>(oracle::random_values(random, shape) * 16));
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        CAPTURE(pv::to_string(shape), round);
        const auto [digests, weights] =
            pm::reduce(x, oracle::digest_of(), oracle::weighted(), pv::keep_dims);
        const auto [digest, weight] = pv::reduce(whole, oracle::digest_of(), oracle::weighted());
        CHECK(pm::all_gather(digests)(0, 0, 0) == digest);
        CHECK(pm::all_gather(weights)(0, 0, 0) == weight);
        const auto named = pm::reduce(x, {2, 0, 1}, oracle::digest_of(), pv::keep_dims);
        CHECK(pm::all_gather(named)(0, 0, 0) == digest);
        CHECK(pv::equals(pm::all_gather(pm::reduce(x, {0, 2}, oracle::digest_of())),
                         pv::reduce(whole, {0, 2}, oracle::digest_of())));
    }
}

TEST_CASE("reduce over ranks: what one function throws on one rank is thrown on all") {
    const pm::Distribution d = pm::blocks({12}, pm::Grid(world()));
    const auto keys = pm::distribute(pv::arange(12) % 3, d);
    const auto values = pm::distribute(pv::cast<double>(pv::arange(12)), d);
    for (const bool commutes : {false, true})
        for (const std::string step : {"fold", "join", "finish"}) {
            const bool throws = world().rank() == 0;
            const auto refuse = [=](const char* at) {
                if (throws && step == at) throw pv::CastError(step);
            };
            const auto by = pv::reducer<double>(
                "angry", 0.,
                [=](double& s, double x) {
                    refuse("fold");
                    s += x;
                },
                [=](double& s, double x) {
                    refuse("join");
                    s += x;
                },
                [=](double s) {
                    refuse("finish");
                    return s;
                },
                {.commutes = commutes});
            CAPTURE(step, commutes);
            const bool joins = step != "join" || world().size() > 1;
            const auto check = [&](auto reduce) {
                const std::string text = oracle::thrown<pv::CastError>(reduce);
                CHECK((text.ends_with(step) || !joins));
                CHECK(pm::sum(values) == 66); // 0 + 1 + … + 11: work goes on
            };
            check([&] { pm::reduce(values, pv::mean, by); });
            check([&] { pm::reduce(values, {0}, by, pv::keep_dims); });
            check([&] { pm::group_by_reduce(keys, values, by); });
        }
}

TEST_CASE("reduce over ranks: reducers of one name whose states differ are no call of all") {
    const pm::Distribution d = pm::blocks({12}, pm::Grid(world()));
    const auto values = pm::distribute(pv::cast<double>(pv::arange(12)), d);
    const auto sum_of = []<std::size_t bytes>(std::array<char, bytes>, bool commutes) {
        struct State {
            double sum = 0;
            std::array<char, bytes> more{};
        };
        return pv::reducer<double>(
            "sized", State{}, [](State& s, double x) { s.sum += x; },
            [](State& s, const State& next) { s.sum += next.sum; },
            [](const State& s) { return s.sum; }, {.commutes = commutes});
    };
    const auto small = sum_of(std::array<char, 8>(), true);
    CHECK(pm::reduce(values, small) == 66);
    if (world().size() == 1) return;
    const bool is_first = world().rank() == 0;
    const auto large = sum_of(std::array<char, 56>(), true);
    const auto in_order = sum_of(std::array<char, 8>(), false);
    const auto refused = [](auto call) { CHECK_THROWS_AS(call(), pm::DistributionError); };
    refused([&] { return is_first ? pm::reduce(values, small) : pm::reduce(values, large); });
    refused([&] { return pm::reduce(values, is_first ? small : in_order); });
    refused([&] {
        return is_first ? pm::group_by_reduce(values, values, small)
                        : pm::group_by_reduce(values, values, large);
    });
    CHECK(pm::sum(values) == 66);
}
