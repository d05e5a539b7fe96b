#include "expect.hpp"

#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>

#include <limits>

namespace rotate_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("tech.datatype's rotate moves elements forward", "[dimensions]") {
    const Dimensions dims = pd::rotate(Dimensions::row_major(ints({3, 3})), ints({0, 1}));
    CHECK(addresses(dims) == Addresses{2, 0, 1, 5, 3, 4, 8, 6, 7});
    CHECK(dims.offsets() == ints({0, 2})); // the raw phase went down by 1, modulo 3
    CHECK(dims.layer_count() == 1);
}

TEST_CASE("any amount is taken modulo the size", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({5}));
    for (index_t k = -12; k <= 12; ++k) {
        Addresses expected(5);
        for (index_t g = 0; g < 5; ++g)
            expected[static_cast<std::size_t>(((g + k) % 5 + 5) % 5)] = g;
        CHECK(addresses(pd::rotate(dims, ints({k}))) == expected);
    }
    constexpr index_t smallest = std::numeric_limits<index_t>::min();
    CHECK(pd::rotate(dims, ints({smallest})) == pd::rotate(dims, ints({smallest % 5})));
    CHECK(pd::rotate(Dimensions::row_major(ints({0, 1})), ints({7, smallest})).rank() == 2);
}

TEST_CASE("rotations add up in one layer", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({1000000007}));
    const Dimensions turned = pd::rotate(pd::rotate(dims, ints({5})), ints({-3}));
    CHECK(turned == pd::rotate(dims, ints({2})));
    CHECK(pd::rotate(turned, ints({-2})) == dims); // and back to a plain axis
    CHECK(pd::rotate(pd::flip(turned), ints({9})).layer_count() == 1);
    CHECK(pd::flip(pd::rotate(pd::flip(turned), ints({2}))).is_strided());
}

TEST_CASE("a rotation of a part of a rotation is a layer more", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({6}));
    CHECK(pd::rotate(pd::select(dims, 0, range(1, 5)), ints({1})).layer_count() == 1);
    const Dimensions part = pd::select(pd::rotate(dims, ints({2})), 0, range(1, 5)); // 5 0 1 2
    const Dimensions view = pd::rotate(part, ints({1}));
    CHECK(view.layer_count() == 2);
    CHECK(addresses(view) == Addresses{2, 5, 0, 1});
}

TEST_CASE("rotations of lists need no new list", "[dimensions]") {
    const Dimensions picked = pd::select(Dimensions::row_major(ints({9})), 0, list({5, 1, 7}));
    const Dimensions view = pd::rotate(picked, ints({1}));
    CHECK(view.layer(0).maps[0].table == picked.layer(0).maps[0].table);
    CHECK(addresses(view) == Addresses{7, 5, 1});
}

TEST_CASE("rotate needs one amount for each axis", "[dimensions]") {
    require_error<ShapeError>(
        [] {
            return pd::rotate(Dimensions::row_major(ints({2, 3})), ints({1}));
        },
        "rotate: 1 amounts in [1] for rank 2");
}

} // namespace rotate_test
