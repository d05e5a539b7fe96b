#include "expect.hpp"

#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/transpose.hpp>

namespace transpose_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("transpose exchanges strides", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 3}));
    CHECK(addresses(pd::transpose(dims, ints({1, 0}))) == Addresses{0, 3, 6, 1, 4, 7, 2, 5, 8});
    CHECK(pd::transpose(dims, ints({-1, -2})) == pd::transpose(dims, ints({1, 0})));
    CHECK(pd::transpose(Dimensions(), ints({})) == Dimensions());
}

TEST_CASE("move_axis keeps the order of the others", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3, 4, 5}));
    CHECK(shape_of(pd::move_axis(dims, 0, 2)) == ints({3, 4, 2, 5}));
    CHECK(shape_of(pd::move_axis(dims, -1, 0)) == ints({5, 2, 3, 4}));
    CHECK(shape_of(pd::move_axis(dims, 1, 1)) == ints({2, 3, 4, 5}));
    CHECK(shape_of(pd::swap_axes(dims, 0, -1)) == ints({5, 3, 4, 2}));
}

TEST_CASE("index maps travel with their axes", "[dimensions]") {
    const Dimensions turned = pd::rotate(Dimensions::row_major(ints({2, 3})), ints({0, 1}));
    const Dimensions view = pd::transpose(turned, ints({1, 0}));
    CHECK(view.layer_count() == 1);
    CHECK(addresses(view) == Addresses{2, 5, 0, 3, 1, 4});
    CHECK(pd::transpose(view, ints({1, 0})) == turned);
}

TEST_CASE("a permutation that is none says why", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    require_error<IndexError>(
        [&] {
            return pd::transpose(dims, ints({1, -1}));
        },
        "transpose: axis 1 is named twice in [1 -1]");
    require_error<IndexError>(
        [&] {
            return pd::transpose(dims, ints({0, 2}));
        },
        "transpose: axis 2 is out of range for rank 2");
    require_error<ShapeError>([&] { return pd::transpose(dims, ints({0})); },
                              "transpose: 1 axes in [0] for rank 2");
    require_error<IndexError>([&] { return pd::swap_axes(dims, 0, 2); },
                              "swap_axes: axis 2 is out of range for rank 2");
    require_error<IndexError>([&] { return pd::move_axis(dims, -3, 0); },
                              "move_axis: axis -3 is out of range for rank 2");
}

} // namespace transpose_test
