#pragma once

#include "layer.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::dimensions {

/// Coordinates of one axis in ascending order: the residues, which lie in [0, period), repeated
/// every period, as long as they are below `limit`.
class Candidates {
public:
    std::vector<index_t> residues;
    index_t period = 1;
    index_t limit = 0;

    void rewind() noexcept {
        position_ = 0;
        cycle_begin_ = 0;
    }
    /// Sets `g` to the next coordinate; false after the last.
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

/// One layer prepared for inverse queries. An axis with stride s reads coordinates m in [lowest,
/// highest]. With y = m - lowest, or highest - m for axes with a negative stride (flipped), address
/// - lowest_address = Σ |s|·y, where 0 <= y <= span.
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
        // For a searched axis, what the later axes of its block can contribute:
        index_t rest_span = 0;
        index_t rest_gcd = 0; // 0 if no axis follows
        index_t common = 0;   // gcd(size, rest_gcd)
        index_t inverse = 0;  // of size/common modulo rest_gcd/common
        int next_searched = -1;
        bool checks_ahead = false; // an axis with several candidates comes before the next searched
                                   // one

        index_t contribution(index_t g) const noexcept {
            const index_t m = layer.coordinate(index, g);
            return size * (flipped ? highest - m : m - lowest);
        }
        /// The coordinates whose y is first, first + apart, …, `count` of them.
        void find(index_t first, index_t apart, index_t count, Candidates& found) const;
        /// The y that a searched axis can have for a residual: first, first + apart, …, `count` of
        /// them. False if there is none.
        bool solve(index_t residual, index_t& first, index_t& apart, index_t& count) const noexcept;
    };

    /// Axes whose strides are multiples of `divisor`, which exceeds what all smaller strides
    /// contribute together: their share of a residual is the largest multiple of `divisor` in it.
    /// In a block of one axis, y is found by division; the axes of a larger block are searched, in
    /// axis order.
    struct Block {
        boost::container::small_vector<int, 2> members;
        index_t divisor = 0;
        index_t span = 0;
        bool checks_ahead = false; // an axis with several candidates comes before the first of the
                                   // block
    };

    std::vector<Axis> axes;
    std::vector<Block> blocks; // largest strides first
    index_t lowest_address = 0;
    index_t total_span = 0;
    bool is_empty = false;
    bool is_ordered = false; // addresses ascend strictly with the index

    LayerPlan() = default;
    explicit LayerPlan(const LayerView& layer);
    /// Whether the axes of a block from `axis` on can contribute exactly `residual`.
    bool is_feasible(int axis, index_t residual, std::uint64_t& steps) const;

private:
    void prepare_search(const Block& block);
};

/// Searches for the elements of one layer that have a given address, in ascending order.
class LayerSearch {
public:
    /// The plan must outlive the search. The search visits at most `most_steps` candidates.
    LayerSearch(const LayerPlan& plan, index_t address,
                std::uint64_t most_steps = ~std::uint64_t{0});

    /// Finds the next element; false when there is none, or after `most_steps` candidates.
    bool next(index_t& index);
    std::uint64_t steps() const noexcept { return steps_; }

private:
    void open(int axis);

    struct Level {
        Candidates candidates;
        index_t g = 0;
        index_t residual = 0; // for a searched axis, the part of the residual that its block still
                              // has to contribute
        index_t before = 0;   // global index of the coordinates before
    };
    const LayerPlan* plan_;
    boost::container::small_vector<Level, 2> levels_;
    int depth_ = -1; // -1: finished
    bool is_started_ = false;
    std::uint64_t steps_ = 0;
    std::uint64_t most_steps_;
};

} // namespace purview::dimensions
