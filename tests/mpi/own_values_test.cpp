// What ranks have by themselves: joined, or given to all.

#include "mpi/same_bits.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <string>

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

TEST_CASE("the least and the greatest of what ranks have") {
    const int last = world().size() - 1;
    const int rank = world().rank();
    CHECK(pm::all_min(rank, world()) == 0);
    CHECK(pm::all_max(rank, world()) == last);
    static_assert(std::is_same_v<decltype(pm::all_max(1, world())), int>);
    static_assert(std::is_same_v<decltype(pm::all_min(1.f, world())), float>);
    CHECK(pm::all_max(rank == last, world()));
    CHECK(pm::all_min(rank == last, world()) == (last == 0));
    CHECK(pm::all_max(-1.5 * rank, world()) == 0);
    CHECK(pm::all_min(std::uint64_t{1} << 63, world()) == std::uint64_t{1} << 63);
    // NaN wins, as over all elements of an array.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(pm::all_max(rank == last ? nan : 1.0, world())));
    CHECK(std::isnan(pm::all_min(rank == 0 ? nan : 1.0, world())));
    const pv::MutableTensor<int> most = pm::all_max(pv::tensor({rank, -rank}), world());
    CHECK(pv::equals(most, pv::tensor({last, 0})));
    CHECK(pv::equals(pm::all_min(pv::tensor({rank, -rank}) * 2, world()),
                     pv::tensor({0, -2 * last})));
    if (last == 0) return;
    CHECK_THROWS_AS(rank == 0 ? pm::all_min(1, world()) : pm::all_max(1, world()),
                    pm::DistributionError);
}

TEST_CASE("what one rank has is given to all") {
    const int rank = world().rank();
    for (int root = 0; root < world().size(); ++root) {
        const bool is_root = rank == root;
        CHECK(pm::broadcast(is_root ? 2.5 : 0.0, world(), root) == 2.5);
        CHECK(pm::broadcast(rank, world(), root) == root);
        CHECK(pm::broadcast(is_root, world(), root));
        CHECK(pm::broadcast(std::complex<double>(rank, 1), world(), root) ==
              std::complex<double>(root, 1));
        CHECK(pm::broadcast(is_root ? "a path" : "", world(), root) == "a path");
        // The shape is that of the root.
        const pv::Tensor<float> own = is_root
                                          ? pv::Tensor<float>(pv::reshape(pv::arange(6.f), {3, 2}))
                                          : pv::Tensor<float>(pv::zeros<float>({0}));
        const pv::MutableTensor<float> all = pm::broadcast(own, world(), root);
        CHECK(pv::equals(all, pv::reshape(pv::arange(6.f), {3, 2})));
        CHECK(pv::equals(pm::broadcast(pv::transpose(all) * 2, world(), root),
                         pv::transpose(all) * 2));
        CHECK(pm::broadcast(pv::zeros<int>({0, 4}), world(), root).shape()[1] == 4);
        CHECK(pm::broadcast(pv::AnyTensor(own), world(), root).dtype() == pv::float32);
    }
    CHECK_THROWS_AS(pm::broadcast(1, world(), world().size()), pv::IndexError);
    CHECK_THROWS_AS(pm::broadcast(1, world(), -1), pv::IndexError);
    if (world().size() == 1) return;
    CHECK_THROWS_AS(pm::broadcast(rank, world(), rank == 0 ? 0 : 1), pm::DistributionError);
    const auto at_barrier = [&] {
        rank == 0 ? pm::barrier(world()) : (void)pm::all_sum(1, world());
    };
    CHECK_THAT(oracle::thrown<pm::DistributionError>(at_barrier), ContainsSubstring("barrier"));
    pm::barrier(world());
}

TEST_CASE("zeros of a distribution") {
    const pm::Distribution d = pm::blocks({7, 3}, pm::Grid(world()));
    const pm::Distributed<double> x = pm::zeros(d);
    CHECK(x.distribution() == d);
    CHECK(pv::equals(pm::all_gather(x), pv::zeros({7, 3})));
    CHECK(pv::equals(pm::all_gather(pm::zeros<int>(d)), pv::zeros<int>({7, 3})));
    pv::fill(x.local(), 2.5); // each rank its part
    CHECK(pm::sum(x) == 7 * 3 * 2.5);
    const auto copy = pm::evaluate(x.global(), d); // of its own memory
    pv::fill(x.local(), 0);
    CHECK(pm::sum(copy) == 7 * 3 * 2.5);
}
