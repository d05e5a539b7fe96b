#pragma once

// Included by the units that are compiled with flags of a target: it includes no header but those
// below, and has no inline function with code, as code for a newer processor could be linked into
// the rest of the program.
#include <purview/expression/float_functions.hpp>

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1 {

enum class TypeId : std::uint8_t; // purview/dtype/dtype.hpp
using index_t = std::int64_t;

namespace engine {

// --- threaded code -----------------------------------------------------------------------------
//
// A tile is four native vectors of lanes. A program is a sequence of instructions that a tile runs
// through: each works on the tiles A and B, which stay in registers, and jumps to the next. The last
// one jumps back to the first, for the next tile, or returns to `run_tiles` where jumps are not
// certain. What A and B hold when a tile begins is unspecified.
//
// Where an instruction's operand lies (`offset`: bytes of lanes before the tile):
//   memory    a unit-stride array of lanes:  operand + offset
//   bools     an array of one byte each:     operand + offset / lane bytes
//   constant  one value of the lane type:    operand
//   scratch   one tile, 64-byte aligned:     operand               (the same for every tile)
// Memory and bools may be misaligned. Masks are lanes of all ones or all zeros, as wide as the lane
// type.

/// The bytes of the largest tile of any target.
inline constexpr std::size_t kMaxTileBytes = 256;

/// How far ahead programs prefetch in the arrays that they read: more than a page, as hardware
/// prefetching stops at the end of one; twice as far in a single array.
inline constexpr std::size_t kPrefetchBytes = 6144;
inline constexpr std::size_t kPrefetchBytesAlone = 2 * kPrefetchBytes;

/// The bytes of an accumulator, which is 64-byte aligned memory.
inline constexpr std::size_t kAccumulatorBytes = 256;

/// A float is accumulated on this many lanes on every target.
inline constexpr std::size_t kFloatLanes = 32;

/// Bits of `TileState::flags`.
inline constexpr std::uint32_t kDivisionByZero = 1; ///< the lane's result is 0

struct Instruction;

/// What a program may need beside its operands. One per running program.
struct alignas(64) TileState {
    std::uint32_t flags = 0;
    /// What the running instruction does with `lanes_a` and `lanes_b`, if it works on memory.
    void (*in_memory)(TileState*) = nullptr;
    /// The number of lanes of the tile that hold elements, for `Form::keep_valid`.
    std::size_t valid_lanes = 0;
    bool streams = false;                 ///< for `Form::stream_last`
    const Instruction* program = nullptr; ///< set by run_tiles
    std::size_t end_offset = 0;           ///< set by run_tiles
    alignas(64) std::uint8_t lanes_a[kMaxTileBytes];
    alignas(64) std::uint8_t lanes_b[kMaxTileBytes];
};

/// A tile function as a pointer of a type that can be stored; only other tile functions can call
/// it.
using TileFunction = void (*)();

struct Instruction {
    TileFunction function = nullptr;
    const void* operand = nullptr;
};

enum class TileOp : std::uint8_t {
    none,
    // binary, and accumulations (add, multiply, minimum, maximum, logical_and, logical_or, count,
    // collect)
    add,
    subtract,
    multiply,
    scale,     ///< of floats: 0 where x is 0, else the product
    divide,    ///< integers truncate, lowest / -1 wraps, x / 0 is 0 and sets kDivisionByZero
    remainder, ///< fmod for floats
    minimum,   ///< NaN if either is; the left one of two equals
    maximum,
    equal, ///< comparisons make a mask
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    ieee_remainder, ///< of floats, as what follows
#define PURVIEW_ENUMERATOR(NAME) NAME,
    // clang-format off
    PURVIEW_EACH_FLOAT_FUNCTION_OF_TWO(PURVIEW_ENUMERATOR)
    // clang-format on
    shift_left,  ///< of integers; 0 if the count is negative or not less than the width
    shift_right, ///< arithmetic if signed; 0, or -1 of a negative, for such counts
    logical_and, ///< of masks; also bitwise
    logical_or,
    logical_xor,
    // unary
    negative,
    absolute,
    square,
    square_root,
    logical_not,
    signum,
    floor, ///< of floats, as what follows
    ceil,
    round,
    rint,
    trunc,
    next_up,
    next_down,
    ulp,
    // clang-format off
    PURVIEW_EACH_FLOAT_FUNCTION(PURVIEW_ENUMERATOR)
// clang-format on
#undef PURVIEW_ENUMERATOR
    // unary, conversions between types of one width; they wrap like `wrapping_cast`
    to_signed,
    to_unsigned,
    to_float, ///< of 32 or 64 bits
    // accumulation only
    count,  ///< adds the number of true lanes to the uint64 at operand
    collect ///< appends the indexes of true lanes to the `Collector` at operand
};
constexpr bool is_comparison(TileOp op) noexcept {
    return op >= TileOp::equal && op <= TileOp::greater_equal;
}

/// Where the indexes of true lanes are written to.
struct Collector {
    index_t* next; ///< of the next one: room for a tile's, and for kCollectorRoom more
    index_t first; ///< the index of the element at offset 0
};
inline constexpr index_t kCollectorRoom = 8;

enum class Form : std::uint8_t {
    // Moves; the op is `none`. Only constants and bools need the lane type.
    load_a,
    load_b,
    constant_a,
    constant_b,
    reload_a, ///< A = scratch
    reload_b,
    load_bools_a, ///< as a mask: true where the byte is not 0
    load_bools_b,
    a_to_b,
    b_to_a,
    swap,
    spill_a,        ///< scratch = A
    spill_b,        ///< scratch = B
    keep_valid,     ///< lanes from `valid_lanes` on become the constant
    prefetch,       ///< prefetches memory `kPrefetchBytes` after this tile's, which need not exist
    prefetch_alone, ///< the same, `kPrefetchBytesAlone`

    // A = op(A)
    unary,

    // A = x op y
    a_op_b,
    b_op_a,
    a_op_memory,
    memory_op_a,
    a_op_constant,
    constant_op_a,
    a_op_scratch,
    scratch_op_a,

    // A = mask ? x : y; the op is `none`. Only constants need the lane type.
    a_chooses_b_or_memory,
    a_chooses_memory_or_b,
    b_chooses_a_or_memory,
    b_chooses_memory_or_a,
    a_chooses_b_or_constant,
    a_chooses_constant_or_b,
    b_chooses_a_or_constant,
    b_chooses_constant_or_a,
    a_chooses_b_or_scratch,
    a_chooses_scratch_or_b,
    b_chooses_a_or_scratch,
    b_chooses_scratch_or_a,

    // Last instructions.
    store_last,       ///< memory = A
    stream_last,      ///< the same past the caches, if the state says so
    store_bools_last, ///< mask A as bytes 0 and 1
    // Accumulator at operand: lane k becomes op of itself and those lanes of A, in their order,
    // whose index in the run (from offset 0) is k modulo `accumulator_lanes`.
    accumulate_last,
    // Also last: keeps the accumulator in B, twice as fast where data is in the first-level cache.
    // The program's first instruction has to be reload_b of the accumulator, and no other one may
    // change B. Not found where a tile is smaller than an accumulator, or where jumps are not
    // certain.
    accumulate_in_b
};

/// The most instructions of a program: where jumps are compiled to calls (emulated vectors under
/// clang), each takes stack.
inline constexpr std::size_t kMaxInstructions = 4096;

/// Runs `tiles` whole tiles, the first of which lies at `first_byte`. Fills in `program` and
/// `end_offset` of the state. An output of the program may be the same memory as an input, and may
/// not overlap one otherwise.
using RunTiles = void (*)(const Instruction* program, TileState* state, std::size_t first_byte,
                          std::size_t tiles);

/// Runs a program that accumulates on `folds` consecutive pieces of `tiles` tiles each: for each
/// piece the accumulator begins as a copy of `start`, and what it ends as is written to the next
/// kAccumulatorBytes of `out`. All of these are aligned as the accumulator is.
using FoldTiles = void (*)(const Instruction* program, TileState* state, std::size_t first_byte,
                           std::size_t tiles, std::size_t folds, const void* start,
                           void* accumulator, void* out);

/// The number of lanes of an accumulator of `bytes`-wide lanes: 32 for floats, and as many as fill
/// kAccumulatorBytes for integers and masks.
constexpr std::size_t accumulator_lanes(bool floating, std::size_t bytes) {
    return floating ? kFloatLanes : kAccumulatorBytes / bytes;
}

// --- blocks ------------------------------------------------------------------------------------

/// Converts `count` elements. Input and output may be misaligned, and the same memory if the
/// element sizes are equal. Unchecked: converts as `wrapping_cast` does, and returns -1. Checked:
/// returns the index of the first element that does not fit, or -1; if one does not fit, the
/// results are unspecified.
using CastBlock = index_t (*)(const void* in, void* out, index_t count);

/// The most columns of `copy_short_rows`.
inline constexpr index_t kMostColumns = 16;

/// The most elements of a row of `fold_short_rows`.
inline constexpr index_t kMostOfShortRow = 4;
/// The most elements of a window of `fold_alternate_windows`.
inline constexpr index_t kMostOfAlternateWindow = 8;

/// `sum_powers` and its like take rows of at most this many elements.
inline constexpr index_t kMostColumnsOfSums = 64;

/// A field of a date, as in `CalendarField`.
enum class DayField : std::uint8_t {
    year,
    quarter,
    month,
    day,
    day_of_year,
    day_of_week,
    iso_week,
    iso_year
};

/// The years of days that are less than this many days from 1970-01-01 fit into int32.
inline constexpr double kFarthestDay = 0x1p39;

struct LaneKernels; // lane_kernels.hpp
struct NearIndexes; // near_indexes.hpp

/// The kernels of one target. Element sizes are 1, 2, 4 or 8 bytes (of `load_strided`, `store_strided`
/// and `copy_2d` also 16); bases and strides may be
/// misaligned; strides may be negative or zero. Inputs and outputs do not overlap unless it says
/// so.
struct KernelTable {
    const char* name;       ///< as in PURVIEW_TARGET: "scalar", "ssse3", "avx2", "avx512", "neon"
    std::size_t tile_bytes; ///< divide by the lane size for the lanes
    const LaneKernels* lanes;

    /// The function of an instruction; null if there is none.
    TileFunction (*find)(Form form, TileOp op, TypeId lane);
    /// A function for the longest sequence at the start of `count` instructions on float32 or
    /// float64 `lane`s that can be fused, and its length. It replaces the function of the first
    /// instruction; the others stay, for their operands. Null, and a length of 1, if there is none.
    TileFunction (*fuse)(const Instruction* code, std::size_t count, TypeId lane,
                         std::size_t* length);
    RunTiles run_tiles;
    FoldTiles fold_tiles;

    /// Any two of the eleven built-in types; equal types copy.
    CastBlock (*find_cast)(TypeId from, TypeId to, bool checked);

    /// out[i] = value
    void (*fill)(std::size_t size, const void* value, void* out, index_t count);
    /// out[i] = in[i * stride]
    void (*load_strided)(std::size_t size, const void* in, index_t stride_bytes, void* out,
                         index_t count);
    /// out[i * stride] = in[i]
    void (*store_strided)(std::size_t size, const void* in, void* out, index_t stride_bytes,
                          index_t count);
    /// Copies groups of `size` bytes, which may be any number, in order:
    /// out[o(i) * out_stride] = in[j(i) * in_stride], where j(i) is in_indexes[i], or i if there is
    /// no list, and o(i) likewise. `far`: lists point into more memory than the second-level cache
    /// holds. `streaming`: may write past the caches.
    void (*copy_indexed)(std::size_t size, const void* in, index_t in_stride_bytes,
                         const index_t* in_indexes, void* out, index_t out_stride_bytes,
                         const index_t* out_indexes, index_t count, bool far, bool streaming);
    /// Gathers elements of 1, 2, 4 or 8 bytes, and the one behind each of them:
    /// firsts[i] = in[indexes[i]], seconds[i] = in[indexes[i] + 1]. `far` as above.
    void (*copy_indexed_pairs)(std::size_t size, const void* in, const index_t* indexes,
                               void* firsts, void* seconds, index_t count, bool far);
    /// The bytes of a vector that `copy_near` picks from two: `lanes` are less than twice as many as
    /// it has elements. 0: it gains nothing, and is not to be called.
    std::size_t near_bytes;
    /// `copy_indexed_pairs` of 4 or 8 bytes, by indexes [begin, begin + count) of a longer list.
    /// Elements are read up to twice a vector behind each start, and one more. `seconds` may be null.
    void (*copy_near)(std::size_t size, const void* in, const NearIndexes& indexes, index_t begin,
                      index_t count, void* firsts, void* seconds);
    /// Whether all indexes are in [0, extent).
    bool (*are_inside)(const index_t* indexes, index_t count, index_t extent);
    /// out[c * out_row_stride + r * size] = in[r * in_row_stride + c * size], for r < rows and c <
    /// columns. `streaming`: writes past the caches, for an output that is large and not read soon.
    void (*transpose_2d)(std::size_t size, const void* in, index_t in_row_stride_bytes, void* out,
                         index_t out_row_stride_bytes, index_t rows, index_t columns,
                         bool streaming);
    /// memcpy that writes past the caches.
    void (*copy_streaming)(const void* in, void* out, std::size_t bytes);
    /// Orders what was written past the caches before what this thread writes next. Has to be
    /// called after streaming, before another thread is told that the memory is ready.
    void (*finish_streams)();
    /// fill that writes past the caches.
    void (*fill_streaming)(std::size_t size, const void* value, void* out, index_t count);
    /// out[p * out_strides[0] + i * out_strides[1] + out_offsets[j]] = the same of the input, for p
    /// < planes, i < rows, j < columns <= kMostColumns. All in bytes.
    void (*copy_short_rows)(std::size_t size, const void* in, const index_t* in_strides_bytes,
                            const index_t* in_offsets_bytes, void* out,
                            const index_t* out_strides_bytes, const index_t* out_offsets_bytes,
                            index_t planes, index_t rows, index_t columns);
    /// out[i * out_strides[0] + j * out_strides[1]] = in[i * in_strides[0] + j * in_strides[1]] for
    /// i < n0, j < n1; made for an n1 of a few elements, such as the channels of a pixel.
    void (*copy_2d)(std::size_t size, const void* in, const index_t* in_strides_bytes, void* out,
                    const index_t* out_strides_bytes, index_t n0, index_t n1);
    /// out[c] = sum of in[rows[i] * stride + c] over i < count, in their order, for c < width
    /// elements. Floats, or integers of 8 bytes, which wrap. `rows` has `listed` entries: those
    /// after `count` are prefetched, as they are read soon, and may be out of range.
    void (*sum_rows)(bool floating, std::size_t size, const void* in, index_t stride_bytes,
                     const index_t* rows, index_t count, index_t listed, index_t width, void* out);
    /// out[rows[i] * stride + c] += in[i * width + c], for i < count in their order. Integers wrap.
    void (*add_rows)(bool floating, std::size_t size, const void* in, index_t count, index_t width,
                     void* out, index_t stride_bytes, const index_t* rows);

    /// Sets bit i of the words, counted from the lowest bit, if byte i of the input is not 0; bits
    /// after the last one become 0. Returns how many are set.
    index_t (*pack_bools)(const void* in, index_t count, std::uint64_t* words);
    /// Writes `base + i` to consecutive places for each bit i of `count` words that is set, in
    /// order. They lie before `end`; places between the last of them and `end` may be written too.
    void (*expand_bits)(const std::uint64_t* words, index_t count, index_t base, index_t* out,
                        const index_t* end);

    /// out[i] = in[i] / divisor rounded down; 2 <= divisor <= 2^52. `in` and `out` may be one.
    void (*floor_quotients)(const std::int64_t* in, std::int64_t* out, index_t count,
                            std::int64_t divisor);
    /// A field of the day on which a count of ticks since 1970-01-01 falls. The day is `count /
    /// ticks_per_day`, rounded down, or `count * days_per_tick`; one of the two factors is 1. False
    /// if some day is kFarthestDay or more days away; the results are unspecified then.
    bool (*calendar_fields)(DayField field, const std::int64_t* counts, std::int32_t* out,
                            index_t count, std::int64_t ticks_per_day, std::int64_t days_per_tick);
    /// out[i] = in[i] / divisor rounded down, modulo `modulus`, not negative; 1 <= divisor, 2 <=
    /// modulus < 2^31.
    void (*clock_fields)(const std::int64_t* in, std::int32_t* out, index_t count,
                         std::int64_t divisor, std::int64_t modulus);

    // Sums on eight lanes, in the same order on every target. For few elements at a time, as longer
    // sums lose digits. The columns are those of rows of `width` elements, at most
    // kMostColumnsOfSums, which lie one after the other.

    /// For each column its sum, its least and its greatest element. NaN may be passed over in the
    /// last two.
    void (*sum_and_extremes)(const double* x, index_t rows, index_t width, double* results);
    /// For each column the sums of (x[i] - centre)^p for p = 1, 2, 3, 4; for p = 3, 4 zero if
    /// `powers` is 2. Unless `next` is null, also what `sum_and_extremes` gives for as many rows at
    /// `next`, a multiple of eight.
    void (*sum_powers)(const double* x, index_t rows, index_t width, const double* centres,
                       int powers, double* sums, const double* next, double* results);
    /// With a = x[i] - centre_x and b = y[i] - centre_y, the sums of a, b, a², b² and ab.
    void (*sum_products)(const double* x, const double* y, index_t count, double centre_x,
                         double centre_y, double* sums);

    /// Replaces each of `rows` consecutive rows of `width` floats by the exponentials of its
    /// elements, divided by their sum. NaN, or inf, makes all of its row NaN, as does a row of
    /// -inf.
    void (*softmax_rows)(std::size_t size, void* x, index_t rows, index_t width);

    /// out[i] = in[i * length] op in[i * length + 1] op …, from the left, for i < rows; floats of
    /// `size` bytes, aligned; `op` is add, multiply, minimum or maximum; 2 <= length <=
    /// kMostOfShortRow.
    void (*fold_short_rows)(TileOp op, std::size_t size, const void* in, index_t rows,
                            index_t length, void* out);

    /// The same of windows that begin at every other element: out[i] = in[2 i] op in[2 i + 1] op …,
    /// for i < windows; 2 <= length <= kMostOfAlternateWindow.
    void (*fold_alternate_windows)(TileOp op, std::size_t size, const void* in, index_t windows,
                                   index_t length, void* out);
    /// `add_rows` of elements up to an index outside [0, extent), each read once. Returns how many.
    index_t (*add_inside)(bool floating, std::size_t size, const void* in, index_t count, void* out,
                          index_t stride_bytes, const index_t* indexes, index_t extent);
};

} // namespace engine
} // namespace purview
