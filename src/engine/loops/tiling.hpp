#pragma once

#include "engine/loops/time_tiles.hpp"
#include "evaluation/loops/step_boxes.hpp"
#include "evaluation/loops/step_windows.hpp"
#include "evaluation/loops/tiled_steps.hpp"

#include <purview/expression/loop.hpp>

#include <vector>

namespace purview::inline v0_1::engine {

/// What `set_tile_sizes` has set.
extern constinit TileSizes tile_sizes;

/// How the axes of states are cut into tiles.
struct Tiling {
    TiledAxis rows;
    TiledAxis columns;
    index_t together = 1;  ///< rows that take a step together
    index_t depth = 0;     ///< steps that are taken together, at most; 0: none
    index_t copies = 0;    ///< further steps that only copy, at most
    index_t rest_rows = 0; ///< after so many rows they are told to rest; 0: they lie in memory
};

/// Whether the head of a chain may be written where its last state lies, as that is read at the elements that are computed alone.
bool may_overwrite(const StateChains& chains, const StepBoxes& boxes, std::size_t head);

/// What is tiled: states of these shapes, which may be those of a window.
struct TiledStates {
    const LoopRule& rule;
    const StateChains& chains;
    const StepBoxes& boxes;
    const std::vector<Shape>& shapes;

    /// Bytes of the rows of all states: of a chain one more than it has states, as a step reads some and writes another,
    /// unless that is written over the last.
    index_t bytes_of_row() const;
    bool may_overwrite(std::size_t head) const {
        return engine::may_overwrite(chains, boxes, head);
    }
};

/// The deepest tiles whose rows stay in the cache: of all columns, or of blocks of columns; or, of states in files, in
/// `in_memory` bytes. `bytes_of_others`: of a row of what is only read.
Tiling tiling_of(const TiledStates& states, index_t bytes_of_others, index_t in_memory);
/// The same of a window of whole states of this shape, for any number of steps.
Tiling tiling_in(const TiledStates& states, index_t bytes_of_others, const StateWindow& window,
                 ShapeSpan whole);

} // namespace purview::engine
