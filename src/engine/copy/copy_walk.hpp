#pragma once

#include "engine/copy/copy_box.hpp"
#include "engine/kernels/table/kernel_table.hpp"

namespace purview::inline v0_1::engine {

/// How the elements of a copy are moved.
struct CopyMoves {
    const KernelTable& kernels;
    std::size_t element_bytes;
    bool streaming; ///< writes past the caches
    bool far;       ///< lists point into more than the second-level cache holds
};

/// Copies a finished box, or a part of one. If it writes past the caches, the caller calls `finish_streams`.
void copy_box_elements(const CopyMoves& moves, const CopyBox& box);

/// Makes every bool of the destination 0 or 1.
void normalise_bools(const KernelTable& kernels, const CopyBox& box);

} // namespace purview::engine
