#include "kernels_oracle.hpp"
#include <support/guarded_memory.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace kernels_rows_test {

using namespace purview;
using namespace purview::engine;
using namespace purview::engine::test;

namespace {

/// Rows that end where memory does, one byte off their alignment.
template <typename T>
void check_rows(const KernelTable& table) {
    constexpr bool floating = std::floating_point<T>;
    constexpr auto size = static_cast<index_t>(sizeof(T));
    Random random(31);
    for (const index_t width : {1, 2, 3, 7, 8, 16, 31, 64, 65, 129, 300})
        for (const index_t count : {1, 2, 25, 100}) {
            constexpr index_t kRows = 40;
            std::vector<unsigned char> bytes(static_cast<std::size_t>(1 + kRows * width * size));
            unsigned char* const first = bytes.data() + 1;
            std::vector<T> elements;
            for (index_t i = 0; i < kRows * width; ++i)
                elements.push_back(static_cast<T>(random.bits() % 100));
            std::memcpy(first, elements.data(), elements.size() * sizeof(T));
            std::vector<index_t> rows;
            for (index_t i = 0; i < count; ++i)
                rows.push_back(static_cast<index_t>(random.bits() % kRows) * width);
            std::vector<T> sums(static_cast<std::size_t>(width));
            if constexpr (floating || sizeof(T) == 8) {
                table.sum_rows(floating, sizeof(T), first, size, rows.data(), count, count, width,
                               sums.data());
                for (index_t c = 0; c < width; ++c) {
                    T sum{};
                    for (const index_t row : rows)
                        sum = static_cast<T>(sum + elements[static_cast<std::size_t>(row + c)]);
                    REQUIRE(sums[static_cast<std::size_t>(c)] == sum);
                }
            }
            std::vector<T> added;
            for (index_t i = 0; i < count * width; ++i)
                added.push_back(static_cast<T>(random.bits() % 100));
            table.add_rows(floating, sizeof(T), added.data(), count, width, first, size,
                           rows.data());
            for (index_t i = 0; i < count; ++i)
                for (index_t c = 0; c < width; ++c) {
                    T& element =
                        elements[static_cast<std::size_t>(rows[static_cast<std::size_t>(i)] + c)];
                    element =
                        static_cast<T>(element + added[static_cast<std::size_t>(i * width + c)]);
                }
            REQUIRE(std::memcmp(first, elements.data(), elements.size() * sizeof(T)) == 0);
        }
}

/// Elements at every other place, or side by side, one byte off their alignment, up to an index outside.
template <typename T>
void check_adds_inside(const KernelTable& table) {
    constexpr bool floating = std::floating_point<T>;
    constexpr index_t kPlaces = 9;
    Random random(5);
    for (const index_t apart : {1, 2})
        for (const index_t count : {0, 1, 3, 4, 5, 8, 33})
            for (index_t wrong_at = 0; wrong_at <= count; ++wrong_at)
                for (const index_t wrong :
                     {kPlaces, index_t{-1}, std::numeric_limits<index_t>::max(),
                      std::numeric_limits<index_t>::min()}) {
                    std::vector<unsigned char> bytes(1 + static_cast<std::size_t>(apart * kPlaces) *
                                                             sizeof(T));
                    std::vector<T> expected(static_cast<std::size_t>(apart * kPlaces), T{1});
                    std::memcpy(bytes.data() + 1, expected.data(), expected.size() * sizeof(T));
                    std::vector<index_t> indexes;
                    std::vector<T> added;
                    for (index_t i = 0; i < count; ++i) {
                        indexes.push_back(static_cast<index_t>(random.bits() % kPlaces));
                        added.push_back(static_cast<T>(random.bits() % 100));
                    }
                    if (wrong_at < count) indexes[static_cast<std::size_t>(wrong_at)] = wrong;
                    for (std::size_t i = 0; i < static_cast<std::size_t>(wrong_at); ++i) {
                        T& element = expected[static_cast<std::size_t>(apart * indexes[i])];
                        element = static_cast<T>(element + added[i]);
                    }
                    REQUIRE(table.add_inside(floating, sizeof(T), added.data(), count,
                                             bytes.data() + 1,
                                             apart * static_cast<index_t>(sizeof(T)),
                                             indexes.data(), kPlaces) == wrong_at);
                    REQUIRE(std::memcmp(bytes.data() + 1, expected.data(),
                                        expected.size() * sizeof(T)) == 0);
                }
    const index_t first = 0;
    T element{};
    REQUIRE(table.add_inside(floating, sizeof(T), &element, 1, &element, sizeof(T), &first, 0) ==
            0);
}

/// What `op` makes of two floats: NaN if either is one, and the left one of two that are equal.
template <typename T>
T naive(TileOp op, T a, T b) {
    if (op == TileOp::add) return a + b;
    if (op == TileOp::multiply) return a * b;
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<T>::quiet_NaN();
    return (op == TileOp::minimum ? b < a : a < b) ? b : a;
}

template <typename T>
void check_short_rows(const KernelTable& table) {
    const std::vector<T> hard = hard_values<T>();
    Random random(7);
    for (const TileOp op : {TileOp::add, TileOp::multiply, TileOp::minimum, TileOp::maximum})
        for (index_t length = 2; length <= kMostOfShortRow; ++length)
            for (index_t rows = 0; rows < 70; ++rows) {
                std::vector<T> in;
                for (index_t i = 0; i < rows * length; ++i)
                    in.push_back(random.bits() % 4 == 0 ? hard[random.bits() % hard.size()]
                                                        : static_cast<T>(random.bits() % 100));
                std::vector<T> out(static_cast<std::size_t>(rows) + 1, T{-7});
                table.fold_short_rows(op, sizeof(T), in.data(), rows, length, out.data());
                for (index_t i = 0; i < rows; ++i) {
                    const T* const row = in.data() + i * length;
                    T folded = row[0];
                    for (index_t k = 1; k < length; ++k) folded = naive(op, folded, row[k]);
                    REQUIRE(same(out[static_cast<std::size_t>(i)], folded));
                }
                REQUIRE(out.back() == -7);
            }
}

/// Windows at the end of a page: nothing behind them may be read.
template <typename T>
void check_alternate_windows(const KernelTable& table) {
    const std::vector<T> hard = hard_values<T>();
    Random random(8);
    GuardedMemory guarded(4096);
    for (const TileOp op : {TileOp::add, TileOp::multiply, TileOp::minimum, TileOp::maximum})
        for (index_t length = 2; length <= kMostOfAlternateWindow; ++length)
            for (index_t windows = 1; windows < 70; ++windows) {
                std::vector<T> in;
                for (index_t i = 0; i < 2 * (windows - 1) + length; ++i)
                    in.push_back(random.bits() % 4 == 0 ? hard[random.bits() % hard.size()]
                                                        : static_cast<T>(random.bits() % 100));
                std::vector<T> out(static_cast<std::size_t>(windows) + 1, T{-7});
                unsigned char* const place = guarded.place(in.size() * sizeof(T), true);
                std::memcpy(place, in.data(), in.size() * sizeof(T));
                table.fold_alternate_windows(op, sizeof(T), place, windows, length, out.data());
                for (index_t i = 0; i < windows; ++i) {
                    T folded = in[static_cast<std::size_t>(2 * i)];
                    for (index_t k = 1; k < length; ++k)
                        folded = naive(op, folded, in[static_cast<std::size_t>(2 * i + k)]);
                    REQUIRE(same(out[static_cast<std::size_t>(i)], folded));
                }
                REQUIRE(out.back() == -7);
            }
}

} // namespace

TEST_CASE("Rows anywhere are summed, and added to") {
    for (const KernelTable* const table : available_kernels()) {
        INFO(table->name);
        check_rows<float>(*table);
        check_rows<double>(*table);
        check_rows<std::uint64_t>(*table);
        check_rows<std::uint32_t>(*table);
        check_rows<std::uint16_t>(*table);
        check_rows<std::uint8_t>(*table);
    }
}

TEST_CASE("Elements are added up to the first index outside") {
    for (const KernelTable* const table : available_kernels()) {
        INFO(table->name);
        check_adds_inside<float>(*table);
        check_adds_inside<double>(*table);
        check_adds_inside<std::uint64_t>(*table);
        check_adds_inside<std::uint32_t>(*table);
        check_adds_inside<std::uint16_t>(*table);
        check_adds_inside<std::uint8_t>(*table);
    }
}

TEST_CASE("Short rows of floats are folded from the left, whatever is in them") {
    for (const KernelTable* const table : available_kernels()) {
        INFO(table->name);
        check_short_rows<float>(*table);
        check_short_rows<double>(*table);
    }
}

TEST_CASE("Windows at every other element are folded from the left, whatever is in them") {
    for (const KernelTable* const table : available_kernels()) {
        INFO(table->name);
        check_alternate_windows<float>(*table);
        check_alternate_windows<double>(*table);
    }
}

} // namespace kernels_rows_test
