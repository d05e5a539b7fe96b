#include "kernels_oracle.hpp"

#include <cstdint>
#include <cstring>
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

} // namespace kernels_rows_test
