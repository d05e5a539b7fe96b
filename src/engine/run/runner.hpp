#pragma once

#include "dtype/element_block.hpp"
#include "engine/compile/block_source.hpp"
#include "engine/compile/plan.hpp"
#include "engine/run/interleaved_leaves.hpp"
#include "engine/run/tile_run.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {

/// For `Runner::run`: blocks are as large as the plan allows.
inline constexpr index_t kNoLimit = std::numeric_limits<index_t>::max();
/// For `Runner::run`: nothing is left to be done with a block.
inline constexpr auto kNothingAfter = [](index_t, index_t) {};

/// Runs a plan on one thread, on the values that it was made for or others of the same structure.
/// Holds scratch, and the addresses of the current block. Plan and values have to outlive it.
class Runner {
public:
    Runner(const Plan& plan, const Values& values);

    const Plan& plan() const noexcept { return plan_; }

    /// Computes the elements [begin, begin + count) in the order of the plan's space, in blocks of
    /// at most `limit`. For each block, `target(begin, count)` says where the result goes before
    /// the steps run (null for plans that accumulate), and `done(begin, count)` is called after.
    template <typename Target, typename Done>
    void run(index_t begin, index_t count, index_t limit, Target&& target, Done&& done) {
        limit = std::min(limit, plan_.block);
        if (moved_interleaved_) find_interleaved();
        interleaved_.keep(false);
        if (count > 0) seek(begin);
        if (plan_.panel_rows > 0) return run_panels(begin, count, limit, target, done);
        while (count > 0) {
            const index_t in_row = plan_.by_rows ? plan_.row - offset_ : count;
            const index_t length = std::min({count, in_row, limit});
            run_block(begin, length, target(begin, length));
            done(begin, length);
            begin += length;
            count -= length;
            advance(length);
        }
    }

    /// Computes the elements [begin, begin + count) to `out`, one after the other.
    void run_into(index_t begin, index_t count, void* out);

    /// Computes the columns [first, last) of a plan whose inner axes are exchanged: columns are
    /// counted through all panels, those of the first panel, then those of the next. For each block
    /// of a row of a panel, `target(row)` says where the result goes, and `done(row, count)` is
    /// called after. Meanwhile no operand may change but for what the block reads.
    template <typename Target, typename Done>
    void run_columns(index_t first, index_t last, Target&& target, Done&& done) {
        if (moved_interleaved_) find_interleaved();
        interleaved_.keep(true);
        const index_t rows = plan_.panel_rows;
        while (first < last) {
            const index_t panel = first / plan_.row;
            seek(panel * rows * plan_.row + first % plan_.row);
            const index_t end = std::min(plan_.row, offset_ + last - first);
            first += end - offset_;
            while (offset_ < end) {
                const index_t length = std::min(end - offset_, plan_.block);
                load_panels(rows, length);
                for (panel_row_ = 0; panel_row_ < rows; ++panel_row_) {
                    run_block(0, length, target(panel_row_));
                    done(panel_row_, length);
                    move_rows(1);
                }
                move_rows(-rows);
                offset_ += length;
            }
        }
    }

    /// Computes whole rows of a plan with a destination where all lies in place, by machine code that
    /// goes from row to row. `destination` is its address 0. Returns false, with nothing done, where
    /// there is no such code. Of each row `columns` elements from `first_column` on; the second: all of them.
    bool run_rows(index_t begin, index_t count, std::byte* destination, index_t stride_bytes,
                  index_t first_column, index_t columns);
    bool run_rows(index_t begin, index_t count, std::byte* destination, index_t stride_bytes) {
        return run_rows(begin, count, destination, stride_bytes, 0, plan_.row);
    }

    /// The address of operand 0 of the space, the destination, at the start of the block, relative
    /// to its base.
    index_t destination() const noexcept { return address_of(0); }

    /// Reads an array from other memory from now on, at the strides that it had.
    void move_source(ArrayId array, const std::byte* first) noexcept {
        sources_[array].first = const_cast<std::byte*>(first); // only destinations are written
        moved_interleaved_ = moved_interleaved_ || !interleaved_.empty();
    }

    /// The number of elements of a block with which interleaved leaves stay in the first-level
    /// cache.
    index_t cached_block_size() const noexcept {
        return interleaved_.cached_block_size(plan_.block);
    }

    /// From now on, results of plans that are large enough are written past the caches. The caller
    /// calls `finish_streams` of the kernels on this thread before others read them.
    void stream_results() noexcept { tiles_.state.streams = true; }

    /// The accumulator of programs that accumulate. The caller sets and reads it.
    std::byte* accumulator() noexcept { return tiles_.accumulator; }

private:
    /// `run` by panels: a piece of several rows at a time, then the next piece of these rows.
    template <typename Target, typename Done>
    void run_panels(index_t begin, index_t count, index_t limit, Target&& target, Done&& done) {
        while (count > 0) {
            const index_t rows = rows_of_panel(count);
            const index_t first = offset_;
            const index_t width = std::min(plan_.row - first, count);
            while (offset_ < first + width) {
                const index_t length = std::min(first + width - offset_, limit);
                load_panels(rows, length);
                offset_ += length;
                prefetch_panels(rows, std::min(first + width - offset_, limit));
                offset_ -= length;
                for (panel_row_ = 0; panel_row_ < rows; ++panel_row_) {
                    const index_t at = begin + panel_row_ * plan_.row + offset_ - first;
                    run_block(at, length, target(at, length));
                    done(at, length);
                    move_rows(1);
                }
                move_rows(-rows);
                offset_ += length;
            }
            begin += rows * width;
            count -= rows * width;
            if (offset_ == plan_.row)
                for (index_t i = 0; i < rows; ++i) next_row();
        }
    }
    /// The number of rows that can be walked together from here: whole rows, or 1 for a piece of a
    /// row.
    index_t rows_of_panel(index_t count) const noexcept {
        const std::size_t axis = plan_.space.rank() - 2;
        const index_t whole = offset_ == 0 ? count / plan_.row : 0;
        return std::max(index_t{1}, std::min({plan_.panel_rows, whole,
                                              plan_.space.extents[axis] - coordinates_[axis]}));
    }
    void load_panels(index_t rows, index_t columns);
    void prefetch_panels(index_t rows, index_t columns);
    void move_rows(index_t rows) noexcept {
        const std::size_t axis = plan_.space.rank() - 2;
        for (std::size_t k = 0; k < positions_.size(); ++k)
            positions_[k] += rows * plan_.space.operands[k].strides[axis];
    }

    /// Memory that an array lies in or is loaded from: the address of element 0, and the stride.
    struct Source {
        std::byte* first = nullptr;
        index_t stride_bytes = 0;
    };

    index_t inner_stride(std::size_t operand) const noexcept {
        const StridedOperand& strided = plan_.space.operands[operand];
        return strided.strides.empty() ? 0 : strided.strides.back();
    }
    /// The bytes from one element of an array to the next along an axis, of a plan that goes by rows.
    std::ptrdiff_t step_bytes(ArrayId id, std::size_t axis) const noexcept {
        return plan_.space.operands[plan_.arrays[id].operand].strides[axis] *
               sources_[id].stride_bytes;
    }
    /// The address of an operand at the start of the block, of a plan that goes by rows.
    index_t address_of(std::size_t operand) const noexcept {
        return positions_[operand] + offset_ * inner_stride(operand);
    }
    template <typename F>
    void for_each_panel(F&& f) const;
    void find_source(ArrayId id);
    void find_interleaved();
    void prepare(const TileProgram& program);
    void seek(index_t begin);
    void advance(index_t length);
    void next_row();

    void run_block(index_t begin, index_t count, std::byte* result);
    void perform(const LoadStep& step, index_t begin, index_t count);
    void perform(const CastStep& step, index_t begin, index_t count);
    void perform(const MapStep& step, index_t begin, index_t count);
    void perform(const FillStep& step, index_t begin, index_t count);
    void perform(const TileStep& step, index_t, index_t count) {
        tiles_.run(step, code_.data(), places_.data(), 0, count);
    }
    void load_stream(const LoadStep& step, index_t begin, index_t count);
    void load_rows(const Array& array, const Source& source, index_t begin, index_t count,
                   std::byte* out);

    const Plan& plan_;
    const Values& values_;
    std::vector<std::unique_ptr<ElementBlock>> scratch_;
    boost::container::small_vector<Source, 8> sources_;    ///< of arrays
    boost::container::small_vector<std::byte*, 8> places_; ///< of arrays, for the block
    Shape coordinates_;
    boost::container::small_vector<index_t, 8> positions_; ///< of operands, at the start of the row
    index_t offset_ = 0;                                   ///< in the row
    boost::container::small_vector<Instruction, 32> code_; ///< of all programs
    std::vector<std::byte> spills_;
    std::vector<std::unique_ptr<ElementBlock>> panels_; ///< of arrays that are read by panels
    std::vector<std::unique_ptr<BlockReader>> readers_; ///< of arrays that are gathered, if any
    InterleavedLeaves interleaved_;
    bool moved_interleaved_ = false; ///< sources were moved since the groups were found
    index_t panel_row_ = 0;          ///< row of its panel that the block is in
    TileRun tiles_;
};

/// Copies between a strided space of several axes and contiguous memory: the elements [begin, begin
/// + count) of its row-major order. `place` is address 0 of the strided side. Short rows are copied
/// several at a time.
void gather_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                 std::size_t element_bytes, index_t stride_bytes, const std::byte* place,
                 index_t begin, index_t count, std::byte* out);
void scatter_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                  std::size_t element_bytes, index_t stride_bytes, std::byte* place, index_t begin,
                  index_t count, const std::byte* in);

} // namespace purview::engine
