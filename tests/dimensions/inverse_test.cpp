#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/inverse.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/transpose.hpp>

#include <limits>
#include <map>
#include <ranges>
#include <type_traits>

namespace inverse_test {

using namespace purview;
namespace pd = purview::dimensions;

static_assert(std::ranges::input_range<pd::GlobalIndexes>);
static_assert(!std::is_copy_constructible_v<pd::GlobalIndexes>);

namespace {

Addresses globals(const Dimensions& dims, index_t address) {
    Addresses found;
    for (const index_t g : pd::local_to_global(dims, address)) found.push_back(g);
    return found;
}

// The indexes of an address, found within so many steps.
Addresses within(std::uint64_t steps, const Dimensions& dims, index_t address) {
    pd::GlobalIndexes indexes = pd::local_to_global(dims, address);
    Addresses found;
    while (const auto g = indexes.next()) {
        found.push_back(*g);
        if (found.size() == 100) break;
    }
    CHECK(indexes.steps() <= steps);
    return found;
}

} // namespace

TEST_CASE("every address of small layouts is found, greedy or not", "[dimensions]") {
    // Greedy division fails on many of these: shape (2, 3), strides (3, 2), address 4 is (0, 2).
    CHECK(globals(Dimensions::strided(ints({2, 3}), ints({3, 2})), 4) == Addresses{2});
    for (index_t n = 1; n <= 4; ++n)
        for (index_t m = 1; m <= 4; ++m)
            for (index_t s = -5; s <= 5; ++s)
                for (index_t t = -5; t <= 5; ++t) {
                    const Dimensions dims = Dimensions::strided(ints({n, m}), ints({s, t}), 2);
                    std::map<index_t, Addresses> expected;
                    for (index_t i = 0; i < n * m; ++i)
                        expected[2 + s * (i / m) + t * (i % m)].push_back(i);
                    const pd::InverseMap inverse(dims);
                    for (index_t address = -35; address <= 40; ++address) {
                        Addresses found;
                        for (const index_t g : inverse(address)) found.push_back(g);
                        if (found != expected[address]) {
                            CAPTURE(n, m, s, t, address);
                            REQUIRE(found == expected[address]);
                        }
                    }
                }
}

TEST_CASE("the seed's raw form has consistent maps", "[dimensions]") {
    const std::vector<AxisShape> shape{AxisShape{index_t{2}}, AxisShape{list({1, 0})}};
    const Dimensions dims = Dimensions::raw(shape, ints({1, 2}), ints({0, 1}), ints({4, 6}));
    const Addresses forward = addresses(dims);
    for (index_t address = -1; address <= 4; ++address) {
        Addresses expected;
        for (std::size_t i = 0; i < forward.size(); ++i)
            if (forward[i] == address) expected.push_back(static_cast<index_t>(i));
        CHECK(globals(dims, address) == expected);
    }
}

TEST_CASE("image crops, channels first or last", "[dimensions]") {
    const Dimensions image = Dimensions::row_major(ints({8, 9, 3}));
    const IndexArgument crop[] = {range(2, 6), range(3, 7), all};
    const Dimensions last = pd::select(image, crop);
    const Dimensions first = pd::transpose(last, ints({2, 0, 1}));
    for (const Dimensions& view : {last, first}) {
        for (index_t i = 0; i < view.size(); ++i)
            CHECK(globals(view, view.global_to_local(i)) == Addresses{i});
        CHECK(globals(view, 0).empty());
        CHECK(globals(view, 1 << 20).empty());
    }
}

TEST_CASE("few steps on a view of 10^9 elements", "[dimensions]") {
    const index_t k = 1000;
    const Dimensions cube = Dimensions::row_major(ints({k, k, k}));
    const index_t address = 123456789;
    CHECK(within(10, cube, address) == Addresses{address});
    CHECK(within(20, pd::transpose(cube, ints({2, 0, 1})), address) == Addresses{789123456});
    CHECK(within(20, pd::flip(cube), address) == Addresses{k * k * k - 1 - address});
    const Dimensions padded = Dimensions::padded(ints({k, k, k}), ints({1009, 1013, 1019}));
    CHECK(within(20, pd::transpose(padded, ints({2, 1, 0})),
                 padded.global_to_local(ints({12, 34, 56}))) == Addresses{56034012});
    CHECK(within(20, pd::rotate(cube, ints({1, 2, 3})), 0) == Addresses{1002003});
    const IndexArgument crop[] = {range(5, 900, 3), range(900, 5, -7), all};
    CHECK(within(20, pd::select(cube, crop), 6).empty());
    // Repetitions come one at a time.
    CHECK(within(500, pd::broadcast(cube, ints({k, k, k, k})), address).size() == 100);
    CHECK(within(500, pd::broadcast(cube, ints({k * k, k, k})), address).size() == 100);
    CHECK(within(500, pd::broadcast(Dimensions(), ints({k, k, k})), 0).size() == 100);
    CHECK(within(10, pd::broadcast(cube, ints({k, k, k, k})), -1).empty());
}

TEST_CASE("few steps where strides interleave", "[dimensions]") {
    const index_t n = 1000000;
    const Dimensions line = Dimensions::row_major(ints({n * 1000}));
    const Addresses found = within(20, pd::sliding_window(line, 0, 5), 777777);
    CHECK(found ==
          Addresses{777773 * 5 + 4, 777774 * 5 + 3, 777775 * 5 + 2, 777776 * 5 + 1, 777777 * 5});
    // 1000003·i + 1000000·j, coprime: one congruence instead of a million candidates.
    const Dimensions coprime = Dimensions::strided(ints({n, n}), ints({1000003, 1000000}));
    CHECK(within(20, coprime, n * 4567 + 1000003 * 123) == Addresses{123 * n + 4567});
    // Repeated by an axis in between, of which none is tried in vain.
    const Dimensions between = Dimensions::strided(ints({n, 1000, n}), ints({1000003, 0, 1000000}));
    CHECK(within(20, between, n * 4567 + 1000003 * 123 + 1).empty());
}

TEST_CASE("lists are inverted through their sorted positions", "[dimensions]") {
    std::vector<index_t> indexes(100000);
    for (std::size_t i = 0; i < indexes.size(); ++i)
        indexes[i] = static_cast<index_t>(i * 7919 % 50000);
    const Dimensions dims =
        pd::select(Dimensions::row_major(ints({50000, 100})), 0, make_index_sequence(indexes));
    const index_t value = indexes[4321];
    CHECK(within(20, dims, value * 100 + 7) == Addresses{432107, 432107 + 5000000});
    CHECK(within(20, pd::flip(dims, ints({0})), value * 100 + 7) ==
          Addresses{(99999 - 54321) * 100 + 7, (99999 - 4321) * 100 + 7});
}

TEST_CASE("indexes ascend through several layers", "[dimensions]") {
    const Dimensions tiled = pd::broadcast(Dimensions::row_major(ints({4})), ints({8}));
    const Dimensions again = pd::broadcast(pd::select(tiled, 0, range(1, 7)), ints({12}));
    CHECK(again.layer_count() == 2);
    CHECK(globals(again, 1) == Addresses{0, 4, 6, 10});
    CHECK(globals(again, 0) == Addresses{3, 9});
    // In an order of its own: a reshape of a transposed broadcast.
    const Dimensions turned = pd::transpose(
        pd::broadcast(Dimensions::row_major(ints({2, 3})), ints({4, 6})), ints({1, 0}));
    const Dimensions view = pd::transpose(pd::reshape(turned, ints({3, 8})), ints({1, 0}));
    const Addresses forward = addresses(view);
    for (index_t address = 0; address < 6; ++address) {
        Addresses expected;
        for (std::size_t i = 0; i < forward.size(); ++i)
            if (forward[i] == address) expected.push_back(static_cast<index_t>(i));
        CHECK(globals(view, address) == expected);
    }
}

TEST_CASE("any address may be asked for", "[dimensions]") {
    constexpr index_t largest = std::numeric_limits<index_t>::max();
    for (const Dimensions& dims :
         {Dimensions::strided(ints({3}), ints({-5}), 100),
          Dimensions::strided(ints({2}), ints({largest})), Dimensions::row_major(ints({0})),
          Dimensions::strided(ints({1}), ints({1}), largest)}) {
        static_cast<void>(globals(dims, largest));
        CHECK(globals(dims, -largest - 1).empty());
        CHECK(globals(dims, -1).empty());
    }
    CHECK(globals(Dimensions::strided(ints({2}), ints({largest})), largest) == Addresses{1});
}

TEST_CASE("an inverse map outlives what it was made of", "[dimensions]") {
    pd::GlobalIndexes indexes = [] {
        const Dimensions dims = pd::broadcast(Dimensions::row_major(ints({5})), ints({20}));
        return pd::InverseMap(dims)(3);
    }();
    pd::GlobalIndexes moved = std::move(indexes);
    CHECK(moved.next() == 3);
    CHECK(moved.next() == 8);
}

} // namespace inverse_test
