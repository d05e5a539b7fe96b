#include "kernels_guard_arena.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace kernels_guard_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

TEST_CASE("Guard pages: fills, strided loads and stores, gathers and scatters") {
    Arena arena;
    GuardedMemory index_memory(kRoom);
    Random random(1);
    for_placements([&](const KernelTable& table, std::size_t size, bool at_end,
                       std::size_t distance) {
        const auto s = static_cast<index_t>(size);
        for (index_t n = 0; n <= 300; n += n < 70 ? 1 : 13) {
            const auto bytes = static_cast<std::size_t>(n * s);
            INFO("count " << n);
            auto [value, filled] = arena.place(size, bytes, at_end, distance);
            table.fill(size, value, filled, n);
            for (std::size_t i = 0; i < bytes; ++i) arena.twin[i] = value[i % size];
            CHECK(arena.agrees({value, filled}));
            fill_with_noise(filled, bytes, 1);
            table.fill_streaming(size, value, filled, n);
            table.finish_streams();
            CHECK(arena.agrees({value, filled}));

            auto* const indexes = static_cast<index_t*>(static_cast<void*>(
                index_memory.place(static_cast<std::size_t>(n) * sizeof(index_t), at_end)));
            for (index_t i = 0; i < n; ++i) indexes[i] = random.below(n);
            if (n % 3 > 0) std::sort(indexes, indexes + n); // neighbours are read in one piece
            if (n % 3 == 2) std::reverse(indexes, indexes + n);

            if (size <= 8 && (size & (size - 1)) == 0) {
                auto places = arena.place(bytes + size, 2 * bytes, at_end, distance);
                table.copy_indexed_pairs(size, places.in, indexes, places.out, places.out + bytes,
                                         n, n % 2 == 0);
                for (index_t i = 0; i < n; ++i) {
                    const unsigned char* const from = places.in + indexes[i] * s;
                    std::memcpy(arena.twin.data() + i * s, from, size);
                    std::memcpy(arena.twin.data() + (n + i) * s, from + s, size);
                }
                CHECK(arena.agrees(places));
            }

            for (const index_t stride : {s, -s, 2 * s, -2 * s, 3 * s, index_t{0}, 5 * s + 1}) {
                INFO("stride " << stride);
                const index_t reach = n == 0 ? 0 : (n - 1) * std::abs(stride) + s;
                const auto span = static_cast<std::size_t>(reach);
                const index_t start = stride < 0 && n > 0 ? reach - s : 0;

                auto places = arena.place(span, bytes, at_end, distance);
                table.load_strided(size, places.in + start, stride, places.out, n);
                for (index_t i = 0; i < n; ++i)
                    std::memcpy(arena.twin.data() + i * s, places.in + start + i * stride, size);
                CHECK(arena.agrees(places));

                places = arena.place(span, bytes, at_end, distance);
                table.copy_indexed(size, places.in + start, stride, indexes, places.out, s, nullptr,
                                   n, n % 2 == 0, false);
                for (index_t i = 0; i < n; ++i)
                    std::memcpy(arena.twin.data() + i * s, places.in + start + indexes[i] * stride,
                                size);
                CHECK(arena.agrees(places));
                if (stride == 0) continue;

                places = arena.place(bytes, span, at_end, distance);
                table.store_strided(size, places.in, places.out + start, stride, n);
                for (index_t i = 0; i < n; ++i)
                    std::memcpy(arena.twin.data() + start + i * stride, places.in + i * s, size);
                CHECK(arena.agrees(places));

                places = arena.place(bytes, span, at_end, distance);
                table.copy_indexed(size, places.in, s, nullptr, places.out + start, stride, indexes,
                                   n, n % 2 == 0, false);
                for (index_t i = 0; i < n; ++i)
                    std::memcpy(arena.twin.data() + start + indexes[i] * stride, places.in + i * s,
                                size);
                CHECK(arena.agrees(places));
            }
        }
    });
}

TEST_CASE("Guard pages: copies past the caches") {
    Arena arena;
    for (const KernelTable* const table : available_kernels())
        for (const bool at_end : {true, false})
            for (std::size_t n = 0; n <= 9000; n += n < 400 ? 1 : 577)
                for (const std::size_t distance :
                     {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{63}}) {
                    const auto places = arena.place(n, n, at_end, distance);
                    INFO(table->name << " bytes " << n << " at end " << at_end << " distance "
                                     << distance);
                    table->copy_streaming(places.in, places.out, n);
                    arena.twin.assign(places.in, places.in + n);
                    CHECK(arena.agrees(places));
                }
}

TEST_CASE("Guard pages: transposes") {
    Arena arena;
    Random random(3);
    for_placements([&](const KernelTable& table, std::size_t size, bool at_end,
                       std::size_t distance) {
        const auto s = static_cast<index_t>(size);
        for (int repeat = 0; repeat < 60; ++repeat) {
            const index_t rows = repeat < 20 ? repeat : random.below(80);
            const index_t columns = repeat < 20 ? 20 - repeat : random.below(80);
            const index_t pad = random.below(3) * s;
            const index_t in_stride = columns * s + pad;
            const index_t out_stride = repeat % 4 == 0 ? (rows * s + 63) / 64 * 64 : rows * s + pad;
            const bool none = rows == 0 || columns == 0;
            const index_t in_bytes = none ? 0 : (rows - 1) * in_stride + columns * s;
            const index_t out_bytes = none ? 0 : (columns - 1) * out_stride + rows * s;
            for (const bool streaming : {false, true}) {
                INFO(rows << " x " << columns << " pad " << pad << " streaming " << streaming);
                const auto places =
                    arena.place(static_cast<std::size_t>(in_bytes),
                                static_cast<std::size_t>(out_bytes), at_end, distance);
                table.transpose_2d(size, places.in, in_stride, places.out, out_stride, rows,
                                   columns, streaming);
                for (index_t r = 0; r < rows; ++r)
                    for (index_t c = 0; c < columns; ++c)
                        std::memcpy(arena.twin.data() + c * out_stride + r * s,
                                    places.in + r * in_stride + c * s, size);
                CHECK(arena.agrees(places));
            }
        }
    });
}

TEST_CASE("Guard pages: short rows") {
    Arena arena;
    Random random(4);
    for_placements([&](const KernelTable& table, std::size_t size, bool at_end,
                       std::size_t distance) {
        const auto s = static_cast<index_t>(size);
        for (int repeat = 0; repeat < 1500; ++repeat) {
            const std::array<index_t, 2> n{random.below(60),
                                           1 + random.below(repeat % 5 == 0 ? 40 : 5)};
            const index_t magnitude = s * (1 + random.below(3));
            index_t in[2] = {magnitude * n[1] + random.below(3) * s,
                             random.below(2) != 0 ? magnitude : -magnitude};
            if (random.below(4) == 0) in[0] = -in[0];
            if (random.below(6) == 0) in[0] = s;
            index_t out[2] = {n[1] * s, s};
            if (random.below(3) == 0) out[0] += s;
            if (random.below(5) == 0) {
                out[1] = 2 * s;
                out[0] = 2 * n[1] * s;
            }
            if (random.below(4) == 0) out[0] = -out[0];

            index_t low[2] = {0, 0};  // how far below element 0 each reaches
            index_t span[2] = {s, s}; // and how many bytes in all
            for (std::size_t axis = 0; axis < 2 && n[0] > 0; ++axis)
                for (std::size_t side = 0; side < 2; ++side) {
                    const index_t last = (n[axis] - 1) * (side == 0 ? in[axis] : out[axis]);
                    low[side] -= std::min(index_t{0}, last);
                    span[side] += std::abs(last);
                }
            INFO(n[0] << " x " << n[1] << " in " << in[0] << " " << in[1] << " out " << out[0]
                      << " " << out[1]);
            const auto places = arena.place(static_cast<std::size_t>(span[0]),
                                            static_cast<std::size_t>(span[1]), at_end, distance);
            table.copy_2d(size, places.in + low[0], in, places.out + low[1], out, n[0], n[1]);
            for (index_t i = 0; i < n[0]; ++i)
                for (index_t j = 0; j < n[1]; ++j)
                    std::memcpy(arena.twin.data() + low[1] + i * out[0] + j * out[1],
                                places.in + low[0] + i * in[0] + j * in[1], size);
            REQUIRE(arena.agrees(places));
        }
    });
}

TEST_CASE("Guard pages: groups of any size by lists, both ways and past the caches") {
    Arena arena;
    GuardedMemory in_memory(1 << 12), out_memory(1 << 12);
    Random random(5);
    for (const KernelTable* const table : available_kernels())
        for (const std::size_t size :
             std::initializer_list<std::size_t>{1, 2, 3, 4, 6, 8, 12, 16, 24, 31, 64, 100})
            for (int repeat = 0; repeat < 400; ++repeat) {
                const auto s = static_cast<index_t>(size);
                const index_t n = repeat < 60 ? repeat : random.below(300);
                const bool at_end = random.below(2) == 0;
                const std::size_t distance = at_end ? 0 : static_cast<std::size_t>(random.below(5));
                const bool far = random.below(2) == 0;
                const bool streaming = random.below(2) == 0;
                const index_t strides[2] = {s * (1 + random.below(2)), s + random.below(2)};
                // Inputs are read again and again; outputs, so that order matters, are written so.
                std::array<index_t*, 2> lists{};
                for (std::size_t side = 0; side < 2; ++side) {
                    if (random.below(3) == 0) continue;
                    const GuardedMemory& memory = side == 0 ? in_memory : out_memory;
                    lists[side] = static_cast<index_t*>(static_cast<void*>(memory.place(
                        static_cast<std::size_t>(n) * sizeof(index_t), random.below(2) == 0)));
                    for (index_t i = 0; i < n; ++i) lists[side][i] = random.below(n);
                }
                const auto bytes = [&](index_t stride) {
                    return static_cast<std::size_t>(n == 0 ? 0 : (n - 1) * stride + s);
                };
                INFO(table->name << " size " << size << " count " << n << " at end " << at_end
                                 << " lists " << (lists[0] != nullptr) << (lists[1] != nullptr)
                                 << " far " << far << " streaming " << streaming);
                const auto places =
                    arena.place(bytes(strides[0]), bytes(strides[1]), at_end, distance);
                table->copy_indexed(size, places.in, strides[0], lists[0], places.out, strides[1],
                                    lists[1], n, far, streaming);
                table->finish_streams();
                for (index_t i = 0; i < n; ++i) {
                    const index_t from = lists[0] == nullptr ? i : lists[0][i];
                    const index_t to = lists[1] == nullptr ? i : lists[1][i];
                    std::memcpy(arena.twin.data() + to * strides[1], places.in + from * strides[0],
                                size);
                }
                REQUIRE(arena.agrees(places));
            }
}

TEST_CASE("Guard pages: rows of columns at any offsets") {
    Arena arena;
    Random random(6);
    for_placements([&](const KernelTable& table, std::size_t size, bool at_end,
                       std::size_t distance) {
        const auto s = static_cast<index_t>(size);
        for (int repeat = 0; repeat < 1500; ++repeat) {
            const index_t planes = random.below(4);
            const index_t rows = random.below(50);
            const index_t columns = 1 + random.below(repeat % 2 == 0 ? 4 : kMostColumns);
            // Columns of the input anywhere near, again too; of the output in some order, with gaps.
            std::array<index_t, kMostColumns> from{}, to{};
            const index_t gap = 1 + random.below(2);
            for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j) {
                from[j] = (random.below(2 * columns) - columns / 2) * s;
                to[j] = static_cast<index_t>(j) * gap * s;
                std::swap(to[j],
                          to[static_cast<std::size_t>(random.below(static_cast<index_t>(j) + 1))]);
            }
            if (repeat % 3 == 0) // as pixels lie mostly
                for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j)
                    from[j] = static_cast<index_t>(j) * s;
            index_t in[2] = {0, s * (columns + random.below(3))};
            if (random.below(4) == 0) in[1] = -in[1];
            if (random.below(6) == 0) in[1] = s;
            in[0] = in[1] * rows + random.below(3) * s;
            index_t out[2] = {0, s * (columns * gap + random.below(2))};
            out[0] = out[1] * std::max(rows, index_t{1}) + random.below(2) * s;

            const auto reach = [&](const index_t* strides, const auto& offsets) {
                index_t low = 0, high = 0;
                if (planes > 0 && rows > 0) {
                    const auto last = offsets.begin() + static_cast<std::ptrdiff_t>(columns);
                    low = *std::min_element(offsets.begin(), last);
                    high = *std::max_element(offsets.begin(), last) + s;
                    for (const index_t step :
                         {(planes - 1) * strides[0], (rows - 1) * strides[1]}) {
                        low += std::min(index_t{0}, step);
                        high += std::max(index_t{0}, step);
                    }
                }
                return std::pair{-low, static_cast<std::size_t>(high - low)};
            };
            const auto [in_start, in_bytes] = reach(in, from);
            const auto [out_start, out_bytes] = reach(out, to);
            INFO(planes << " x " << rows << " x " << columns << " in " << in[0] << " " << in[1]
                        << " out " << out[0] << " " << out[1]);
            const auto places = arena.place(in_bytes, out_bytes, at_end, distance);
            table.copy_short_rows(size, places.in + in_start, in, from.data(),
                                  places.out + out_start, out, to.data(), planes, rows, columns);
            for (index_t p = 0; p < planes; ++p)
                for (index_t i = 0; i < rows; ++i)
                    for (std::size_t j = 0; j < static_cast<std::size_t>(columns); ++j)
                        std::memcpy(arena.twin.data() + out_start + p * out[0] + i * out[1] + to[j],
                                    places.in + in_start + p * in[0] + i * in[1] + from[j], size);
            REQUIRE(arena.agrees(places));
        }
    });
}

} // namespace kernels_guard_test
