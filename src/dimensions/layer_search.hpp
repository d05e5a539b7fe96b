#pragma once

#include "layer.hpp"

#include <cstdint>
#include <vector>

namespace purview::dimensions {

/// Coordinates of one axis in ascending order: the residues, which lie in [0, period), then the same
/// a period later, and so on, all below `limit`.
class Candidates {
public:
    std::vector<index_t> residues;
    index_t period = 1;
    index_t limit = 0;

    void rewind() noexcept {
        position_ = 0;
        cycle_begin_ = 0;
    }
    /// Moves `g` to the next one; false behind the last.
    bool next(index_t& g) noexcept {
        if (residues.empty()) return false;
        if (position_ == residues.size()) {
            position_ = 0;
            if (__builtin_add_overflow(cycle_begin_, period, &cycle_begin_)) return false;
        }
        if (__builtin_add_overflow(cycle_begin_, residues[position_], &g) || g >= limit)
            return false;
        ++position_;
        return true;
    }

private:
    std::size_t position_ = 0;
    index_t cycle_begin_ = 0;
};

/// One layer prepared for inverse questions. An axis with stride s reads coordinates m in
/// [lowest, highest]; flipped so that all contributions grow from the lowest address,
/// address - lowest_address = Σ |s|·y with y = m - lowest or highest - m, 0 <= y <= span.
struct LayerPlan {
    struct Axis {
        LayerView layer; // for its map
        int index = 0;
        index_t extent = 0;
        index_t size = 0; // |stride|
        bool flipped = false;
        index_t lowest = 0;
        index_t highest = 0;
        index_t span = 0;

        enum class Role : std::uint8_t { free, divided, searched };
        Role role = Role::free;
        // Of a searched axis, about the axes of its block that follow:
        index_t rest_span = 0;
        index_t rest_gcd = 0; // 0: none follow
        index_t common = 0;   // gcd(size, rest_gcd)
        index_t inverse = 0;  // of size/common modulo rest_gcd/common
        int next_searched = -1;
        bool checks_ahead = false; // an axis with several candidates lies before the next one

        index_t contribution(index_t g) const noexcept {
            const index_t m = layer.coordinate(index, g);
            return size * (flipped ? highest - m : m - lowest);
        }
        /// The coordinates whose y is first, first + apart, …, `count` of them.
        void find(index_t first, index_t apart, index_t count, Candidates& found) const;
        /// The y that a searched axis can have for a residual: false if there is none.
        bool solve(index_t residual, index_t& first, index_t& apart, index_t& count) const noexcept;
    };

    /// Axes whose strides are multiples of a divisor that all smaller strides together stay below:
    /// their part of a residual is the largest multiple of the divisor in it. One axis is divided
    /// out; several are searched, in axis order.
    struct Block {
        boost::container::small_vector<int, 2> members;
        index_t divisor = 0;
        index_t span = 0;
        bool checks_ahead = false; // an axis with several candidates lies before the first
    };

    std::vector<Axis> axes;
    std::vector<Block> blocks; // largest strides first
    index_t lowest_address = 0;
    index_t total_span = 0;
    bool is_empty = false;
    bool is_ordered = false; // addresses ascend strictly with the index

    LayerPlan() = default;
    explicit LayerPlan(const LayerView& layer);
    /// Whether the axes of a block from one on can make up a residual.
    bool is_feasible(int axis, index_t residual, std::uint64_t& steps) const;

private:
    void prepare_search(const Block& block);
};

/// The search for the elements of one layer that have one address, in ascending order.
class LayerSearch {
public:
    /// The plan must outlive the search. `most_steps` is the budget.
    LayerSearch(const LayerPlan& plan, index_t address,
                std::uint64_t most_steps = ~std::uint64_t{0});

    /// Finds the next element; false when there is none, or the budget is used up.
    bool next(index_t& index);
    std::uint64_t steps() const noexcept { return steps_; }

private:
    void open(int axis);

    struct Level {
        Candidates candidates;
        index_t g = 0;
        index_t residual = 0; // of a searched axis: what its block has left
        index_t before = 0;   // global index of the coordinates before
    };
    const LayerPlan* plan_;
    boost::container::small_vector<Level, 2> levels_;
    int depth_ = -1; // -1: nothing more
    bool is_started_ = false;
    std::uint64_t steps_ = 0;
    std::uint64_t most_steps_;
};

} // namespace purview::dimensions
