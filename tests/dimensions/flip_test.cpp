#include "expect.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/rotate.hpp>
#include <purview/dimensions/select.hpp>

#include <algorithm>

namespace flip_test {

using namespace purview;
namespace pd = purview::dimensions;

TEST_CASE("flip reverses axes", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    CHECK(addresses(pd::flip(dims)) == Addresses{5, 4, 3, 2, 1, 0});
    CHECK(addresses(pd::flip(dims, ints({-1}))) == Addresses{2, 1, 0, 5, 4, 3});
    CHECK(strides_of(pd::flip(dims)) == ints({-3, -1}));
    CHECK(pd::flip(pd::flip(dims)) == dims);
    CHECK(pd::flip(dims, ints({})) == dims);
    CHECK(pd::flip(Dimensions::row_major(ints({0, 1}))).size() == 0);
}

TEST_CASE("flip folds on every kind of axis, and undoes itself", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({5}));
    const Dimensions kinds[] = {pd::rotate(dims, ints({2})), pd::broadcast(dims, ints({15})),
                                pd::select(dims, 0, list({4, 0, 0, 2}))};
    for (const Dimensions& kind : kinds) {
        Addresses backwards = addresses(kind);
        std::reverse(backwards.begin(), backwards.end());
        CHECK(addresses(pd::flip(kind)) == backwards);
        CHECK(pd::flip(kind).layer_count() == 1);
        CHECK(pd::flip(pd::flip(kind)) == kind);
    }
}

TEST_CASE("flip names an axis that is not there, or twice", "[dimensions]") {
    const Dimensions dims = Dimensions::row_major(ints({2, 3}));
    require_error<IndexError>([&] { return pd::flip(dims, ints({2})); },
                              "flip: axis 2 is out of range for rank 2");
    require_error<IndexError>(
        [&] {
            return pd::flip(dims, ints({1, -1}));
        },
        "flip: axis 1 is named twice in [1 -1]");
}

} // namespace flip_test
