#include "expect.hpp"

#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/squeeze.hpp>

namespace squeeze_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("squeeze drops axes of size 1", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({1, 2, 1, 3}));
    CHECK(shape_of(pd::squeeze(dims)) == ints({2, 3}));
    CHECK(shape_of(pd::squeeze(dims, ints({-2}))) == ints({1, 2, 3}));
    CHECK(pd::squeeze(Dimensions::row_major(ints({1, 1}))) == Dimensions());
    const Dimensions turned = pd::rotate(dims, ints({0, 1, 0, 1}));
    CHECK(pd::squeeze(turned).layer_count() == 1);
    CHECK(addresses(pd::squeeze(turned)) == addresses(turned));
}

TEST_CASE("new_axis inserts one anywhere", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    CHECK(shape_of(pd::new_axis(dims, 0)) == ints({1, 2, 3}));
    CHECK(shape_of(pd::new_axis(dims, 1)) == ints({2, 1, 3}));
    CHECK(shape_of(pd::new_axis(dims, -1)) == ints({2, 3, 1}));
    CHECK(pd::squeeze(pd::new_axis(dims, 1)) == dims);
    CHECK(pd::new_axis(pd::rotate(dims, ints({1, 0})), 1).layer_count() == 1);
}

TEST_CASE("squeeze and new_axis check their axes", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({1, 2}));
    require_error<ShapeError>([&] { return pd::squeeze(dims, ints({1})); },
                              "squeeze: axis 1 has size 2, not 1");
    require_error<IndexError>(
        [&] {
            return pd::squeeze(dims, ints({0, -2}));
        },
        "squeeze: axis 0 is named twice in [0 -2]");
    require_error<IndexError>([&] { return pd::new_axis(dims, 3); },
                              "new_axis: axis 3 is out of range for rank 3");
    require_error<ShapeError>([] { return pd::new_axis(Dimensions::row_major(Shape(64, 1)), 0); },
                              "new_axis: rank 65 is above 64");
}

} // namespace squeeze_test
