#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>

namespace broadcast_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("tech.datatype's broadcast tiles", "[dimensions]") {
    const Dimensions dims = pd::broadcast(Dimensions::row_major(ints({3, 3})), ints({6, 3}));
    CHECK(addresses(dims) == Addresses{0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(dims.shape() == ints({3, 3}));
    CHECK(shape_of(dims) == ints({6, 3}));
    CHECK(dims.layer_count() == 1);
}

TEST_CASE("size 1 becomes a stride of 0, on the left too", "[dimensions]") {
    const Dimensions dims = pd::broadcast(Dimensions::row_major(ints({1, 2})), ints({3, 4, 2}));
    CHECK(dims.is_strided());
    CHECK(strides_of(dims) == ints({0, 0, 1}));
    CHECK(pd::broadcast(Dimensions::row_major(ints({1})), ints({0})).size() == 0);
}

TEST_CASE("tiles of rotations and rotations of tiles are one layer", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({4}));
    const Dimensions tiled = pd::broadcast(pd::rotate(dims, ints({1})), ints({8}));
    CHECK(tiled.layer_count() == 1);
    CHECK(pd::broadcast(tiled, ints({24})).layer_count() == 1);
    CHECK(pd::rotate(tiled, ints({3})).layer_count() == 1);
    // Every third element of two tiles: a cycle of 4 again, walked by 3.
    const Dimensions strided = pd::select(pd::broadcast(dims, ints({12})), 0, range(0, 12, 3));
    CHECK(strided.layer_count() == 1);
    CHECK(pd::broadcast(strided, ints({8})).layer_count() == 1);
}

TEST_CASE("a tile of a part of a tile is a layer more", "[dimensions]") {
    const Dimensions tiled = pd::broadcast(Dimensions::row_major(ints({4})), ints({8}));
    const Dimensions part = pd::select(tiled, 0, range(1, 7));
    CHECK(part.layer_count() == 1);
    const Dimensions again = pd::broadcast(part, ints({12}));
    CHECK(again.layer_count() == 2);
    CHECK(addresses(again) == Addresses{1, 2, 3, 0, 1, 2, 1, 2, 3, 0, 1, 2});
}

TEST_CASE("a tile of a list needs no longer list", "[dimensions]") {
    const Dimensions picked = pd::select(Dimensions::row_major(ints({9})), 0, list({5, 1, 5}));
    const Dimensions tiled = pd::broadcast(picked, ints({3000000000}));
    CHECK(tiled.layer_count() == 1);
    CHECK(tiled.layer(0).maps[0].table->size() == 3);
    CHECK(tiled.shape() == ints({3}));
    // A part of the list, tiled: neither.
    const Dimensions part =
        pd::broadcast(pd::select(picked, 0, range(2, std::nullopt, -1)), ints({6}));
    CHECK(part.layer_count() == 1);
    CHECK(addresses(part) == Addresses{5, 1, 5, 5, 1, 5});
}

TEST_CASE("a broadcast that does not fit names axis and sizes", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    require_error<ShapeError>(
        [&] {
            return pd::broadcast(dims, ints({4, 7}));
        },
        "broadcast: axis 1 of size 3 cannot become size 7, which is not a multiple of it");
    require_error<ShapeError>([&] { return pd::broadcast(dims, ints({3})); },
                              "broadcast: shape [3] has fewer axes than [2 3]");
    CHECK_THROWS_AS(pd::broadcast(dims, ints({-2, 3})), ShapeError);
    CHECK_THROWS_AS(pd::broadcast(dims, ints({0, 3})), ShapeError);
    CHECK_THROWS_AS(pd::broadcast(dims, ints({index_t{1} << 61, 2, 3})), ShapeError);
}

TEST_CASE("expand follows NumPy", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 1}));
    CHECK(strides_of(pd::expand(dims, ints({2, 3, 4}))) == ints({0, 1, 0}));
    CHECK(shape_of(pd::expand(dims, ints({3, 0}))) == ints({3, 0}));
    CHECK(pd::expand(pd::rotate(dims, ints({1, 0})), ints({3, 4})).layer_count() == 1);
    require_error<ShapeError>(
        [&] {
            return pd::expand(dims, ints({6, 1}));
        },
        "expand: shapes [3 1] and [6 1] do not broadcast together");
    require_error<ShapeError>([&] { return pd::expand(dims, ints({3})); },
                              "expand: shapes [3 1] and [3] do not broadcast together");
}

TEST_CASE("shapes broadcast by NumPy's rule", "[dimensions]") {
    CHECK(pd::broadcast_shapes(ints({3, 1}), ints({4})) == ints({3, 4}));
    CHECK(pd::broadcast_shapes(ints({}), ints({2})) == ints({2}));
    CHECK(pd::broadcast_shapes(ints({1}), ints({0})) == ints({0}));
    CHECK(pd::broadcast_shapes(ints({5, 1, 2}), ints({3, 1})) == ints({5, 3, 2}));
    require_error<ShapeError>(
        [] {
            return pd::broadcast_shapes(ints({2, 3}), ints({2}));
        },
        "broadcast_shapes: shapes [2 3] and [2] do not broadcast together");
}

} // namespace broadcast_test
