#pragma once

#include <purview/dimensions/address_stream.hpp>

#include "engine/compile/tile_operations.hpp"
#include "engine/compile/tile_program.hpp"
#include "engine/compile/values.hpp"
#include "engine/places/space.hpp"
#include "evaluation/fold_order.hpp"

#include <boost/container/small_vector.hpp>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace purview::inline v0_1::engine {

class BlockSource;

/// Elements in a block of scratch: a few such blocks fit into the first-level cache.
inline constexpr index_t kBlock = 1024;

/// Elements in a block where several operands are gathered: the blocks, and the cache lines that
/// they are gathered from, have to stay in the first-level cache until they are used.
inline constexpr index_t kGatheredBlock = 256;

/// Elements from one row of a panel to the next: no power of two, as rows would then compete for a
/// few lines of the cache.
inline constexpr index_t kPanelStride = kPanelColumns + 64;

/// As `kShortestRow`, where machine code goes from row to row (`rows_in_place`).
inline constexpr index_t kShortestRowInPlace = 8;

/// How the elements of a leaf get to where a step can read them.
enum class LoadWay : std::uint8_t {
    direct,   ///< where they lie, at unit stride
    repeated, ///< one element for a whole row
    strided,  ///< copied to scratch at a stride, or row by row
    panel,    ///< transposed to scratch, as it is contiguous along the second innermost axis
    streamed, ///< copied to scratch through an address stream, or by the reader
    gathered  ///< a gather or pieces, put together in scratch
};

/// Why a leaf's elements are not read where they lie.
enum class ScratchReason : std::uint8_t {
    none,
    stride,          ///< neighbours in the innermost loop are not neighbours in memory
    short_rows,      ///< blocks span rows, and the leaf is not contiguous
    user_bool,       ///< a step on blocks reads bools as 0 and 1; these may be other bytes
    user_alignment,  ///< a step on blocks reads aligned elements
    user_repetition, ///< a step on blocks reads as many elements as the row has
    repeated_bool,   ///< no instruction repeats a bool
    view,            ///< an axis is rotated, tiled or listed, or the view has layers
    reader,          ///< a reader without memory
    element_type     ///< not a built-in one
};

/// Why elements are visited in row-major order, if they are.
enum class SpaceOrder : std::uint8_t {
    free,       ///< they are not: in the order that suits memory
    asked,      ///< `Purpose::walk` asks for it
    conversion, ///< a checked conversion reports the first element that does not fit
    leaf        ///< some leaf does not lie in strided memory
};

inline constexpr std::uint32_t kNoBlock = UINT32_MAX;

/// A block of elements that steps read and write.
struct Array {
    DType dtype;
    ValueId value = kNoValue; ///< the leaf that it holds, if any
    LoadWay way = LoadWay::streamed;
    std::uint32_t operand = 0; ///< index into `Space::operands`, for strided leaves
    std::optional<dimensions::AddressStream> stream = std::nullopt;
    /// Of a streamed leaf in memory, if there are strides that give its elements in their order: its
    /// only operand is the leaf.
    std::optional<Space> rows = std::nullopt;
    bool scratch = true;            ///< lies in a block of scratch, not in memory of others
    std::uint32_t block = kNoBlock; ///< its number; arrays with disjoint lifetimes share a block
    ScratchReason scratch_reason = ScratchReason::none;
    std::shared_ptr<const BlockSource> source = nullptr; ///< of a gather or pieces
};

/// Copies a leaf's elements from where they lie: to the scratch of its own array, or to the result.
struct LoadStep {
    ArrayId from;
    ArrayId to;
};
/// Converts a block.
struct CastStep {
    ValueId value; ///< the conversion, for errors
    bool checked;  ///< may meet an element that does not fit
    CastBlock cast;
    ArrayId in;
    ArrayId out;
};
/// Calls a user's function.
struct MapStep {
    ValueId value; ///< whose function it is
    std::vector<ArrayId> in;
    ArrayId out;
};
/// Repeats a constant.
struct FillStep {
    ValueId value;
    ArrayId out;
};
/// Runs threaded code; `tail` is the same for a partial tile, where that differs.
struct TileStep {
    TileProgram program;
    std::optional<TileProgram> tail;
    boost::container::small_vector<ValueId, 8> values; ///< operations in it, in order
};
using Step = std::variant<LoadStep, CastStep, MapStep, FillStep, TileStep>;

/// What is done with the elements of the root.
struct Purpose {
    Walk walk = Walk::in_order;
    const Dimensions* destination =
        nullptr;                   ///< strided, to be walked along; null: contiguous in order
    TileOp fold = TileOp::none;    ///< accumulate instead of storing
    const void* neutral = nullptr; ///< for `fold`; one and the same for each fold and type
};

/// How to compute the root of some values, over any part of its elements, any number of times, from
/// several threads. Knows no address, constant or function: it serves all values of the same
/// structure.
struct Plan {
    Plan(const Values& values, const Purpose& purpose);

    const KernelTable& kernels;
    DType dtype; ///< of the root
    /// Operand 0 is the destination if there is one; then strided leaves. Bases are relative to
    /// those of their Dimensions.
    Space space;
    index_t size = 0;    ///< elements
    index_t row = 1;     ///< elements of the innermost axis of the space
    bool by_rows = true; ///< blocks stay within rows
    /// One program computes whole rows, from where their elements lie to where they go.
    bool rows_in_place = false;
    SpaceOrder order = SpaceOrder::free;
    bool thread_safe = true;
    bool divides_integers = false; ///< if so, lanes without an element must not be zero
    index_t panel_rows = 0;        ///< rows walked together, where some array is read by panels
    /// The two innermost axes are exchanged, because rows were short: all of the short axis is
    /// walked together, as a panel.
    bool inner_axes_exchanged = false;
    std::vector<Array> arrays; ///< array 0 is the result
    std::vector<Step> steps;
    std::vector<DType> blocks;      ///< blocks of scratch: the type of the elements in each
    std::uint32_t spill_slots = 0;  ///< of the program that needs most
    std::uint32_t instructions = 0; ///< of all programs

    double cost = 0; ///< nanoseconds for an element on one thread, roughly

    /// The most elements of a block. No limit where everything is read where it lies, and written
    /// by rows: rows need no blocks then.
    index_t block = kBlock;
};

/// The array that holds the result of the root.
inline constexpr ArrayId kResult = 0;

} // namespace purview::engine
