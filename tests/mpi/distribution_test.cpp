// Which rank has what: boxes and coordinates against the definition, element by element.

#include "mpi/ranks.hpp"
#include "support/catch.hpp"
#include "support/random_choice.hpp"

#include <purview/purview.hpp>

#include <algorithm>
#include <numeric>
#include <sstream>

namespace pm = purview::mpi;
namespace pv = purview;
using pv::index_t;

namespace {

std::vector<index_t> list_of(pv::ShapeSpan values) { return {values.begin(), values.end()}; }

/// Each coordinate of each axis is had by as many ranks as have that place, and parts have the shapes
/// that say so.
void check_complete(const pm::Distribution& d) {
    const int ranks = d.communicator().size();
    index_t elements = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        index_t size = 1;
        const pv::Shape local = d.local_shape(rank);
        for (std::size_t a = 0; a < local.size(); ++a) {
            const std::vector<index_t> own = d.coordinates(rank, static_cast<index_t>(a));
            CHECK(std::ssize(own) == local[a]);
            CHECK(std::ranges::is_sorted(own));
            size *= local[a];
            if (!d.is_blocks()) continue;
            const pm::Box box = d.box(rank);
            CHECK(box.end[a] - box.begin[a] == local[a]);
            if (!own.empty()) CHECK(own.front() == box.begin[a]);
            if (!own.empty()) CHECK(own.back() == box.end[a] - 1);
        }
        elements += size;
    }
    index_t all = 1;
    for (const index_t extent : d.shape()) all *= extent;
    CHECK(elements == all);
}

template <typename X>
std::string printed(const X& x) {
    std::ostringstream out;
    out << x;
    return out.str();
}

} // namespace

TEST_CASE("blocks differ by one at most, longer ones first") {
    const pm::Communicator& world = oracle::world();
    const index_t ranks = world.size();
    for (const index_t n :
         {index_t{0}, index_t{1}, ranks - 1, ranks, ranks + 1, 3 * ranks + 1, index_t{1000}}) {
        const pm::Distribution d = pm::blocks({n, 3}, pm::Grid(world));
        check_complete(d);
        for (int rank = 0; rank < world.size(); ++rank)
            CHECK(d.local_shape(rank)[0] == n / ranks + (rank < n % ranks ? 1 : 0));
        CHECK(d.is_blocks());
    }
    const pm::Distribution d = pm::blocks({7, 9, 2}, pm::Grid(world, {-1, -1}));
    check_complete(d);
    CHECK(d.local_shape(0)[2] == 2);
    CHECK(list_of(d.shape()) == std::vector<index_t>{7, 9, 2});
    CHECK_THROWS_AS(pm::blocks({4}, pm::Grid(world, {-1, 1})), pm::DistributionError);
    CHECK_THROWS_AS(pm::blocks({-1}, pm::Grid(world)), pv::ShapeError);
    CHECK_THROWS_AS(pm::blocks({index_t{1} << 62, 4}, pm::Grid(world)), pv::ShapeError);
    CHECK_THROWS_AS(pm::blocks({}, pm::Grid(world)), pm::DistributionError);
    CHECK_THROWS_AS(d.box(world.size()), pv::IndexError);
    CHECK_THROWS_AS(d.coordinates(0, 3), pv::IndexError);
}

TEST_CASE("blocks of given sizes") {
    const pm::Communicator& world = oracle::world();
    const pm::Grid grid(world);
    std::vector<index_t> sizes;
    for (index_t rank = 0; rank < world.size(); ++rank) sizes.push_back(rank * rank % 5);
    const index_t n = std::reduce(sizes.begin(), sizes.end());
    const pm::Distribution d = pm::blocks({n, 2}, grid, {sizes});
    check_complete(d);
    for (int rank = 0; rank < world.size(); ++rank)
        CHECK(d.local_shape(rank)[0] == sizes[static_cast<std::size_t>(rank)]);
    CHECK(d == pm::blocks({n, 2}, grid, {sizes}));
    CHECK_THROWS_AS(pm::blocks({n + 1, 2}, grid, {sizes}), pm::DistributionError);
    CHECK_THROWS_AS(pm::blocks({n, 2}, grid, {sizes, sizes}), pm::DistributionError);
    sizes.push_back(0);
    CHECK_THROWS_AS(pm::blocks({n, 2}, grid, {sizes}), pm::DistributionError);
    sizes.pop_back();
    sizes[0] = -1;
    CHECK_THROWS_AS(pm::blocks({n, 2}, grid, {sizes}), pm::DistributionError);
}

TEST_CASE("cyclic distributions deal out blocks in turn") {
    const pm::Communicator& world = oracle::world();
    const pm::Grid grid(world, {-1, -1});
    for (const index_t block : {1, 2, 3, 50})
        for (const index_t n : {0, 1, 5, 12, 37}) {
            const pm::Distribution d = pm::cyclic({n, 2 * n}, grid, {block, 2});
            check_complete(d);
            for (int rank = 0; rank < world.size(); ++rank)
                for (const index_t axis : {0, 1}) {
                    const auto a = static_cast<std::size_t>(axis);
                    const index_t length = axis == 0
                                               ? std::min(block, std::max<index_t>(n, 1))
                                               : std::min<index_t>(2, std::max<index_t>(2 * n, 1));
                    std::vector<index_t> expected;
                    for (index_t c = 0; c < d.shape()[a]; ++c)
                        if (c / length % grid.extents()[a] == grid.place_of(rank)[a])
                            expected.push_back(c);
                    CHECK(d.coordinates(rank, axis) == expected);
                }
        }
    CHECK_THROWS_AS(pm::cyclic({4, 4}, grid, {0, 1}), pm::DistributionError);
    CHECK_THROWS_AS(pm::cyclic({4, 4}, grid, {1}), pm::DistributionError);
    const pm::Distribution d = pm::cyclic({40}, pm::Grid(world), {3});
    if (world.size() > 1) CHECK_THROWS_AS(d.box(0), pm::DistributionError);
    // Blocks, said otherwise.
    CHECK(pm::cyclic({40}, pm::Grid(world), {40}) ==
          pm::blocks({40}, pm::Grid(world), {[&] {
                         std::vector<index_t> sizes(static_cast<std::size_t>(world.size()), 0);
                         sizes[0] = 40;
                         return sizes;
                     }()}));
    CHECK(d == pm::cyclic({40}, pm::Grid(world), {3}));
    if (world.size() > 1) CHECK_FALSE(d == pm::cyclic({40}, pm::Grid(world), {2}));
}

TEST_CASE("what is dealt out among one place lies there in one piece") {
    const pm::Communicator& world = oracle::world();
    const pm::Distribution rows = pm::cyclic({5, 40}, pm::Grid(world, {-1, 1}), {5, 3});
    CHECK(rows.is_blocks());
    CHECK(rows.box().end[1] == 40);
    CHECK(to_string(rows).ends_with(" x 40"));
    check_complete(rows);
    CHECK(pm::cyclic({40}, pm::Grid(world), {3}).is_blocks() == (world.size() == 1));
}

TEST_CASE("what is distributed prints as one line") {
    const pm::Communicator& world = oracle::world();
    const std::string ranks = std::to_string(world.size());
    const std::string rank = std::to_string(world.rank());
    const std::string begin = std::to_string(3 * world.rank());
    const std::string end = std::to_string(3 * world.rank() + 3);
    const pm::Distribution d = pm::blocks({3 * world.size(), 2}, pm::Grid(world));
    CHECK(printed(d) == to_string(d));
    CHECK(printed(d.box()) == "[" + begin + ", " + end + ") x [0, 2)");
    CHECK(printed(pm::Box{}) == "[]");
    const auto x = pm::distribute(pv::zeros<float>({3 * world.size(), 2}), d);
    CHECK(printed(x) == "#purview.mpi.distributed<float32>" + to_string(d) + "; rank " + rank +
                            " has [" + begin + ", " + end + ") x [0, 2)");
    CHECK(printed(pm::AnyDistributed(x)) == printed(x));
    if (world.size() > 1) { // no box, then
        const pm::Distribution dealt = pm::cyclic({2 * world.size()}, pm::Grid(world), {1});
        CHECK(printed(pm::distribute(pv::zeros<int>({2 * world.size()}), dealt)) ==
              "#purview.mpi.distributed<int32>[" + std::to_string(2 * world.size()) +
                  "] on a grid of [" + ranks + "]: cyclic(1); rank " + rank + " has a part of [2]");
    }
    pm::Messages sent;
    sent.count = 3;
    sent.bytes = 1200;
    sent.with_elements = 1;
    sent.elements_bytes = 1152;
    CHECK(printed(sent) == "3 messages of 1200 bytes; 1 with elements, of 1152 bytes");
}
