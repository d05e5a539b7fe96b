#pragma once

#include <purview/expression/gather.hpp>

#include "engine/gather/near_offsets.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// The rows of a gather, each of whose indexes runs along one axis of the rows: a grid, such as
/// `x(y / 2, z / 2)`. The address of a row is then a sum of offsets, one for each axis, so that an
/// index is evaluated once for each step along its axis, not for each row. Holds no values of
/// indexes: they are read when a `GatherGrid` is made.
class GatherGridPlan {
public:
    /// An axis of the source that is read at an index.
    struct Read {
        std::size_t index;
        index_t extent;
        index_t stride;
        std::size_t number; ///< of the axis
    };

    /// `rows`: addresses of the rows, before what indexes add. `indexes`: seen along the rows.
    /// Nothing if some index runs along several axes, or if there are not several times as many
    /// rows as offsets.
    static std::optional<GatherGridPlan>
    find(const Dimensions& rows, std::span<const Operand> indexes, std::span<const Read> reads);

    /// The number of offsets in all tables. A grid is worth making once that many rows were read.
    index_t entries() const noexcept { return entries_; }

private:
    friend class GatherGrid;
    struct Index {
        Operand line;     ///< of rank 1
        std::size_t axis; ///< axis that it runs along
        std::vector<Read> reads;
    };

    Shape extents_; ///< of axes of more than one element
    Shape strides_;
    index_t base_ = 0;
    std::vector<Index> indexes_;
    std::size_t inner_ = 0; ///< axes from here on have one table
    index_t entries_ = 0;
};

/// The tables of offsets, for one thread and one read.
class GatherGrid {
public:
    /// Evaluates the indexes. Nothing if one is out of range, or cannot be evaluated: that row may
    /// never be read, so that it is no error yet.
    static std::optional<GatherGrid> make(const GatherGridPlan& plan);

    /// Calls `f(base, offsets, n)` for the rows [row, row + count), in order: their addresses are
    /// `base + offsets[i]`.
    template <typename F>
    void visit(index_t row, index_t count, F&& f) const {
        const auto inner = static_cast<index_t>(tables_.back().size());
        while (count > 0) {
            const index_t at = row % inner;
            const index_t n = std::min(inner - at, count);
            f(outer(row / inner), tables_.back().data() + at, n);
            row += n;
            count -= n;
        }
    }

    /// Elements of memory at strides of their own size.
    struct Elements {
        const std::byte* memory;
        index_t size;
        bool far; ///< as in `KernelTable::copy_indexed`
    };
    /// Copies the elements of the rows [row, row + count), and into `seconds`, if it is not null,
    /// the ones behind them. Always of elements of one size.
    void copy(const Elements& elements, index_t row, index_t count, std::byte* firsts,
              std::byte* seconds);

    /// By how much addresses of `other` are larger, row for row; nothing if that differs.
    std::optional<index_t> distance_to(const GatherGrid& other) const;

    /// The most rows that `visit` passes to one call of `f`.
    index_t run() const noexcept { return static_cast<index_t>(tables_.back().size()); }

    /// Runs that follow each other at steps of `step`, all with the same offsets.
    struct Runs {
        index_t base;
        index_t step;
        const index_t* offsets;
        index_t count;
    };
    /// Whether the axis outside of the runs is not read by an index.
    bool has_steady_runs() const noexcept { return step_.has_value(); }
    /// At most `count` runs from one on. Precondition: `has_steady_runs()`.
    Runs runs_from(index_t first, index_t count) const noexcept {
        const auto extent = static_cast<index_t>(tables_[tables_.size() - 2].size());
        return {outer(first), *step_, tables_.back().data(),
                std::min(count, extent - first % extent)};
    }

private:
    index_t outer(index_t row) const noexcept {
        index_t address = base_;
        for (std::size_t axis = tables_.size() - 1; axis-- > 0;) {
            const auto extent = static_cast<index_t>(tables_[axis].size());
            address += tables_[axis][static_cast<std::size_t>(row % extent)];
            row /= extent;
        }
        return address;
    }

    index_t base_ = 0; ///< the address of the first row
    /// Offsets from the first row. The last table is of the innermost axes.
    std::vector<std::vector<index_t>> tables_;
    std::optional<index_t> step_;     ///< of the axis outside of the innermost table
    std::optional<NearOffsets> near_; ///< of the last table, once that is worth finding
    index_t copied_ = 0;              ///< rows, before `near_` was looked for
};

} // namespace purview::engine
