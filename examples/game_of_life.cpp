/// Conway's Game of Life as APL writes it: rotate, sum, compare; on a torus of 15 × 35 cells, from an
/// R-pentomino, for 1,000 generations.

#include "check.hpp"
#include "next_generation.hpp"

#include <cstddef>
#include <iostream>
#include <vector>

/// The same rules in nested loops, to compare with.
std::vector<std::vector<bool>> next_by_loops(const std::vector<std::vector<bool>>& board) {
    const std::size_t height = board.size();
    const std::size_t width = board.front().size();
    auto next = board;
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            int neighbours = 0;
            for (const std::size_t dy : {height - 1, height, height + 1})
                for (const std::size_t dx : {width - 1, width, width + 1})
                    if ((dy != height || dx != width) && board[(y + dy) % height][(x + dx) % width])
                        ++neighbours;
            next[y][x] = neighbours == 3 || (neighbours == 2 && board[y][x]);
        }
    }
    return next;
}

void print(const Board& board, int generation) {
    std::cout << "generation " << generation << ", " << pv::sum(board) << " alive\n";
    for (const Board row : pv::rows(board)) {
        for (const bool alive : row) std::cout << (alive ? "●" : "·");
        std::cout << '\n';
    }
    std::cout << '\n';
}

int main() {
    const auto r_pentomino = pv::tensor({{false, true, true}, //
                                         {true, true, false},
                                         {false, true, false}});
    Board board = pv::zeros<bool>({15, 35});
    pv::copy(r_pentomino, board(pv::range(6, 9), pv::range(16, 19)));
    auto expected = pv::to_nested<2>(board);

    constexpr int kGenerations = 1000;
    for (int generation = 0; generation < kGenerations; ++generation) {
        if (generation == 0 || generation == 1 || generation == 2 || generation == 100)
            print(board, generation);
        board = next_generation(board);
        expected = next_by_loops(expected);
    }
    print(board, kGenerations);

    check(pv::to_nested<2>(board) == expected, "generation 1,000 is what nested loops find");
    check(pv::any_of(board), "something is alive");
    return exit_status();
}
