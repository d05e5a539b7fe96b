#include "named_support.hpp"

#include <support/guarded_memory.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace gather_grid_test {

namespace {

using pv::index_t;

std::vector<index_t> random_indexes(std::mt19937& random, index_t count, index_t extent) {
    std::vector<index_t> indexes;
    std::uniform_int_distribution<index_t> index(-extent, extent - 1);
    for (index_t i = 0; i < count; ++i) indexes.push_back(index(random));
    return indexes;
}
index_t at(const std::vector<index_t>& indexes, index_t i, index_t extent) {
    const index_t index = indexes[static_cast<std::size_t>(i)];
    return index < 0 ? index + extent : index;
}

/// x[b, r[y], q[z] and again q[z] from the other end, c] in loops, with sizes that make grids pay, and others.
template <typename T>
void check_grid(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least, index_t most) {
        return std::uniform_int_distribution<index_t>(least, most)(random);
    };
    const index_t batch = size(1, 2), rows = size(1, 9), columns = size(1, 9);
    const index_t channels = seed % 3 == 0 ? 1 : size(0, 5);
    const index_t height = size(0, seed % 2 == 0 ? 5 : 40), width = size(0, 70);
    const auto r = random_indexes(random, height, rows), q = random_indexes(random, width, columns);
    auto memory = pv::clone(pv::cast<T>(counted<index_t>({batch, rows, columns, channels}) % 100));
    const bool computes = seed % 4 == 1, turns = seed % 5 == 2;
    pv::Tensor<T> x = memory;
    if (turns) x = pv::flip(pv::clone(pv::flip(memory, 2)), 2); // the same, at negative strides
    if (computes) x = x + T{1};
    const auto [b, y, z] = pv::dims("b", "y", "z");
    const auto rs = pv::tensor(r), qs = pv::tensor(q);
    const pv::Tensor<T> result = x(b, rs(y), qs(z)) | pv::order(b, y, z);
    std::vector<T> loops;
    for (index_t n = 0; n < batch; ++n)
        for (index_t i = 0; i < height; ++i)
            for (index_t j = 0; j < width; ++j)
                for (index_t c = 0; c < channels; ++c) {
                    const index_t place =
                        ((n * rows + at(r, i, rows)) * columns + at(q, j, columns)) * channels + c;
                    loops.push_back(static_cast<T>(place % 100 + (computes ? 1 : 0)));
                }
    REQUIRE(pv::to_vector(result) == loops);
    CHECK(pv::to_vector(result + T{1}) == pv::to_vector(pv::clone(result) + T{1}));
    if (result.size() == 0) return;
    // Through views, and by elements.
    CHECK(pv::to_vector(pv::transpose(result, {1, 2, 0, 3})) ==
          pv::to_vector(pv::transpose(pv::clone(result), {1, 2, 0, 3})));
    const auto part = pv::range({}, {}, -2);
    CHECK(pv::to_vector(result(pv::all, part, part)) ==
          pv::to_vector(pv::clone(result)(pv::all, part, part)));
    CHECK(result(batch - 1, 0, width - 1, 0) == pv::clone(result)(batch - 1, 0, width - 1, 0));
}

/// x at one to six neighbours of (r[y], q[z]), weighed, in loops: some of the gathers read elements that lie side by side.
template <typename T>
void check_neighbours(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least, index_t most) {
        return std::uniform_int_distribution<index_t>(least, most)(random);
    };
    const index_t rows = size(3, 20), columns = size(3, 400), height = size(1, 30);
    const index_t width = size(1, 300), span = size(1, columns);
    std::vector<index_t> r, q;
    for (index_t i = 0; i < height; ++i) r.push_back(size(0, rows - 1));
    for (index_t j = 0; j < width; ++j)
        q.push_back(seed % 3 == 0 ? size(0, columns - 1) : j * span / width);
    if (seed % 7 == 6) std::ranges::reverse(q);
    const pv::Tensor<T> image = pv::clone(pv::cast<T>(counted<index_t>({rows, columns}) % 101));
    const pv::Tensor<T> x = seed % 5 == 4 ? pv::flip(image, 1) : image;
    const auto rs = pv::tensor(r), qs = pv::tensor(q);
    const auto [y, z] = pv::dims("y", "z");
    std::vector<std::pair<index_t, index_t>> shifts;
    for (index_t k = size(1, 6); k > 0; --k) shifts.emplace_back(size(0, 1), size(0, 2));
    pv::DimTensor<T> weighed =
        x((rs(y) + shifts[0].first) % rows, (qs(z) + shifts[0].second) % columns) * T{2};
    for (std::size_t k = 1; k < shifts.size(); ++k)
        weighed =
            weighed + x((rs(y) + shifts[k].first) % rows, (qs(z) + shifts[k].second) % columns) *
                          static_cast<T>(k + 2);
    const pv::Tensor<T> result = weighed | pv::order(y, z);
    std::vector<T> loops;
    for (const index_t row : r)
        for (const index_t column : q) {
            T sum = 0;
            for (std::size_t k = 0; k < shifts.size(); ++k) {
                const index_t at = (column + shifts[k].second) % columns;
                const index_t from = seed % 5 == 4 ? columns - 1 - at : at;
                const index_t place = (row + shifts[k].first) % rows * columns + from;
                sum = static_cast<T>(sum + static_cast<T>(place % 101) * static_cast<T>(k + 2));
            }
            loops.push_back(sum);
        }
    REQUIRE(pv::to_vector(result) == loops);
    const auto part = pv::range(height / 3, {});
    CHECK(pv::to_vector(result(part)) == pv::to_vector(pv::clone(result)(part)));
}

/// An image in guarded memory, resized by loops: many lines that are read at the same columns, which ascend,
/// descend, or lie anywhere; each element alone, and with the one behind it.
template <typename T>
void check_resizing(unsigned seed, const GuardedMemory& memory) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least, index_t most) {
        return std::uniform_int_distribution<index_t>(least, most)(random);
    };
    const index_t rows = size(2, 8), columns = size(2, 900), height = size(20, 60);
    const index_t width = size(60, 700);
    void* const place =
        memory.place(static_cast<std::size_t>(rows * columns) * sizeof(T), seed % 2 == 0);
    auto image = pv::borrow(static_cast<T*>(place), {rows, columns});
    pv::copy(pv::cast<T>(counted<index_t>({rows, columns}) % 101), image);
    std::vector<index_t> r, q;
    for (index_t i = 0; i < height; ++i) r.push_back(i * rows / height);
    for (index_t j = 0; j < width; ++j)
        q.push_back(seed % 5 == 4 ? size(0, columns - 2) : j * (columns - 1) / width);
    if (seed % 3 == 2) std::ranges::reverse(q);
    const auto rs = pv::tensor(r), qs = pv::tensor(q);
    const auto [y, z] = pv::dims("y", "z");
    const pv::Tensor<T> nearest = image(rs(y), qs(z)) | pv::order(y, z);
    const pv::Tensor<T> both =
        (image(rs(y), qs(z)) * T{2} + image(rs(y), qs(z) + 1)) | pv::order(y, z);
    std::vector<T> singles, sums;
    for (const index_t row : r)
        for (const index_t column : q) {
            const T first = image(row, column), second = image(row, column + 1);
            singles.push_back(first);
            sums.push_back(static_cast<T>(static_cast<T>(first * T{2}) + second));
        }
    CHECK(pv::to_vector(pv::clone(nearest)) == singles);
    CHECK(pv::to_vector(pv::clone(both)) == sums);
    CHECK(pv::to_vector(pv::clone(nearest + T{1})) == pv::to_vector(pv::tensor(singles) + T{1}));
}

} // namespace

TEST_CASE("gathers of neighbours on one grid agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        check_neighbours<float>(seed);
        check_neighbours<double>(seed);
        check_neighbours<std::int64_t>(seed);
        check_neighbours<std::uint8_t>(seed);
        check_neighbours<std::int16_t>(seed);
    }
}

TEST_CASE("lines that are read often read no memory but that of the source") {
    const GuardedMemory memory(1 << 16);
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        check_resizing<float>(seed, memory);
        check_resizing<double>(seed, memory);
        check_resizing<std::uint8_t>(seed, memory);
        check_resizing<std::int16_t>(seed, memory);
    }
}

TEST_CASE("gathers at an index for each axis agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        check_grid<double>(seed);
        check_grid<std::uint8_t>(seed);
    }
}

TEST_CASE("indexes computed from dims agree with nested loops") {
    const auto x = counted({7, 11, 3});
    for (const index_t factor : {1, 2, 3}) {
        INFO(factor);
        const pv::Dim y("y", 7 * factor), z("z", 11 * factor);
        const pv::Tensor<double> larger = x(y / factor, z / factor) | pv::order(y, z);
        const pv::Tensor<double> turned = x(y % 7, (z + factor) % 11) | pv::order(y, z);
        for (index_t i = 0; i < 7 * factor; ++i)
            for (index_t j = 0; j < 11 * factor; ++j)
                for (index_t c = 0; c < 3; ++c) {
                    REQUIRE(larger(i, j, c) == x(i / factor, j / factor, c));
                    REQUIRE(turned(i, j, c) == x(i % 7, (j + factor) % 11, c));
                }
        CHECK(pv::sum(larger) == static_cast<double>(factor * factor) * pv::sum(x));
        CHECK(pv::to_vector(pv::clone(larger)) ==
              pv::to_vector(pv::copy(larger, pv::empty(larger.shape()))));
    }
}

TEST_CASE("one axis may be read at several indexes, and one index at several axes") {
    const auto x = counted({6, 6, 6});
    auto r = pv::tensor(std::vector<index_t>{5, 0, -1, 2, 3, 1});
    const pv::Dim n("n", 6), m("m", 80);
    const pv::Tensor<double> linked = x(r(n), n, m % 6) | pv::order(n, m);
    const pv::Tensor<double> twice = x(r(n), r(n), m / 16) | pv::order(m, n);
    for (index_t i = 0; i < 6; ++i)
        for (index_t k = 0; k < 80; ++k) {
            REQUIRE(pv::clone(linked)(i, k) == x(r(i), i, k % 6));
            REQUIRE(pv::clone(twice)(k, i) == x(r(i), r(i), k / 16));
        }
    r(0) = 4; // lazy is not remembered
    CHECK(pv::clone(linked)(0, 7) == x(4, 0, 1));
}

TEST_CASE("an index of a grid that is out of range is an error of the rows that have it") {
    const auto x = counted({4, 50});
    const auto [y, z] = pv::dims("y", "z");
    for (const index_t wrong : {4, -5}) {
        const auto r = pv::tensor(std::vector<index_t>{0, 1, 2, 3, 0, 1, wrong, 3});
        const pv::Dim column("column", 50);
        const pv::Tensor<double> grid = x(r(y), (column * 3) % 50) | pv::order(y, column);
        const std::string message = "indexing: index " + std::to_string(wrong) +
                                    " is out of range for axis 0, indexed over (y,), of size 4";
        CHECK(message_of<pv::IndexError>([&] { pv::clone(grid); }) == message);
        CHECK(message_of<pv::IndexError>([&] { pv::sum(grid * 2.0); }) == message);
        // What is not read does no harm.
        CHECK(pv::clone(grid(pv::range(0, 6)))(5, 20) == x(1, 10));
        CHECK(grid(7, 49) == x(3, 47));
    }
}

} // namespace gather_grid_test
