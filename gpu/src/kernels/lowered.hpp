#pragma once

#include "stored.hpp"

#include <purview/dimensions/dimensions.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/operations.hpp>
#include <purview/expression/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// Where the elements of a reader lie on the device.
struct Place {
    std::uint64_t handle = 0;       ///< of the buffer
    std::size_t bytes = 0;          ///< of the buffer
    std::size_t offset_bytes = 0;   ///< of element 0; a multiple of the size of an element
    std::uint32_t misalignment = 0; ///< bytes of the buffer's address beyond a multiple of 16
};

/// Says which readers are elements on the device.
class Places {
public:
    Places() = default;
    Places(const Places&) = delete;
    Places& operator=(const Places&) = delete;
    virtual ~Places() = default;
    /// False for what lies in the host's memory.
    virtual bool find(const AnyReader& reader, Place& place) const = 0;
};

/// Where results go: the addresses that `dims` gives, which are those of elements from `place` on.
struct ResultPlace {
    Place place;
    Dimensions dims;
};

/// How an axis of a layer moves its address. `map` is a number in `Lowered::maps`, or -1.
struct AxisUse {
    index_t extent = 0;
    index_t stride = 0;
    std::int32_t map = -1;
};
struct LayerUse {
    index_t base = 0;
    std::uint32_t first_axis = 0; ///< in `Lowered::axes`
    std::uint32_t rank = 0;
};
/// An index map. One that `wraps_once` adds a phase, and passes the period at most once.
struct MapUse {
    AxisMap map;
    bool wraps_once = false;
};

/// What is read, or written, at addresses that follow from coordinates: the outer layer, then inner
/// ones. Use 0 is the destination.
struct Use {
    enum Source : std::uint8_t {
        buffer,
        formula, ///< element a is first + step·a: a progression, or the coordinates themselves
    } source = buffer;
    Stored type{};
    bool is_written = false; ///< the buffer is the destination's
    /// Not 0: an earlier use of the same buffer and strides, whose addresses are so many rows and elements less.
    std::uint16_t near = 0;
    std::int8_t near_rows = 0;
    std::int8_t near_elements = 0;
    std::uint16_t frame = 0;
    std::uint16_t inner_layers = 0;
    Place place;
    std::uint64_t first = 0; ///< bits of the type
    std::uint64_t step = 0;
    LayerUse outer;
    std::uint32_t first_inner = 0; ///< in `Lowered::layers`
};

inline constexpr std::uint16_t kNoValue = 0xffff;

/// A step of a kernel: a variable made from earlier ones.
struct Value {
    enum What : std::uint8_t {
        element,    ///< of use `number`
        constant,   ///< argument `number`
        operation,  ///< `op` of operands
        index,      ///< operand 0, negative ones from the end, checked against numbers[number]
        coordinate, ///< operand 0 less numbers[number], 0 outside of numbers[number + 1]
        inside      ///< operand 0 is in that box along its axis, and operand 1 is true
    } what = element;
    Stored type{};
    Op op{};
    std::uint8_t count = 0;
    std::uint16_t operand[3] = {};
    std::uint16_t guard = kNoValue; ///< a bool: where it is false, errors do not count
    std::uint32_t number = 0;
};

/// Whether an operation of such operands takes the word that errors are noted in: by a constant other than 0 it meets none.
inline bool divides_integers(const Value& v, Stored of) noexcept {
    return v.what == Value::operation && (v.op == Op::divide || v.op == Op::remainder) &&
           is_integer(of);
}

/// Coordinates that are computed: those in the source of a gather, or in a piece. Frame 0 is the
/// elements of the result themselves.
struct Frame {
    std::vector<std::uint16_t> coordinates; ///< values
    std::uint16_t guard = kNoValue;
};

/// The bits of the word that a kernel sets where a checked operation meets an error.
enum class Fault : std::uint8_t { division = 1, conversion = 2, index = 4 };

enum class Form : std::uint8_t {
    linear,  ///< one axis, contiguous or constant operands
    rows,    ///< groups of threads stay within a row
    tiled,   ///< squares through local memory, for operands contiguous along another axis
    general, ///< each thread divides its index into coordinates
    fold,    ///< folds elements to results, as `Folding` says
    scan,    ///< running folds, as `Scanning` says
    softmax  ///< of rows, as `RowSoftmax` says
};

/// A fold: along axes of the destination with stride 0, which are the last ones. Its elements, in row-major order, are cut into
/// parts with a result each. What the host's order asks for: fold_order.hpp.
struct Folding {
    enum Form : std::uint8_t {
        lanes,   ///< of `kLanesOfFloats` threads, joined by halving: every part
        eight,   ///< of `kCellLanes`
        sequence ///< one element after the other, by a thread
    } form = lanes;
    Reduction reduction = Reduction::sum;
    index_t part = 1;
    index_t part_stride = 0; ///< of the destination, from the result of a part to that of the next
    index_t row = 0;         ///< lanes begin anew after that many elements; 0: they do not

    // Set by `lower`:
    std::uint8_t kept = 0; ///< axes
    index_t results = 1;   ///< elements of these
    index_t folded = 1;    ///< elements of the others
    std::uint64_t start = 0;

    index_t parts() const noexcept { return (folded + part - 1) / part; }
    index_t units() const noexcept { return results * parts(); }
    bool restarts() const noexcept { return row > 0 && row < folded; }
};

/// A running fold along the middle axis of elements seen as `[outer, length, inner]`, to a destination of their order. Lanes are cut
/// into parts, each of which begins anew and leaves its total, where there are several.
struct Scanning {
    enum Form : std::uint8_t {
        groups, ///< a lane is `threads` of a group of 256, eight neighbours each: inner is 1
        columns ///< one element after the other, by a thread
    } form = groups;
    Reduction reduction = Reduction::sum;
    index_t length = 1;
    index_t inner = 1;
    index_t part = 1;
    index_t threads = 1;      ///< a power of two; 256 where there are several parts
    std::uint64_t totals = 0; ///< the buffer for them, `[outer, parts, inner]`

    // Set by `lower`:
    index_t lanes = 1;
    std::uint64_t start = 0;

    index_t parts() const noexcept { return (length + part - 1) / part; }
    index_t units() const noexcept { return lanes * parts(); }
    static Scanning of(Reduction reduction, index_t length, index_t inner) noexcept;
};

/// `exp(x - max) / sum` of each row of elements seen as `[rows, length]`, to a destination of their order. A thread holds `each` elements
/// of a row, which `threads` share: it is read and written once.
struct RowSoftmax {
    index_t length = 1;
    index_t threads = 32; ///< a power of two
    index_t each = 1;     ///< a power of two

    index_t group_size() const noexcept { return threads < 256 ? 256 : threads; }
    /// Nothing for rows that groups of so many threads cannot hold.
    static std::optional<RowSoftmax> of(index_t length, std::size_t group_size) noexcept;
};

struct LowerOptions {
    bool wide = false;   ///< 64-bit indexes, whatever the sizes
    bool float64 = true; ///< the device has it
    bool rounds = true;  ///< float32 is divided, and its root taken, with correct rounding
    const Folding* folding = nullptr;    ///< a kernel of form `fold`
    const Scanning* scanning = nullptr;  ///< a kernel of form `scan`
    const RowSoftmax* softmax = nullptr; ///< a kernel of form `softmax`
    bool merges = true;                  ///< else axes stay as they are, and there is no form
};

inline constexpr std::size_t kMaxOperations = 256;
inline constexpr std::size_t kMaxUses = 48;
inline constexpr std::size_t kMaxArgumentBytes = 4000;

/// What a kernel is made of. Steps stand before their users.
struct Lowered {
    std::vector<index_t> extents; ///< merged axes, the last one fastest in the destination
    index_t size = 0;
    std::vector<Use> uses;
    std::vector<AxisUse> axes;
    std::vector<LayerUse> layers;
    std::vector<MapUse> maps;
    std::vector<Value> values;
    std::uint16_t result = 0; ///< a value
    std::vector<Frame> frames;
    std::vector<std::uint64_t> constants;
    std::vector<Stored> constant_types;
    std::vector<index_t> numbers;
    bool wide = false;
    bool rounds = true;   ///< else such operations go through float64, which gives the same
    bool checked = false; ///< may meet an element that is an error

    // The form, and what belongs to it:
    Form form = Form::general;
    std::uint8_t vector = 1;    ///< elements of a load
    std::uint8_t unroll = 1;    ///< vectors of a thread
    std::uint8_t rows = 1;      ///< of a thread of form `rows`: uses near each other share loads
    std::uint8_t side = 0;      ///< of a tile
    std::uint8_t tile_axis = 0; ///< along which the staged uses are contiguous
    std::uint64_t staged = 0;   ///< uses that go through local memory, a bit each
    std::uint64_t reversed =
        0; ///< uses of stride -1 whose vectors are loaded and turned, a bit each
    Folding folding;
    Scanning scanning;
    RowSoftmax softmax;

    /// Not null: too much for one kernel. The node is to be computed into memory of its own first,
    /// all elements in its own order, and the expression lowered again with that in its place.
    NodePtr cut;
    const char* why_cut = "";

    const AxisUse& axis(const Use& use, std::size_t a) const noexcept {
        return axes[use.outer.first_axis + a];
    }
    std::size_t rank() const noexcept { return extents.size(); }
    /// Whether a use is contiguous along an axis of the result.
    bool is_line(const Use& use, std::size_t a) const noexcept {
        return use.source == Use::buffer && use.frame == 0 && use.inner_layers == 0 &&
               axis(use, a).map < 0 && axis(use, a).stride == 1;
    }
    bool is_reversed(std::size_t u) const noexcept { return (reversed >> u & 1) != 0; }
    bool is_staged(std::size_t u) const noexcept { return (staged >> u & 1) != 0; }
    void clear();
};

/// Lowers `root`, whose elements have the shape of the destination, into `out`, whose memory is used
/// again. Calls no device. `what` names the caller's function in errors. Throws `DeviceError` for
/// what has no form on a device, and where operands lie in the host's memory.
void lower(Lowered& out, const Operand& root, const ResultPlace& to, const Places& places,
           const LowerOptions& options = {}, const char* what = "clone");

// --- its parts: uses.cpp, merge.cpp

/// Adds what is read, or written, through `dims`: a buffer whose place is to be set, or a formula.
Use& add_use(Lowered& x, Use::Source source, Stored type, const Dimensions& dims,
             std::uint16_t frame);

/// Adds the elements of a leaf of the host if they are a progression; false if not.
bool add_formula(Lowered& x, const Leaf& leaf, const Dimensions& dims, std::uint16_t frame);

/// An element as the bits of an argument. Floats of 16 bits become float32.
std::uint64_t argument_bits(Stored type, const void* element) noexcept;

/// Throws `DeviceError` naming a leaf of the host, and the first one on the device, as operands of what is computed:
/// by their types, and their shapes before they were broadcast.
[[noreturn]] void throw_mixed_places(const char* what, const Operand& root, const Leaf& of_host,
                                     const Places& places);

/// The second half of `lower`: merges axes and chooses the form.
void finish(Lowered& x, const LowerOptions& options);

const char* name_of(Form form) noexcept;
/// Why a kernel is not one of the fast ones, after "because "; empty for those.
std::string why_slow(const Lowered& x);

} // namespace purview::gpu::detail
