#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>

namespace reduce_test {

using namespace purview;
namespace pd = purview::dimensions;

namespace {

Dimensions reduced(const Dimensions& dims, int rank, int layers = 1) {
    const Dimensions result = pd::reduce(dims);
    CHECK(result.rank() == rank);
    CHECK(result.layer_count() == layers);
    CHECK(addresses(result) == addresses(dims));
    return result;
}

} // namespace

TEST_CASE("axes that can be walked as one are merged", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 1, 3, 4}));
    reduced(dims, 1);
    reduced(pd::flip(dims), 1);
    reduced(pd::select(dims, 3, range(0, 2)), 2);
    reduced(pd::transpose(dims, ints({2, 3, 0, 1})), 2);
    reduced(pd::transpose(dims, ints({3, 2, 1, 0})), 3);
    reduced(Dimensions(), 0);
    reduced(Dimensions::row_major(ints({1, 1})), 0);
    reduced(pd::broadcast(Dimensions(), ints({3, 4})), 1);
}

TEST_CASE("a rotated or tiled outer axis takes plain ones in", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({4, 6}));
    CHECK(reduced(pd::rotate(dims, ints({1, 0})), 1).shape() == ints({24}));
    reduced(pd::broadcast(dims, ints({12, 6})), 1);
    reduced(pd::rotate(dims, ints({0, 1})), 2);
    reduced(pd::flip(pd::rotate(dims, ints({1, 0}))), 2);
}

TEST_CASE("layers that fold after merging do", "[dimensions]") {
    const Dimensions turned = pd::transpose(Dimensions::row_major(ints({4, 6})), ints({1, 0}));
    reduced(pd::reshape(turned, ints({24})), 2, 1); // walks the transposed one in its own order
    reduced(pd::select(pd::reshape(turned, ints({24})), 0, range(4, 16)), 2, 1); // whole rows
    reduced(pd::flip(pd::reshape(turned, ints({24}))), 2, 1);
    reduced(pd::select(pd::reshape(turned, ints({24})), 0, range(1, 24, 5)), 1, 2);
    const Dimensions back =
        pd::transpose(pd::reshape(pd::reshape(turned, ints({24})), ints({6, 4})), ints({1, 0}));
    CHECK(back.layer_count() == 1); // the second reshape undoes the first
    reduced(back, 1);
}

TEST_CASE("an empty one reduces to one empty axis", "[dimensions]") {
    CHECK(shape_of(pd::reduce(Dimensions::row_major(ints({3, 0, 2})))) == ints({0}));
}

} // namespace reduce_test
