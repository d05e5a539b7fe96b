#pragma once

#include "engine/compile/values.hpp"
#include "engine/kernels/table/kernel_table.hpp"
#include "engine/machine_code/tile_code.hpp"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Refers to a block of contiguous elements: the memory of a leaf, or scratch. Its address is known
/// when a block is run.
using ArrayId = std::uint32_t;

/// Where a segment finds a value that it does not compute.
struct TileSource {
    enum class Form : std::uint8_t { array, repeated, constant };
    Form form = Form::array;
    ArrayId array = 0; ///< `array`: its elements; `repeated`: its first element for all
    ValueId constant = kNoValue;
    TypeId type = TypeId::other; ///< of the elements; boolean ones are bytes
};

/// Threaded code for one segment: fused operations of one lane width.
struct TileProgram : TileCode {
    std::vector<std::uint32_t> accumulators; ///< instructions that work on the accumulator
    /// The arrays that the program reads or writes, each once. The last one is that of the result,
    /// if it is stored.
    struct Touched {
        ArrayId array;
        std::uint32_t element_bytes;
        bool repeated;
    };
    std::vector<Touched> touched;
    std::uint32_t first = 0; ///< its first instruction's index among those of all programs
};

/// One segment to be compiled.
struct Segment {
    ValueId root = kNoValue;
    boost::container::small_vector<ValueId, 8> values; ///< operations, in order; the root last
    std::uint32_t lane_bytes = 0;
};

/// How the end of a segment's program is made: its result is stored or, with a `fold`, accumulated.
struct SegmentEnd {
    ArrayId array = 0; ///< the result, where it is stored
    TileOp fold = TileOp::none;
    /// With a `fold`: lanes beyond the last element of a partial tile become this value, which
    /// has to outlive the program. Null for a program of whole tiles.
    const void* neutral = nullptr;
    /// Arrays of numbers in memory that the program prefetches.
    std::span<const ArrayId> prefetched = {};
    bool streams = false; ///< a result that is stored may be written past the caches
};

/// Prints the program of a segment's values.
TileProgram compile_segment(const KernelTable& kernels, SegmentValues values,
                            const SegmentEnd& end);

} // namespace purview::engine
