/// A generation of the Game of Life, by the function of the example, on both kinds of boards.

#include "../../examples/next_generation.hpp"
#include "inputs.hpp"

namespace {

using namespace bench;

/// The R-pentomino after 200 generations.
Board grown(const Board& empty_board) {
    Board board = empty_board;
    board(1080, 1921) = true;
    board(1080, 1922) = true;
    board(1081, 1920) = true;
    board(1081, 1921) = true;
    board(1082, 1921) = true;
    for (int generation = 0; generation < 200; ++generation) board = next_generation(board);
    return board;
}

const Cases life([] {
    const auto add_board = [](const char* name, auto make) {
        add(case_name(name, "3840x2160", "bool"), [=] {
            const Board board = grown(make());
            return Task{[=] { return next_generation(board); },
                        [=] {
                            const auto next = pv::to_dense(next_generation(board));
                            return summary_of(pv::as_span(next).data(),
                                              static_cast<std::size_t>(next.size()));
                        }};
        });
    };
    add_board("life_generation", [] { return pv::sparse_zeros<bool>({2160, 3840}); });
    add_board("life_generation_dense", [] { return pv::zeros<bool>({2160, 3840}); });
});

} // namespace
