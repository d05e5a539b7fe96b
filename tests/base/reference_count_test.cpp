#include <support/catch.hpp>
#include <support/sanitizers.hpp>

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

#if !UNDER_A_SANITIZER // half a minute, for what it does not look at
TEST_CASE("no pointer to what is immortal is the last, however many there have been", "[.slow]") {
    ReferenceCount count;
    count.make_immortal();
    CHECK_FALSE(count.drop()); // a pointer that was handed out without a count
    bool last = false;
    // 2^31 of them and some: a count that only grew would be small again.
    for (int i = 0; i <= 1 << 16; ++i) {
        for (int j = 0; j < 1 << 15; ++j) count.add();
        last |= count.drop();
    }
    for (int i = 0; i < 1 << 16; ++i) last |= count.drop();
    CHECK_FALSE(last);
    CHECK(count.is_shared());
}
#endif

} // namespace reference_count_test
