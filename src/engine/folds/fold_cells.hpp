#pragma once

#include <purview/base/index.hpp>

#include "engine/kernels/table/selection.hpp"
#include "evaluation/fold_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace purview::inline v0_1::engine {

/// A cell is a block of a few consecutive elements: `rows` rows of `width` elements, which are
/// reduced to one row.
struct Cell {
    index_t rows = 1;
    index_t width = 1;

    index_t size() const noexcept { return rows * width; }
};

template <typename F, index_t rows>
void fold_short_cells(const typename F::Type* in, index_t cells, typename F::Type* out) {
    for (index_t i = 0; i < cells; ++i, in += rows) {
        auto folded = in[0];
        for (index_t k = 1; k < rows; ++k) folded = F::combine(folded, in[k]);
        out[i] = folded;
    }
}

template <typename F>
typename F::Type fold_on_lanes(const typename F::Type* in, index_t rows) {
    constexpr auto kLanes = static_cast<std::size_t>(kCellLanes);
    std::array<typename F::Type, kLanes> lanes;
    std::copy_n(in, kLanes, lanes.begin());
    index_t k = kCellLanes;
    for (; k + kCellLanes <= rows; k += kCellLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] = F::combine(lanes[lane], in[k + static_cast<index_t>(lane)]);
    for (std::size_t lane = 0; k < rows; ++k, ++lane) lanes[lane] = F::combine(lanes[lane], in[k]);
    for (std::size_t width = kLanes / 2; width > 0; width /= 2)
        for (std::size_t lane = 0; lane < width; ++lane)
            lanes[lane] = F::combine(lanes[lane], lanes[lane + width]);
    return lanes[0];
}

/// Folds `cells` consecutive cells to as many rows of `cell.width` elements. Rows are combined in
/// their order; those of cells of width 1, from 16 rows on, on eight lanes, which are joined by
/// halving.
template <typename F>
void fold_cells(const typename F::Type* in, index_t cells, Cell cell, typename F::Type* out) {
    if (cell.width == 1) {
        if constexpr (F::kFloating) {
            if (cell.rows >= 2 && cell.rows <= kMostOfShortRow)
                return kernels().fold_short_rows(F::kOp, sizeof(typename F::Type), in, cells,
                                                 cell.rows, out);
        } else {
            switch (cell.rows) {
            case 2: return fold_short_cells<F, 2>(in, cells, out);
            case 3: return fold_short_cells<F, 3>(in, cells, out);
            case 4: return fold_short_cells<F, 4>(in, cells, out);
            default: break;
            }
        }
        for (index_t i = 0; i < cells; ++i, in += cell.rows) {
            if (cell.rows >= 2 * kCellLanes) {
                out[i] = fold_on_lanes<F>(in, cell.rows);
                continue;
            }
            auto folded = in[0];
            for (index_t k = 1; k < cell.rows; ++k) folded = F::combine(folded, in[k]);
            out[i] = folded;
        }
        return;
    }
    for (index_t i = 0; i < cells; ++i, out += cell.width) {
        std::copy_n(in, cell.width, out);
        in += cell.width;
        for (index_t k = 1; k < cell.rows; ++k, in += cell.width)
            for (index_t c = 0; c < cell.width; ++c) out[c] = F::combine(out[c], in[c]);
    }
}

} // namespace purview::engine
