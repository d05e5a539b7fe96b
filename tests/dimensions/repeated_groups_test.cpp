#include "expect.hpp"

#include <purview/dimensions/repeated_groups.hpp>

namespace repeated_groups_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("one address for each part of the row-major order", "[dimensions]") {
    CHECK(addresses(pd::repeated_groups(ints({2, 2, 3}), 4)) ==
          Addresses{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3});
    CHECK(strides_of(pd::repeated_groups(ints({2, 3, 4}), 2)) == ints({1, 0, 0}));
    CHECK(addresses(pd::repeated_groups(ints({1, 3, 1, 2, 1}), 3)) == Addresses{0, 0, 1, 1, 2, 2});
    CHECK(addresses(pd::repeated_groups(ints({3}), 3)) == Addresses{0, 1, 2});
    CHECK(addresses(pd::repeated_groups(ints({3}), 1)) == Addresses{0, 0, 0});
    CHECK(addresses(pd::repeated_groups(ints({}), 1)) == Addresses{0});
    CHECK(pd::repeated_groups(ints({3, 0}), 3).size() == 0);
    CHECK(pd::repeated_groups(ints({0, 3}), 0).size() == 0);
}

} // namespace repeated_groups_test
