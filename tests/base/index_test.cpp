#include "support/catch.hpp"

#include <purview/base/index.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace index_test {

namespace pv = purview;

TEST_CASE("Shapes up to rank 6 are held inside") {
    pv::Shape shape;
    for (pv::index_t axis = 0; axis < pv::kInlineRank; ++axis) {
        shape.push_back(axis);
        const auto* const object = reinterpret_cast<const std::byte*>(&shape);
        const auto* const data = reinterpret_cast<const std::byte*>(shape.data());
        CHECK(data >= object);
        CHECK(data < object + sizeof(shape));
    }
    shape.push_back(6);
    CHECK(shape.size() == 7);
    CHECK(shape[6] == 6);
}

TEST_CASE("Spans of shapes come from whatever lies in memory") {
    const auto total = [](pv::ShapeSpan shape) {
        pv::index_t sum = 0;
        for (const pv::index_t extent : shape) sum += extent;
        return sum;
    };
    CHECK(total(pv::Shape{1, 2, 3}) == 6);
    CHECK(total(std::vector<pv::index_t>{4, 5}) == 9);
    CHECK(total(std::array<pv::index_t, 2>{7, 8}) == 15);
    const std::vector<pv::index_t> values{3, 1, 2};
    const pv::Shape copy = pv::to_shape(values);
    CHECK(std::equal(copy.begin(), copy.end(), values.begin(), values.end()));
}

} // namespace index_test
