#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/base/reference_count.hpp>

#include <cstdint>

namespace reference_count_test {

using purview::ReferenceCount;

TEST_CASE("the last pointer of a count is told") {
    ReferenceCount count;
    CHECK_FALSE(count.is_shared());
    count.add();
    CHECK(count.is_shared());
    CHECK_FALSE(count.drop());
    CHECK_FALSE(count.is_shared());
    CHECK(count.drop());
}

TEST_CASE("no pointer to what is immortal is the last, however many there have been", "[.slow]") {
    ReferenceCount count;
    count.make_immortal();
    CHECK_FALSE(count.drop()); // a pointer that was handed out without a count
    bool last = false;
    for (int i = 0; i < oracle::rounds(1 << 16) && !last; ++i) { // 2^31 of them would overflow
        for (int j = 0; j < 1 << 15; ++j) count.add();
        last = count.drop();
    }
    CHECK_FALSE(last);
    CHECK(count.is_shared());
}

} // namespace reference_count_test
