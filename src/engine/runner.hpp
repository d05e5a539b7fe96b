#pragma once

#include "dtype/element_block.hpp"
#include "engine/plan.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>

namespace purview::engine {

/// What one thread needs to run a plan: scratch, and where everything lies for the block at hand.
class Runner {
public:
    explicit Runner(const Plan& plan);

    /// Computes the elements [begin, begin + count) of the order of the plan's space, in blocks of at
    /// most `limit`. For each block, `target(begin, count)` says where the result goes before the steps
    /// run (null for plans that accumulate), and `done(begin, count)` is called after.
    template <typename Target, typename Done>
    void run(index_t begin, index_t count, index_t limit, Target&& target, Done&& done) {
        limit = std::min(limit, plan_.block);
        if (count > 0) seek(begin);
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

    /// Where operand 0 of the space, the destination, is at the start of the block: elements from address 0.
    index_t destination() const noexcept { return positions_[0] + offset_ * inner_stride(0); }

    /// What accumulating programs work on. The caller sets and reads it.
    std::byte* accumulator() noexcept { return accumulator_; }

private:
    index_t inner_stride(std::size_t operand) const noexcept {
        const Strided& strided = plan_.space.operands[operand];
        return strided.strides.empty() ? 0 : strided.strides.back();
    }
    void seek(index_t begin);
    void advance(index_t length);
    void next_row();

    void run_block(index_t begin, index_t count, std::byte* result);
    void perform(const LoadStep& step, index_t begin, index_t count);
    void perform(const CastStep& step, index_t begin, index_t count);
    void perform(const MapStep& step, index_t begin, index_t count);
    void perform(const FillStep& step, index_t begin, index_t count);
    void perform(const TileStep& step, index_t begin, index_t count);
    void perform_partial_tile(const TileProgram& program, index_t done, index_t count);
    void bind(const TileProgram& program, std::span<Instruction> code);
    void load_rows(const Array& array, index_t begin, index_t count, std::byte* out);

    const Plan& plan_;
    std::deque<ElementBlock> scratch_;
    boost::container::small_vector<std::byte*, 8> places_; ///< of arrays, for the block
    boost::container::small_vector<index_t, kInlineRank> coordinates_;
    boost::container::small_vector<index_t, 8> positions_; ///< addresses at the start of the row
    index_t offset_ = 0;                                   ///< in the row
    boost::container::small_vector<Instruction, 24> code_;
    boost::container::small_vector<std::byte, 1> spills_;
    TileState state_;
    alignas(64) std::byte accumulator_[kAccumulatorBytes] = {};
};

/// Copies between a strided space of several axes and contiguous memory: the elements [begin, begin +
/// count) of its row-major order. `place` is address 0 of the strided side. Short rows cost no call each.
void gather_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                 std::size_t element_bytes, index_t stride_bytes, const std::byte* place,
                 index_t begin, index_t count, std::byte* out);
void scatter_rows(const KernelTable& kernels, const Space& space, std::size_t operand,
                  std::size_t element_bytes, index_t stride_bytes, std::byte* place, index_t begin,
                  index_t count, const std::byte* in);

} // namespace purview::engine
