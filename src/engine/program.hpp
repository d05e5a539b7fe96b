#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/kernels.hpp"

#include <cstdint>
#include <variant>
#include <vector>

namespace purview::engine {

/// Elements evaluated at a time: a few blocks of float64 fit into the first-level cache.
inline constexpr index_t kBlock = 1024;

/// A scratch block while a program runs, or the memory of a leaf read in place.
using Slot = std::uint32_t;

/// Reads a leaf.
struct Load {
    const Leaf* leaf;
    Dimensions dims;
    dimensions::AddressStream addresses;
    /// The address of global index 0 if addresses ascend by one, and the elements can be used where
    /// they lie; else -1.
    index_t direct_begin;
};

/// Repeats one value.
struct Fill {
    const void* value;
};

/// Applies an operation to blocks that are there already.
struct Apply {
    const Elementwise* node;
    Kernel kernel; ///< null: the node's own function
    boost::container::small_vector<Slot, 3> operands;
};

struct Step {
    DType dtype;
    Slot result;
    std::variant<Load, Fill, Apply> action;
};

/// An expression in the order of its evaluation. Slots are shared by values whose lives do not meet,
/// so that a long chain needs no more of them than a short one.
struct Program {
    Operand root; ///< keeps the nodes alive
    index_t size = 0;
    bool thread_safe = true;
    std::vector<Step> steps;  ///< the last one makes the result
    std::vector<DType> slots; ///< the element type of each scratch block
};

/// Carries views down to the leaves, each distinct (node, Dimensions) pair once. Iterative.
Program compile(const Operand& root);

/// Assigns the elements [begin, begin + count) to constructed elements at `out`.
void run(const Program& program, index_t begin, index_t count, void* out);

} // namespace purview::engine
