/// A generation of the Game of Life by nested loops: sums of columns, then of rows.

#include "inputs.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace {

using namespace bench;

constexpr std::size_t kHeight = 2160;
constexpr std::size_t kWidth = 3840;

using Board = std::vector<std::uint8_t>;

void next_generation(const Board& board, Board& next) {
    std::vector<std::uint8_t> columns(kWidth + 2);
    for (std::size_t y = 0; y < kHeight; ++y) {
        const std::uint8_t* const row = board.data() + y * kWidth;
        const std::uint8_t* const above = board.data() + (y + kHeight - 1) % kHeight * kWidth;
        const std::uint8_t* const below = board.data() + (y + 1) % kHeight * kWidth;
        for (std::size_t x = 0; x < kWidth; ++x)
            columns[x + 1] = static_cast<std::uint8_t>(above[x] + row[x] + below[x]);
        columns[0] = columns[kWidth];
        columns[kWidth + 1] = columns[1];
        for (std::size_t x = 0; x < kWidth; ++x) {
            const int around = columns[x] + columns[x + 1] + columns[x + 2];
            next[y * kWidth + x] =
                static_cast<std::uint8_t>((around == 3) | ((around == 4) & row[x]));
        }
    }
}

const Cases life([] {
    add(case_name("life_generation", "3840x2160", "bool"), [] {
        auto board = std::make_shared<Board>(kHeight * kWidth);
        auto next = std::make_shared<Board>(kHeight * kWidth);
        for (const std::size_t at :
             {1080 * kWidth + 1921, 1080 * kWidth + 1922, 1081 * kWidth + 1920,
              1081 * kWidth + 1921, 1082 * kWidth + 1921})
            (*board)[at] = 1;
        for (int generation = 0; generation < 200; ++generation, board.swap(next))
            next_generation(*board, *next);
        return Task{[=] { next_generation(*board, *next); },
                    [=] { return summary_of(next->data(), next->size()); }};
    });
});

} // namespace
