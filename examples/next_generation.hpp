#pragma once

/// One source for both kinds of boards: the rule of Conway's Game of Life, on a torus.

#include <purview/purview.hpp>

#include <cstdint>

namespace pv = purview;

using Board = pv::MutableTensor<bool>;

// [next_generation]
/// Lives in the next generation: who has three alive in the 3 × 3 cells around, or is one of four.
inline Board next_generation(const Board& board) {
    const auto cells = board | pv::cast<std::uint8_t>;
    const auto columns = (cells | pv::rotate({-1, 0})) + cells + (cells | pv::rotate({1, 0}));
    const auto squares = (columns | pv::rotate({0, -1})) + columns + (columns | pv::rotate({0, 1}));
    return (squares == 3 || (squares == 4 && board)) | pv::clone; // all happens here, in one pass
}
// [/next_generation]
