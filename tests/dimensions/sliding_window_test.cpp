#include "expect.hpp"

#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/sliding_window.hpp>

#include <limits>

namespace sliding_window_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("windows are two axes of one stride", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({5}));
    const Dimensions windows = pd::sliding_window(dims, 0, 3);
    CHECK(addresses(windows) == Addresses{0, 1, 2, 1, 2, 3, 2, 3, 4});
    CHECK(strides_of(windows) == ints({1, 1}));
    CHECK(windows.is_overlapping());
    CHECK(addresses(pd::sliding_window(dims, 0, 2, 3)) == Addresses{0, 1, 3, 4});
    CHECK(addresses(pd::sliding_window(dims, 0, 2, 2)) == Addresses{0, 1, 2, 3});
    CHECK(shape_of(pd::sliding_window(Dimensions::row_major(ints({4, 5})), 0, 3)) ==
          ints({2, 5, 3}));
    CHECK(shape_of(pd::sliding_window(dims, -1, 5)) == ints({1, 5}));
    CHECK(shape_of(pd::sliding_window(dims, 0, 1, std::numeric_limits<index_t>::max())) ==
          ints({1, 1}));
}

TEST_CASE("windows over a rotated axis are one layer more", "[dimensions]") {
    const Dimensions turned = pd::rotate(Dimensions::row_major(ints({4})), ints({1}));
    const Dimensions windows = pd::sliding_window(turned, 0, 2);
    CHECK(windows.layer_count() == 2);
    CHECK(addresses(windows) == Addresses{3, 0, 0, 1, 1, 2});
    CHECK(pd::sliding_window(turned, 0, 1).layer_count() == 1);
}

TEST_CASE("windows that do not fit say so", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 5}));
    require_error<ShapeError>([&] { return pd::sliding_window(dims, 1, 6); },
                              "sliding_window: window 6 does not fit axis 1 of size 5");
    require_error<ShapeError>([&] { return pd::sliding_window(dims, 1, 0); },
                              "sliding_window: window 0 does not fit axis 1 of size 5");
    require_error<ShapeError>([&] { return pd::sliding_window(dims, 1, 2, 0); },
                              "sliding_window: step 0 is not positive");
    require_error<IndexError>([&] { return pd::sliding_window(dims, 2, 1); },
                              "sliding_window: axis 2 is out of range for rank 2");
}

} // namespace sliding_window_test
