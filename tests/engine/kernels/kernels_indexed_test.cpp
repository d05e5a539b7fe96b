#include "kernels_oracle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace kernels_indexed_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

using Bytes = std::vector<unsigned char>;

Bytes random_bytes(Random& random, index_t count) {
    Bytes bytes(static_cast<std::size_t>(count));
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(random.bits());
    return bytes;
}

/// Memory of exactly the bytes that `places` groups of `size` at a stride take; the first is at `start`.
struct Groups {
    Bytes bytes;
    index_t start;
    index_t stride;

    Groups(Random& random, index_t places, index_t stride_bytes, index_t size)
        : bytes(
              random_bytes(random, places == 0 ? 0 : (places - 1) * std::abs(stride_bytes) + size)),
          start(stride_bytes < 0 && places > 0 ? std::ssize(bytes) - size : 0),
          stride(stride_bytes) {}

    unsigned char* first() { return bytes.data() + start; }
    unsigned char* at(index_t i) { return bytes.data() + start + i * stride; }
};

/// Places that ascend by at most `step`, but for some that are far from each other and some that go back a little.
std::vector<index_t> near_places(Random& random, index_t count, index_t step) {
    std::vector<index_t> places(static_cast<std::size_t>(count));
    index_t at = 0;
    for (index_t& place : places) {
        place = at += random.below(step + 1);
        if (random.below(50) == 0) at += 100;
        if (random.below(4) == 0) place -= std::min(place, random.below(6));
    }
    return places;
}

} // namespace

TEST_CASE("Indexed copies: lists on either side, groups of every size, near and far") {
    for (const KernelTable* const table : available_kernels())
        for (const index_t size : {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 32, 33, 64, 65, 200}) {
            Random random(21);
            for (const index_t n : {0, 1, 2, 5, 31, 64, 100, 128, 129, 300})
                for (const index_t pad : {index_t{0}, index_t{1}, size})
                    for (unsigned which = 0; which < 32; ++which) {
                        if ((which & 3) == 0) continue; // one of them is a list
                        const bool in_listed = (which & 1) != 0;
                        const bool out_listed = (which & 2) != 0;
                        const bool far = (which & 4) != 0;
                        const bool streaming = (which & 8) != 0;
                        const index_t direction = (which & 16) != 0 ? -1 : 1;
                        INFO(table->name << " size " << size << " count " << n << " pad " << pad
                                         << " which " << which);
                        Groups in(random, n, direction * (size + pad), size);
                        Groups out(random, n, pad == 1 ? direction * size : size + pad, size);
                        Bytes expected = out.bytes;
                        std::vector<index_t> from(static_cast<std::size_t>(n));
                        std::vector<index_t> to(from.size());
                        std::iota(from.begin(), from.end(), index_t{0});
                        std::iota(to.begin(), to.end(), index_t{0});
                        if (in_listed)
                            for (index_t& index : from) index = random.below(n);
                        if (out_listed) // duplicates: the last one wins
                            for (index_t& index : to) index = random.below(n);
                        for (std::size_t i = 0; i < from.size(); ++i)
                            std::memcpy(expected.data() + out.start + to[i] * out.stride,
                                        in.at(from[i]), static_cast<std::size_t>(size));
                        table->copy_indexed(static_cast<std::size_t>(size), in.first(), in.stride,
                                            in_listed ? from.data() : nullptr, out.first(),
                                            out.stride, out_listed ? to.data() : nullptr, n, far,
                                            streaming);
                        REQUIRE(out.bytes == expected);
                    }
        }
}

TEST_CASE("Indexed copies: neighbours in any order, and some that are far from each other") {
    for (const KernelTable* const table : available_kernels())
        for (const index_t size : {4, 8}) {
            Random random(22);
            for (int round = 0; round < 400; ++round) {
                const index_t n = random.below(200);
                const index_t step = random.below(4);
                std::vector<index_t> from = near_places(random, n, step);
                if (round % 3 == 1) std::ranges::reverse(from);
                const index_t places = 1 + (n == 0 ? 0 : *std::ranges::max_element(from));
                Groups in(random, places, size, size);
                Groups out(random, n, size, size);
                Bytes expected = out.bytes;
                for (std::size_t i = 0; i < from.size(); ++i)
                    std::memcpy(expected.data() + static_cast<index_t>(i) * size, in.at(from[i]),
                                static_cast<std::size_t>(size));
                INFO(table->name << " size " << size << " round " << round);
                table->copy_indexed(static_cast<std::size_t>(size), in.first(), size, from.data(),
                                    out.first(), size, nullptr, n, round % 2 == 0, round % 5 == 0);
                REQUIRE(out.bytes == expected);
            }
        }
}

TEST_CASE("Indexed copies: elements and the ones behind them") {
    for (const KernelTable* const table : available_kernels())
        for (const index_t size : {1, 2, 4, 8}) {
            Random random(23);
            for (int round = 0; round < 300; ++round) {
                const index_t n = random.below(300);
                const index_t step = random.below(5);
                std::vector<index_t> from = near_places(random, n, step);
                if (round % 7 == 6)
                    for (index_t& index : from) index = random.below(4000);
                if (round % 3 == 1) std::ranges::reverse(from);
                const index_t places = 2 + (n == 0 ? 0 : *std::ranges::max_element(from));
                Groups in(random, places, size, size);
                Groups firsts(random, n, size, size), seconds(random, n, size, size);
                Bytes expected_first = firsts.bytes, expected_second = seconds.bytes;
                const auto s = static_cast<std::size_t>(size);
                for (std::size_t i = 0; i < from.size(); ++i) {
                    std::memcpy(expected_first.data() + i * s, in.at(from[i]), s);
                    std::memcpy(expected_second.data() + i * s, in.at(from[i] + 1), s);
                }
                INFO(table->name << " size " << size << " round " << round);
                table->copy_indexed_pairs(s, in.first(), from.data(), firsts.first(),
                                          seconds.first(), n, round % 2 == 0);
                REQUIRE(firsts.bytes == expected_first);
                REQUIRE(seconds.bytes == expected_second);
            }
        }
}

TEST_CASE("Indexes are inside of an extent") {
    for (const KernelTable* const table : available_kernels()) {
        INFO(table->name);
        CHECK(table->are_inside(nullptr, 0, 0));
        for (const index_t extent : {1, 2, 100})
            for (const index_t n : {1, 7, 8, 33}) {
                std::vector<index_t> indexes(static_cast<std::size_t>(n));
                for (std::size_t i = 0; i < indexes.size(); ++i)
                    indexes[i] = static_cast<index_t>(i) % extent;
                CHECK(table->are_inside(indexes.data(), n, extent));
                CHECK_FALSE(table->are_inside(indexes.data(), n, 0));
                for (const index_t wrong :
                     {extent, index_t{-1}, std::numeric_limits<index_t>::min(),
                      std::numeric_limits<index_t>::max()})
                    for (index_t& index : indexes) {
                        const index_t right = std::exchange(index, wrong);
                        CHECK_FALSE(table->are_inside(indexes.data(), n, extent));
                        index = right;
                    }
            }
    }
}

} // namespace kernels_indexed_test
