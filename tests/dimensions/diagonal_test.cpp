#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/diagonal.hpp>
#include <purview/dimensions/rotate.hpp>

#include <limits>

namespace diagonal_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("the diagonal adds strides", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 4}));
    CHECK(addresses(pd::diagonal(dims)) == Addresses{0, 5, 10});
    CHECK(strides_of(pd::diagonal(dims)) == ints({5}));
    CHECK(addresses(pd::diagonal(dims, 0, 1, 1)) == Addresses{1, 6, 11});
    CHECK(addresses(pd::diagonal(dims, 0, 1, 2)) == Addresses{2, 7});
    CHECK(addresses(pd::diagonal(dims, 0, 1, -1)) == Addresses{4, 9});
    CHECK(addresses(pd::diagonal(dims, -1, 0, 1)) == Addresses{4, 9});
    CHECK(shape_of(pd::diagonal(Dimensions::row_major(ints({2, 3, 4})), 0, 2)) == ints({3, 2}));
}

TEST_CASE("a diagonal outside of the array is empty", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 4}));
    constexpr index_t largest = std::numeric_limits<index_t>::max();
    for (const index_t offset : {index_t{4}, index_t{-3}, largest, -largest - 1})
        CHECK(pd::diagonal(dims, 0, 1, offset).size() == 0);
    CHECK(pd::diagonal(Dimensions::row_major(ints({0, 4}))).size() == 0);
}

TEST_CASE("the diagonal of a rotated or tiled matrix is one layer more", "[dimensions]") {
    const Dimensions turned = pd::rotate(Dimensions::row_major(ints({3, 3})), ints({0, 1}));
    const Dimensions view = pd::diagonal(turned);
    CHECK(view.layer_count() == 2);
    CHECK(addresses(view) == Addresses{2, 3, 7});
    const Dimensions tiled = pd::broadcast(Dimensions::row_major(ints({2, 4})), ints({4, 4}));
    CHECK(addresses(pd::diagonal(tiled)) == Addresses{0, 5, 2, 7});
    // A single element needs none.
    CHECK(pd::diagonal(turned, 0, 1, 2).layer_count() == 1);
}

TEST_CASE("the diagonal needs two axes", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({3, 4}));
    require_error<IndexError>([&] { return pd::diagonal(dims, 1, -1); },
                              "diagonal: axes 1 and -1 are the same");
    require_error<IndexError>([&] { return pd::diagonal(dims, 0, 2); },
                              "diagonal: axis 2 is out of range for rank 2");
}

} // namespace diagonal_test
