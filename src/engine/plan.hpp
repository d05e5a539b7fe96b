#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/evaluate.hpp>

#include "engine/space.hpp"
#include "engine/tile_operations.hpp"
#include "engine/tile_program.hpp"
#include "engine/values.hpp"

#include <optional>
#include <variant>

namespace purview::engine {

/// Elements in a block of scratch: a few such blocks fit into the first-level cache.
inline constexpr index_t kBlock = 1024;

/// Rows shorter than this are not worth a run of their own; blocks then span several.
inline constexpr index_t kShortestRow = 64;

/// How the elements of a leaf get to where a step can read them.
enum class Access : std::uint8_t {
    direct,   ///< where they lie, at unit stride
    repeated, ///< one element for a whole row
    strided,  ///< copied to scratch at a stride, or row by row
    streamed  ///< copied to scratch through an address stream, or by the reader
};

/// A block of elements that steps read and write.
struct Array {
    DType dtype;
    ValueId value = kNoValue; ///< the leaf that it holds, if any
    Access access = Access::streamed;
    std::uint32_t operand = 0; ///< of the space, for strided leaves
    std::optional<dimensions::AddressStream> stream;
    bool scratch = true;              ///< lies in a block of scratch, not in memory of others
    std::uint32_t block = UINT32_MAX; ///< which one: arrays whose lives do not meet share one
};

/// Copies a leaf's elements from where they lie: to the scratch of its own array, or to the result.
struct LoadStep {
    ArrayId from;
    ArrayId to;
};
/// Converts a block.
struct CastStep {
    ValueId value; ///< the conversion, for errors
    CastBlock cast;
    ArrayId in;
    ArrayId out;
};
/// Calls a function of the user's.
struct MapStep {
    const BlockFunction* function;
    std::vector<ArrayId> in;
    ArrayId out;
};
/// Repeats a constant.
struct FillStep {
    const void* value;
    ArrayId out;
};
/// Runs threaded code; `tail` is the same for a partial tile, where that differs.
struct TileStep {
    TileProgram program;
    std::optional<TileProgram> tail;
};
using Step = std::variant<LoadStep, CastStep, MapStep, FillStep, TileStep>;

/// What is done with the elements of the root.
struct Purpose {
    Walk walk = Walk::in_order;
    const Dimensions* destination =
        nullptr;                   ///< strided, to be walked along; null: contiguous in order
    TileOp fold = TileOp::none;    ///< accumulate instead of storing
    const void* neutral = nullptr; ///< of the fold
};

/// An expression ready to be run over any part of its elements, any number of times, from several
/// threads. Holds no elements.
struct Plan {
    Plan(const Operand& root, const Purpose& purpose);

    Operand root; ///< keeps the nodes alive
    const KernelTable& kernels;
    Values values;
    Space space;         ///< operand 0 is the destination if there is one; then strided leaves
    index_t size = 0;    ///< elements
    index_t row = 1;     ///< elements of the innermost axis of the space
    bool by_rows = true; ///< blocks stay within rows
    bool thread_safe = true;
    boost::container::small_vector<Array, 8> arrays; ///< array 0 is the result
    boost::container::small_vector<Step, 4> steps;
    boost::container::small_vector<DType, 4> blocks; ///< of scratch, by the elements they hold

    /// Elements of the largest block: rows need no blocks if everything is read where it lies.
    index_t block = kBlock;
};

/// The array that holds the result of the root.
inline constexpr ArrayId kResult = 0;

} // namespace purview::engine
