// Sums of what ranks have by themselves.

#include "mpi/same_bits.hpp"
#include "support/catch.hpp"

#include <cmath>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::is_everywhere;
using oracle::world;
using pv::index_t;

TEST_CASE("what ranks have by themselves adds up") {
    const int ranks = world().size();
    const int rank = world().rank();
    CHECK(pm::all_sum(rank + 1, world()) == ranks * (ranks + 1) / 2);
    static_assert(std::is_same_v<decltype(pm::all_sum(1, world())), std::int64_t>);
    static_assert(std::is_same_v<decltype(pm::all_sum(1.f, world())), float>);
    CHECK(pm::all_sum(true, world()) == ranks);
    CHECK(is_everywhere(pm::all_sum(0.1 * std::sin(rank), world())));
    const auto gradient = pv::clone(pv::arange(5.0) * double(rank));
    const pv::MutableTensor<double> total = pm::all_sum(gradient, world());
    CHECK(pv::equals(total, pv::arange(5.0) * double(ranks * (ranks - 1) / 2)));
    CHECK(pv::equals(pm::all_sum(pv::transpose(pv::ones<int>({2, 3})) * rank, world()),
                     pv::full({3, 2}, index_t(ranks * (ranks - 1) / 2))));
    CHECK(pm::all_sum(pv::ones({0, 2}), world()).size() == 0);
    if (ranks == 1) return;
    CHECK_THROWS_AS(pm::all_sum(pv::ones({rank == 0 ? 3 : 4}), world()), pm::DistributionError);
    CHECK_THAT(oracle::thrown<pv::Error>([&] {
                   pm::all_sum(pv::emap(
                                   [rank](double v) {
                                       if (rank == 1) throw pv::Error("no such file");
                                       return v;
                                   },
                                   pv::ones({3})),
                               world());
               }),
               ContainsSubstring("rank 1: no such file"));
    CHECK(pm::all_sum(1, world()) == ranks);
}
