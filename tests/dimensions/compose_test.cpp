#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/sliding_window.hpp>
#include <purview/dimensions/transpose.hpp>

namespace compose_test {

using namespace purview;
namespace pd = purview::dimensions;

namespace {

Addresses nested(const Dimensions& view, const Dimensions& source) {
    Addresses result = addresses(view);
    for (index_t& address : result) address = source.global_to_local(address);
    return result;
}

// A view, composed with a source: has so many layers and the right addresses.
void check(const Dimensions& view, const Dimensions& source, int layers) {
    const Dimensions result = pd::compose(view, source);
    CHECK(shape_of(result) == shape_of(view));
    CHECK(addresses(result) == nested(view, source));
    CHECK(result.layer_count() == layers);
}

const Dimensions plain = Dimensions::row_major(ints({4, 6}));
const Dimensions turned = pd::transpose(Dimensions::row_major(ints({6, 4})), ints({1, 0}));
const Dimensions padded = Dimensions::padded(ints({4, 6}), ints({4, 8}));
const Dimensions rotated = pd::rotate(plain, ints({1, 2}));
const Dimensions tiled = pd::broadcast(Dimensions::row_major(ints({2, 3})), ints({4, 6}));
const Dimensions picked = pd::select(Dimensions::row_major(ints({9, 6})), 0, list({8, 1, 1, 3}));

} // namespace

TEST_CASE("plain views fold into plain sources", "[dimensions]") {
    for (const Dimensions& source : {turned, padded}) {
        check(pd::transpose(plain, ints({1, 0})), source, 1);
        check(pd::flip(plain), source, 1);
        check(pd::select(plain, 1, range(5, 0, -2)), source, 1);
        check(pd::select(plain, 0, 2), source, 1);
        check(pd::diagonal(plain), source, 1);
        check(pd::sliding_window(plain, 1, 3), source, 1);
        check(pd::reshape(plain, ints({2, 2, 3, 2})), source, 1);
        check(pd::rotate(plain, ints({1, -1})), source, 1);
        check(pd::broadcast(plain, ints({8, 12})), source, 1);
        check(pd::select(plain, 1, list({3, 3, 0})), source, 1);
        CHECK(pd::compose(pd::transpose(plain, ints({1, 0})), source) ==
              pd::transpose(source, ints({1, 0})));
    }
}

TEST_CASE("what strides cannot say is a layer more", "[dimensions]") {
    check(Dimensions::row_major(ints({24})), turned, 2);
    check(Dimensions::row_major(ints({8, 3})), turned, 2);
    check(Dimensions::strided(ints({5}), ints({5})), turned, 2);
    check(pd::diagonal(plain), rotated, 2);
    check(pd::sliding_window(plain, 1, 3), rotated, 2);
    // Through axes that can be walked as one, it can.
    check(Dimensions::row_major(ints({24})), Dimensions::strided(ints({4, 6}), ints({12, 2}), 7),
          1);
    check(Dimensions::row_major(ints({8, 3})), pd::flip(plain), 1);
}

TEST_CASE("views fold into rotated, tiled and picked sources", "[dimensions]") {
    for (const Dimensions& source : {rotated, tiled, picked}) {
        check(pd::transpose(plain, ints({1, 0})), source, 1);
        check(pd::flip(plain), source, 1);
        check(pd::select(plain, 1, range(5, 0, -2)), source, 1);
        check(pd::select(plain, 0, 2), source, 1);
        check(pd::rotate(plain, ints({1, -1})), source, 1);
        check(pd::broadcast(plain, ints({8, 12})), source, 1);
        check(pd::select(plain, 0, list({3, 3, 0})), source, 1);
        check(pd::rotate(pd::select(plain, 0, list({3, 3, 0})), ints({1, 0})), source, 1);
    }
    // Not a whole number of cycles.
    check(pd::rotate(pd::select(plain, 0, range(0, 3)), ints({1, 0})), rotated, 2);
}

TEST_CASE("an identity on either side returns the other", "[dimensions]") {
    CHECK(pd::compose(plain, rotated) == rotated);
    CHECK(pd::compose(rotated, plain) == rotated);
    CHECK(pd::compose(rotated, Dimensions::row_major(ints({24}))) == rotated);
}

TEST_CASE("layers of both sides stay", "[dimensions]") {
    const Dimensions layered = pd::reshape(turned, ints({24}));
    check(pd::flip(Dimensions::row_major(ints({24}))), layered, 2);
    // Between them, what folds does.
    check(pd::reshape(turned, ints({24})), layered, 3);
    check(pd::reshape(pd::transpose(plain, ints({1, 0})), ints({24})), padded, 2);
}

TEST_CASE("a view of nothing reads nothing", "[dimensions]") {
    const Dimensions nothing = pd::select(plain, 0, range(2, 2));
    CHECK(shape_of(pd::compose(nothing, rotated)) == ints({0, 6}));
    CHECK(pd::compose(nothing, Dimensions::row_major(ints({0}))).size() == 0);
}

TEST_CASE("views that leave the source are refused", "[dimensions]") {
    require_error<ShapeError>([] { return pd::compose(plain, Dimensions::row_major(ints({23}))); },
                              "compose: the view reads indexes 0 to 23 of a source of 23 elements");
    CHECK_THROWS_AS(pd::compose(Dimensions::strided(ints({2}), ints({1}), -1), plain), ShapeError);
    CHECK_THROWS_AS(pd::compose(Dimensions(), Dimensions::row_major(ints({0}))), ShapeError);
}

} // namespace compose_test
