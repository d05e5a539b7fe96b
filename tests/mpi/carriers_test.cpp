// Every reducer over ranks, of all policies for NaN, beside nested loops.

#include "mpi/random_distribution.hpp"
#include "support/reducer_cases.hpp"

#include <cstdint>
#include <string>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Coordinates;
using oracle::Elements;
using oracle::numbers_of;
using oracle::Outcome;
using oracle::outcome_of;
using oracle::Random;
using oracle::ReducerRow;
using oracle::with_policy;
using pv::index_t;

namespace {

pm::AnyDistributed distributed(const Elements& x, Random& random) {
    const pm::Distribution d =
        oracle::random_distribution(random, pv::Shape(x.shape.begin(), x.shape.end()));
    if (x.dtype == pv::float64) return pm::distribute(oracle::in_memory<double>(x), d);
    if (x.dtype == pv::float32) return pm::distribute(oracle::in_memory<float>(x), d);
    if (x.dtype == pv::int32) return pm::distribute(oracle::in_memory<std::int32_t>(x), d);
    return pm::distribute(oracle::in_memory<bool>(x), d);
}

void check_over_ranks(pv::DType dtype, unsigned seed) {
    Random random(seed);
    const Coordinates shape = oracle::shape_to_reduce(random);
    const Elements x = oracle::random_elements(random, shape, dtype);
    const pm::AnyDistributed e = distributed(x, random);
    const index_t axis = random.between(0, std::ssize(shape) - 1);
    CAPTURE(dtype.name(), shape, x.values, seed, axis, to_string(e.distribution()));
    Coordinates all;
    for (index_t a = 0; a < std::ssize(shape); ++a) all.push_back(a);
    for (const pv::NanRule nan : oracle::kNanRules) {
        const auto whole = by_policy(x, groups_over(x, all), nan);
        const auto along = by_policy(x, groups_over(x, {axis}), nan);
        oracle::for_each_reducer([&](const ReducerRow& row, const auto& reducer) {
            const auto check = [&](const char* what, const oracle::ReducedGroups& groups, auto f) {
                const bool refused = !row.over_ranks && !groups.refused;
                const Outcome expected =
                    refused ? oracle::refusal("KindError") : expected_outcome(row, groups);
                const std::string wrong =
                    difference(outcome_of([&] { return with_policy(nan, f); }), expected, dtype);
                INFO(row.name << ' ' << what << ' ' << static_cast<int>(nan));
                CHECK(wrong == "");
            };
            check("of everything", whole,
                  [&](auto policy) { return numbers_of(pm::reduce(e, reducer, policy)); });
            if (shape.size() > 1)
                check("over an axis", along, [&](auto policy) {
                    return numbers_of(pm::all_gather(pm::reduce(e, axis, reducer, policy)));
                });
            if (nan == pv::NanRule::skip) return;
            check("beside others", whole, [&](auto policy) {
                const auto [one, digest, mean] =
                    pm::reduce(e, reducer, oracle::rounded_digest(), pv::mean, policy);
                CHECK(numbers_of(digest) ==
                      expected_outcome({"digest", oracle::by_loop::digest}, whole).results);
                return numbers_of(one);
            });
        });
    }
}

} // namespace

TEST_CASE("every reducer over ranks") {
    unsigned seed = 0;
    for (const pv::DType dtype : {pv::float64, pv::float32, pv::int32, pv::boolean})
        for (int round = 0; round < 2; ++round) check_over_ranks(dtype, ++seed);
}
