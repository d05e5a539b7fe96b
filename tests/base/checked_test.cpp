#include "support/catch.hpp"

#include <purview/base/checked.hpp>

#include <limits>
#include <vector>

namespace checked_test {

namespace pv = purview;
using pv::index_t;

namespace {

constexpr index_t kMax = std::numeric_limits<index_t>::max();
constexpr index_t kMin = std::numeric_limits<index_t>::lowest();
// clang-format off
const std::vector<index_t> kEdges{kMin, kMin + 1, kMin / 2, -(index_t{1} << 32), -3, -2, -1, 0, 1, 2, 3,
                                  (index_t{1} << 31) - 1, index_t{1} << 31, index_t{1} << 32, 3037000499,
                                  3037000500, kMax / 3, kMax / 2, kMax / 2 + 1, kMax - 1, kMax};
// clang-format on

__extension__ using wide_t = __int128;

bool representable(wide_t value) { return value >= kMin && value <= kMax; }

} // namespace

TEST_CASE("Products and sums are right or refused") {
    for (const index_t a : kEdges) {
        for (const index_t b : kEdges) {
            const wide_t product = static_cast<wide_t>(a) * b;
            if (representable(product))
                CHECK(pv::checked_multiply(a, b, "size") == static_cast<index_t>(product));
            else
                CHECK_THROWS_AS(pv::checked_multiply(a, b, "size"), pv::ShapeError);
            const wide_t sum = static_cast<wide_t>(a) + b;
            if (representable(sum))
                CHECK(pv::checked_add(a, b, "size") == static_cast<index_t>(sum));
            else
                CHECK_THROWS_AS(pv::checked_add(a, b, "size"), pv::ShapeError);
        }
    }
    CHECK_THROWS_WITH(pv::checked_add(kMax, 1, "pad"),
                      "pad: 9223372036854775807 and 1 overflow a 64-bit index");
}

TEST_CASE("The size of a shape") {
    CHECK(pv::checked_size(pv::ShapeSpan{}, "size") == 1);
    CHECK(pv::checked_size(pv::Shape{7}, "size") == 7);
    CHECK(pv::checked_size(pv::Shape{2, 3, 4}, "size") == 24);
    CHECK(pv::checked_size(pv::Shape{2, 0, 4}, "size") == 0);
    CHECK(pv::checked_size(pv::Shape{kMax, 1}, "size") == kMax);
    CHECK(pv::checked_size(pv::Shape{0, kMax}, "size") == 0);
    CHECK_THROWS_AS(pv::checked_size(pv::Shape{2, -1}, "zeros"), pv::ShapeError);
    CHECK_THROWS_WITH(pv::checked_size(pv::Shape{2, -1}, "zeros"),
                      "zeros: shape [2 -1] has a negative extent");
    CHECK_THROWS_AS(pv::checked_size(pv::Shape{0, -1}, "zeros"), pv::ShapeError);
    CHECK_THROWS_AS(pv::checked_size(pv::Shape{kMax, 2}, "zeros"), pv::ShapeError);
    // Views of an empty tensor could otherwise have a size that cannot be told.
    CHECK_THROWS_AS(pv::checked_size(pv::Shape{0, kMax, 2}, "zeros"), pv::ShapeError);
    CHECK_THROWS_AS(pv::checked_size(pv::Shape{kMax, 0, 2}, "zeros"), pv::ShapeError);
}

TEST_CASE("Axes and indexes count from either end") {
    for (int rank = 0; rank < 5; ++rank) {
        for (index_t axis = -6; axis < 6; ++axis) {
            if (axis >= -rank && axis < rank)
                CHECK(pv::checked_axis(axis, rank, "sum") == (axis < 0 ? axis + rank : axis));
            else
                CHECK_THROWS_AS(pv::checked_axis(axis, rank, "sum"), pv::IndexError);
        }
    }
    for (const index_t size : {index_t{0}, index_t{1}, index_t{5}, kMax}) {
        for (const index_t index : kEdges) {
            if (index >= -size && index < size)
                CHECK(pv::checked_index(index, size, 1, "select") ==
                      (index < 0 ? index + size : index));
            else
                CHECK_THROWS_AS(pv::checked_index(index, size, 1, "select"), pv::IndexError);
        }
    }
    CHECK_THROWS_WITH(pv::checked_axis(3, 2, "sum"), "sum: axis 3 is out of range for rank 2");
    CHECK_THROWS_WITH(pv::checked_index(5, 3, 1, "select"),
                      "select: index 5 is out of range for axis 1 of size 3");
    CHECK_THROWS_AS(pv::checked_axis(kMin, 2, "sum"), pv::IndexError);
}

} // namespace checked_test
