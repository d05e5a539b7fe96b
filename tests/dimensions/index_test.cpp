#include "expect.hpp"

#include <limits>
#include <optional>

namespace index_test {

using namespace purview;

namespace {

struct Naive {
    Addresses indexes;
};

// Python's slice.indices, as its language reference defines it.
Naive slice(std::optional<index_t> begin, std::optional<index_t> end, index_t step, index_t size) {
    const auto clip = [&](index_t bound) {
        if (bound < 0) bound += size;
        if (bound < 0) return step < 0 ? index_t{-1} : index_t{0};
        if (bound >= size) return step < 0 ? size - 1 : size;
        return bound;
    };
    const index_t first = begin ? clip(*begin) : step < 0 ? size - 1 : 0;
    const index_t last = end ? clip(*end) : step < 0 ? -1 : size;
    Naive result;
    for (index_t i = first; step < 0 ? i > last : i < last; i += step) result.indexes.push_back(i);
    return result;
}

} // namespace

TEST_CASE("ranges resolve as Python's slices do", "[dimensions]") {
    const std::optional<index_t> none;
    for (index_t size = 0; size <= 5; ++size)
        for (index_t step : {-7, -3, -2, -1, 1, 2, 3, 7})
            for (index_t b = -8; b <= 8; ++b)
                for (index_t e = -8; e <= 8; ++e) {
                    const auto begin = b == 8 ? none : std::optional<index_t>(b);
                    const auto end = e == 8 ? none : std::optional<index_t>(e);
                    const Range::Resolved r = range(begin, end, step).resolve(size);
                    Addresses indexes;
                    for (index_t i = 0; i < r.count; ++i) indexes.push_back(r.first + i * r.step);
                    CAPTURE(size, step, b, e);
                    REQUIRE(indexes == slice(begin, end, step, size).indexes);
                }
}

TEST_CASE("ranges survive the ends of index_t", "[dimensions]") {
    constexpr index_t largest = std::numeric_limits<index_t>::max();
    constexpr index_t smallest = std::numeric_limits<index_t>::min();
    for (const index_t step : {smallest, largest}) {
        const Range::Resolved r = range(std::nullopt, std::nullopt, step).resolve(largest);
        CHECK(r.count == 1);
        CHECK(r.first == (step > 0 ? 0 : largest - 1));
    }
    CHECK(range(smallest, largest).resolve(10).count == 10);
    CHECK(range(largest, smallest, -1).resolve(10).count == 10);
    CHECK(range(smallest, smallest, -1).resolve(10).count == 0);
    CHECK(range(0, largest, largest - 1).resolve(largest).count == 2);
}

TEST_CASE("a range of step 0 is refused", "[dimensions]") {
    require_error<IndexError>([] { return range(0, 3, 0); }, "range: step 0 never ends");
}

} // namespace index_test
