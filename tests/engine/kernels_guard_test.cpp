#include "kernels_oracle.hpp"

#include <purview/dtype/cast.hpp>

#include <support/guarded_memory.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>

// Inputs and outputs end exactly at a page that may not be touched, or begin right behind one.

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

constexpr std::size_t kSizes[] = {1, 2, 4, 8};
constexpr std::size_t kRoom = 1 << 16;

/// The same bytes again and again, which differ from their neighbours.
void fill_with_noise(unsigned char* data, std::size_t bytes, std::uint64_t seed) {
    for (std::size_t i = 0; i < bytes; ++i)
        data[i] = static_cast<unsigned char>((i + seed) * 2654435761u >> 13);
}

/// An input, an output and what the output should be. Where `distance` is not 0, what is placed at the
/// end stops that many bytes before it, so that it is not aligned.
struct Arena {
    GuardedMemory in{kRoom};
    GuardedMemory out{kRoom};
    std::vector<unsigned char> twin;

    struct Places {
        unsigned char* in;
        unsigned char* out;
    };

    Places place(std::size_t in_bytes, std::size_t out_bytes, bool at_end, std::size_t distance) {
        Places places{in.place(in_bytes + distance, at_end),
                      out.place(out_bytes + distance, at_end)};
        if (!at_end) {
            places.in += distance;
            places.out += distance;
        }
        fill_with_noise(places.in, in_bytes, in_bytes);
        fill_with_noise(places.out, out_bytes, 12345);
        twin.assign(places.out, places.out + out_bytes);
        return places;
    }
    bool agrees(const Places& places) const {
        return std::equal(twin.begin(), twin.end(), places.out);
    }
};

/// Calls f(table, size, at_end, distance) for each combination there is.
template <typename F>
void for_placements(F f) {
    for (const KernelTable* const table : available_kernels())
        for (const std::size_t size : kSizes)
            for (const bool at_end : {true, false})
                for (std::size_t distance = 0; distance <= size; distance += size > 2 ? 3 : 1) {
                    INFO(table->name << " size " << size << " at end " << at_end << " distance "
                                     << distance);
                    f(*table, size, at_end, distance);
                }
}

} // namespace

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

            auto* const indexes = static_cast<index_t*>(static_cast<void*>(
                index_memory.place(static_cast<std::size_t>(n) * sizeof(index_t), at_end)));
            for (index_t i = 0; i < n; ++i) indexes[i] = random.below(n);

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

namespace {

template <typename T>
using Stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t, T>;

template <typename T>
Stored<T> element(const unsigned char* data, std::size_t i) {
    Stored<T> x;
    std::memcpy(&x, data + i * sizeof(x), sizeof(x));
    return x;
}

template <typename From, typename To>
void check_casts(Arena& arena, const KernelTable& table) {
    INFO(table.name << " " << kDType<From>.name() << " to " << kDType<To>.name());
    for (const bool checked : {false, true}) {
        const CastBlock cast = table.find_cast(kTypeId<From>, kTypeId<To>, checked);
        for (const bool at_end : {true, false})
            for (std::size_t n = 0; n <= 300; n += n < 135 ? 1 : 11)
                for (const std::size_t distance : {std::size_t{0}, n % 8}) {
                    const auto places =
                        arena.place(n * sizeof(From), n * sizeof(To), at_end, distance);
                    // Small numbers, which all types have.
                    for (std::size_t i = 0; i < n; ++i) {
                        const auto x = static_cast<Stored<From>>(i % 100);
                        std::memcpy(places.in + i * sizeof(x), &x, sizeof(x));
                        const auto y = static_cast<Stored<To>>(
                            wrapping_cast<To>(std::same_as<From, bool> ? static_cast<From>(x != 0)
                                                                       : static_cast<From>(x)));
                        std::memcpy(arena.twin.data() + i * sizeof(y), &y, sizeof(y));
                    }
                    INFO("count " << n << " checked " << checked << " at end " << at_end);
                    const index_t misfit = cast(places.in, places.out, static_cast<index_t>(n));
                    if (misfit != -1 || !arena.agrees(places)) {
                        CHECK(misfit == -1);
                        CHECK(arena.agrees(places));
                    }
                }
    }
}

} // namespace

TEST_CASE("Guard pages: casts") {
    Arena arena;
    const auto for_all = [](auto f) {
        f(bool{});
        for_numbers(f);
    };
    for (const KernelTable* const table : available_kernels())
        for_all([&]<typename From>(From) {
            for_all([&]<typename To>(To) { check_casts<From, To>(arena, *table); });
        });
}

TEST_CASE("Guard pages: tiles read and write whole tiles and nothing else") {
    GuardedMemory x_memory(kRoom), y_memory(kRoom), bools_memory(kRoom), out_memory(kRoom),
        mask_memory(kRoom);
    for (const KernelTable* const table : available_kernels())
        for_numbers([&]<typename T>(T) {
            const std::size_t lanes = table->tile_bytes / sizeof(T);
            for (const std::size_t tiles :
                 {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}})
                for (const bool at_end : {true, false})
                    for (const std::size_t distance : {std::size_t{0}, std::size_t{1}}) {
                        INFO(table->name << " " << kDType<T>.name() << " tiles " << tiles
                                         << " at end " << at_end << " distance " << distance);
                        const std::size_t n = tiles * lanes;
                        const auto place = [&](const GuardedMemory& memory, std::size_t bytes) {
                            return memory.place(bytes + distance, at_end) + (at_end ? 0 : distance);
                        };
                        unsigned char* const x = place(x_memory, n * sizeof(T));
                        unsigned char* const y = place(y_memory, n * sizeof(T));
                        unsigned char* const out = place(out_memory, n * sizeof(T));
                        unsigned char* const bools = place(bools_memory, n);
                        unsigned char* const masks = place(mask_memory, n);
                        for (std::size_t i = 0; i < n; ++i) {
                            const T a = static_cast<T>(i % 11), b = static_cast<T>(i % 7);
                            std::memcpy(x + i * sizeof(T), &a, sizeof(T));
                            std::memcpy(y + i * sizeof(T), &b, sizeof(T));
                            bools[i] = i % 3 == 0 ? 5 : 0;
                        }

                        // x + y where a bool says so, else y; and which of x are less than y.
                        ScratchTile scratch;
                        Program chosen(*table, kTypeId<T>);
                        chosen.add(Form::load_bools_b, bools)
                            .add(Form::load_a, x)
                            .add(Form::a_op_memory, TileOp::add, y)
                            .add(Form::b_chooses_a_or_memory, y)
                            .add(Form::spill_a, &scratch)
                            .add(Form::reload_a, &scratch)
                            .add(Form::store_last, out)
                            .run(n, sizeof(T));
                        Program compared(*table, kTypeId<T>);
                        compared.add(Form::load_a, x)
                            .add(Form::a_op_memory, TileOp::less, y)
                            .add(Form::store_bools_last, masks)
                            .run(n, sizeof(T));
                        index_t wrong = -1;
                        for (std::size_t i = 0; i < n; ++i) {
                            const T a = element<T>(x, i), b = element<T>(y, i);
                            const T expected = bools[i] != 0 ? static_cast<T>(a + b) : b;
                            if (!same(element<T>(out, i), expected) ||
                                masks[i] != static_cast<unsigned char>(a < b))
                                wrong = static_cast<index_t>(i);
                        }
                        INFO("element " << wrong);
                        CHECK(wrong == -1);

                        // A sum reads the input and nothing behind it.
                        alignas(64) unsigned char accumulator[kAccumulatorBytes] = {};
                        Program sum(*table, kTypeId<T>);
                        sum.add(Form::load_a, x)
                            .add(Form::accumulate_last, TileOp::add, accumulator)
                            .run(n, sizeof(T));
                        const std::size_t wide =
                            accumulator_lanes(std::is_floating_point_v<T>, sizeof(T));
                        T total{};
                        T expected{};
                        for (std::size_t i = 0; i < wide; ++i)
                            total = static_cast<T>(total + element<T>(accumulator, i));
                        for (std::size_t i = 0; i < n; ++i)
                            expected = static_cast<T>(expected + element<T>(x, i));
                        CHECK(same(total, expected));
                    }
        });
}
