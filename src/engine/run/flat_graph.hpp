#pragma once

#include "engine/compile/plan_cache.hpp"
#include "engine/run/direct_run.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace purview::inline v0_1::engine {

/// A graph of a few operations, all leaves of which are contiguous in memory, in row-major order of
/// the root: then one index is enough for all of them, and neither views nor strides have to be
/// looked at. The nodes have to outlive it.
class FlatGraph {
public:
    /// The most elements: arrays of more may be prefetched and written past the caches, which a plan
    /// that serves any size does not know. One thread takes some 10 µs for them.
    static constexpr index_t kLargest = index_t{1} << 18;

    /// Whether the root is such a graph: a leaf or an operation, with no user functions and
    /// built-in types only, over at most kMostNodes nodes, of 1 to kLargest elements. Asked once.
    bool find(const Operand& root) noexcept;

    /// The number of elements.
    index_t size() const noexcept { return size_; }

    /// For each node, the address of the first element of a leaf, or of a constant as instructions
    /// read it; null for operations.
    std::span<const void* const> places() const noexcept { return {places_.data(), count_}; }

    /// The plan that accumulates the elements by `fold`, or that stores them (`TileOp::none`). Null
    /// if a `DirectRun` cannot run it, or if the work is worth several threads. It is valid until
    /// this thread asks for another plan.
    const Plan* plan(const Operand& root, TileOp fold, const void* neutral);

    /// Whether this thread remembers what `plan` returns.
    bool is_remembered(TileOp fold);

private:
    static constexpr std::size_t kMostNodes = 128;
    static constexpr std::size_t kMostOperands = 3;
    /// Up to this many shared nodes are compared one by one; more are found by their hashes.
    static constexpr std::size_t kFewNodes = 16;
    static constexpr std::size_t kNumbers = 256;

    std::span<const std::uint64_t> key(TileOp fold) noexcept;
    std::size_t number_of_shared(const Node* node, const void* place, std::size_t count) noexcept;
    std::uint8_t& number_in_table(const Node* node, const void* place) noexcept;

    std::array<const Node*, kMostNodes + kMostOperands> nodes_;
    std::array<const void*, kMostNodes + kMostOperands> places_;
    std::array<std::uint64_t, kMostNodes + kMostOperands>
        words_;                                  ///< kind, type, operation and operands
    std::array<std::uint8_t, kFewNodes> shared_; ///< numbers of the first shared nodes
    std::array<std::uint8_t, kNumbers> numbers_; ///< of shared nodes by their hashes, plus one; 0:
                                                 ///< none. Of few shared nodes: not set
    std::size_t shared_count_ = 0;
    std::size_t count_ = 0;
    index_t size_ = 0;
};

} // namespace purview::engine
