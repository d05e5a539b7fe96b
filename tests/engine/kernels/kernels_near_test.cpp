#include "kernels_guard_arena.hpp"

#include "engine/gather/near_offsets.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kernels_near_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

/// Offsets that ascend by at most `step`, but for some that go back a little and, one in `far`, leaps.
std::vector<index_t> random_offsets(Random& random, index_t count, index_t step, index_t far) {
    std::vector<index_t> offsets;
    index_t at = 0;
    for (index_t i = 0; i < count; ++i) {
        at += random.below(step + 1) + (random.below(far) == 0 ? 70 : 0);
        offsets.push_back(at - std::min(at, random.below(4) == 0 ? random.below(6) : 0));
    }
    if (random.below(3) == 0) std::ranges::reverse(offsets);
    if (random.below(9) == 0) std::ranges::rotate(offsets, offsets.begin() + count / 2);
    const index_t first = offsets.empty() ? 0 : offsets.front();
    for (index_t& offset : offsets) offset -= first;
    return offsets;
}

} // namespace

TEST_CASE("Offsets made ready: what is read lies between the least and the largest") {
    Random random(31);
    int found = 0;
    for (const index_t size : {4, 8})
        for (const std::size_t vector_bytes : {std::size_t{32}, std::size_t{64}})
            for (int round = 0; round < 500; ++round) {
                const index_t n = static_cast<index_t>(vector_bytes) / size;
                const auto offsets =
                    random_offsets(random, random.below(200), random.below(4), 100);
                INFO("size " << size << " vectors of " << vector_bytes << " round " << round);
                const auto near = NearOffsets::find(offsets, size, vector_bytes);
                if (!near) continue;
                ++found;
                const auto [least, most] = std::ranges::minmax(offsets);
                const NearIndexes list = near->with(offsets.data());
                for (index_t i = 0; i + n <= std::ssize(offsets); i += n) {
                    const index_t start = list.starts[i / n];
                    if (start == kFarApart) continue;
                    REQUIRE(start >= least);
                    REQUIRE(start + 2 * n - 1 <= most);
                    for (index_t k = i; k < i + n; ++k) {
                        REQUIRE(list.lanes[k] < 2 * n);
                        REQUIRE(start + list.lanes[k] == offsets[static_cast<std::size_t>(k)]);
                    }
                }
            }
    CHECK(found > 1000);
}

TEST_CASE("Offsets made ready: not of what lies far apart, is short, or no vector holds") {
    std::vector<index_t> offsets;
    for (index_t i = 0; i < 100; ++i) offsets.push_back(i);
    CHECK(NearOffsets::find(offsets, 4, 32));
    CHECK_FALSE(NearOffsets::find(offsets, 4, 0));
    CHECK_FALSE(NearOffsets::find(offsets, 1, 32));
    CHECK_FALSE(NearOffsets::find(offsets, 12, 32));
    CHECK_FALSE(NearOffsets::find(std::span(offsets).first(7), 4, 32));
    CHECK_FALSE(NearOffsets::find(std::span(offsets).first(15), 4, 32)); // 16 are read
    CHECK(NearOffsets::find(std::span(offsets).first(16), 4, 32));
    CHECK_FALSE(NearOffsets::find({}, 4, 32));
    for (index_t& offset : offsets) offset *= 5;
    CHECK_FALSE(NearOffsets::find(offsets, 4, 32));
    CHECK_FALSE(NearOffsets::find(std::vector<index_t>(100, 3), 4, 32));
}

TEST_CASE("Guard pages: elements, and the ones behind them, by offsets made ready") {
    Arena arena;
    Random random(32);
    for (const KernelTable* const table : available_kernels()) {
        if (table->near_bytes == 0) continue;
        int found = 0;
        for (const index_t size : {4, 8})
            for (int round = 0; round < 2000; ++round) {
                const auto offsets = random_offsets(random, random.below(300), random.below(4),
                                                    round % 2 == 0 ? 10'000 : 60);
                const auto near = NearOffsets::find(offsets, size, table->near_bytes);
                if (!near) continue;
                ++found;
                const index_t all = std::ssize(offsets);
                const index_t begin = random.below(3) == 0 ? 0 : random.below(all);
                const index_t count =
                    random.below(3) == 0 ? all - begin : random.below(all - begin + 1);
                const bool pairs = random.below(3) != 0;
                const auto [least, most] = std::ranges::minmax(offsets);
                const auto s = static_cast<std::size_t>(size);
                const auto bytes = static_cast<std::size_t>(count) * s;
                INFO(table->name << " size " << size << " round " << round << " begin " << begin
                                 << " count " << count << " of " << all << " pairs " << pairs);
                const auto places =
                    arena.place(static_cast<std::size_t>(most - least + (pairs ? 2 : 1)) * s,
                                (pairs ? 2 : 1) * bytes, random.below(2) == 0,
                                static_cast<std::size_t>(random.below(5)));
                const unsigned char* const first = places.in - least * size;
                table->copy_near(s, first, near->with(offsets.data()), begin, count, places.out,
                                 pairs ? places.out + bytes : nullptr);
                for (index_t i = 0; i < count; ++i) {
                    const unsigned char* const from =
                        first + offsets[static_cast<std::size_t>(begin + i)] * size;
                    std::memcpy(arena.twin.data() + i * size, from, s);
                    if (pairs) std::memcpy(arena.twin.data() + bytes + i * size, from + size, s);
                }
                REQUIRE(arena.agrees(places));
            }
        CHECK(found > 1000);
    }
}

} // namespace kernels_near_test
