#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>

namespace reshape_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("a contiguous one reshapes to row-major strides", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3, 4}));
    CHECK(pd::reshape(dims, ints({6, 4})) == Dimensions::row_major(ints({6, 4})));
    CHECK(pd::reshape(dims, ints({-1})) == Dimensions::row_major(ints({24})));
    CHECK(pd::reshape(dims, ints({4, -1, 2})) == Dimensions::row_major(ints({4, 3, 2})));
    CHECK(pd::reshape(pd::select(dims, 0, 1), ints({12})).base() == 12);
    CHECK(pd::reshape(Dimensions(), ints({1, 1})).rank() == 2);
    CHECK(pd::reshape(Dimensions::row_major(ints({1, 1})), ints({})).rank() == 0);
}

TEST_CASE("strides express a reshape where NumPy needs no copy", "[dimensions]") {
    const Dimensions turned = pd::transpose(Dimensions::row_major(ints({4, 6})), ints({1, 0}));
    CHECK(strides_of(pd::reshape(turned, ints({2, 3, 4}))) == ints({3, 1, 6}));
    CHECK(strides_of(pd::reshape(turned, ints({6, 1, 2, 1, 2}))) == ints({1, 0, 12, 0, 6}));
    const Dimensions padded = Dimensions::padded(ints({4, 6}), ints({4, 8}));
    CHECK(strides_of(pd::reshape(padded, ints({2, 2, 6}))) == ints({16, 8, 1}));
    CHECK(pd::reshape(padded, ints({24})).layer_count() == 2);
    const Dimensions flipped = pd::flip(Dimensions::row_major(ints({4, 6})));
    CHECK(strides_of(pd::reshape(flipped, ints({24}))) == ints({-1}));
    CHECK(strides_of(pd::reshape(flipped, ints({8, 3}))) == ints({-3, -1}));
    const Dimensions still = Dimensions::strided(ints({4, 1, 6}), ints({6, 77, 1}), 3);
    CHECK(pd::reshape(still, ints({24})).layer_count() == 1);
    const Dimensions repeated = pd::broadcast(Dimensions::row_major(ints({1})), ints({12}));
    CHECK(strides_of(pd::reshape(repeated, ints({3, 4}))) == ints({0, 0}));
}

TEST_CASE("axes that keep their extent keep their index map", "[dimensions]") {
    const Dimensions turned = pd::rotate(Dimensions::row_major(ints({4, 6, 5})), ints({0, 0, 2}));
    const Dimensions view = pd::reshape(turned, ints({24, 5}));
    CHECK(view.layer_count() == 1);
    CHECK(addresses(view) == addresses(turned));
}

TEST_CASE("other reshapes are one layer more", "[dimensions]") {
    const Dimensions turned = pd::transpose(Dimensions::row_major(ints({2, 3})), ints({1, 0}));
    const Dimensions view = pd::reshape(turned, ints({6}));
    CHECK(view.layer_count() == 2);
    CHECK(addresses(view) == Addresses{0, 3, 1, 4, 2, 5});
    CHECK(pd::reshape(view, ints({2, 3})).layer_count() == 2);
    CHECK(pd::reshape(view, ints({3, 2})) == turned); // undone
    CHECK(pd::reshape(view, ints({3, 1, 2})).layer_count() == 1);
    const Dimensions rotated = pd::rotate(Dimensions::row_major(ints({6})), ints({1}));
    CHECK(pd::reshape(rotated, ints({2, 3})).layer_count() == 2);
    CHECK(addresses(pd::reshape(rotated, ints({2, 3}))) == Addresses{5, 0, 1, 2, 3, 4});
}

TEST_CASE("empty ones take any empty shape", "[dimensions]") {
    const Dimensions empty = Dimensions::row_major(ints({0, 3}));
    CHECK(shape_of(pd::reshape(empty, ints({5, 0, 2}))) == ints({5, 0, 2}));
    CHECK(shape_of(pd::reshape(empty, ints({-1, 3}))) == ints({0, 3}));
}

TEST_CASE("a reshape to another count names both shapes", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    require_error<ShapeError>([&] { return pd::reshape(dims, ints({4})); },
                              "reshape: shape [2 3] of 6 elements cannot become shape [4]");
    require_error<ShapeError>(
        [&] {
            return pd::reshape(dims, ints({4, -1}));
        },
        "reshape: shape [2 3] of 6 elements cannot become shape [4 -1]");
    require_error<ShapeError>(
        [&] {
            return pd::reshape(dims, ints({-1, -1}));
        },
        "reshape: shape [-1 -1] has more than one extent to infer");
    require_error<ShapeError>(
        [] {
            return pd::reshape(Dimensions::row_major(ints({0})), ints({0, -1}));
        },
        "reshape: shape [0] of 0 elements cannot become shape [0 -1]");
    CHECK_THROWS_AS(pd::reshape(dims, ints({-2, -3})), ShapeError);
    CHECK_THROWS_AS(pd::reshape(dims, ints({index_t{1} << 40, index_t{1} << 40})), ShapeError);
}

} // namespace reshape_test
