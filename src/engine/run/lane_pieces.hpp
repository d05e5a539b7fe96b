#pragma once

#include <purview/evaluation/lanes.hpp>

#include "dtype/element_block.hpp"
#include "engine/kernels/table/lane_kernels.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/threads/parallel.hpp"

#include <cstddef>
#include <optional>

namespace purview::inline v0_1::engine {

/// Reads an operand piece by piece: where its elements lie, if they are contiguous, or into a
/// block.
class PieceReader {
public:
    /// At most this many elements at once.
    PieceReader(const Operand& source, index_t most);

    /// The elements [begin, begin + count) in row-major order, with kLaneSlackBytes after them that
    /// kernels may read. Valid until the next call.
    const std::byte* operator()(index_t begin, index_t count);

private:
    Operand source_;
    index_t most_;
    index_t bytes_;
    const std::byte* memory_ = nullptr;
    std::optional<RangeStore> compute_;
    std::optional<ElementBlock> block_;
};

/// Writes pieces of a result one after the other, past the caches if the whole is large.
class PieceWriter {
public:
    explicit PieceWriter(index_t whole_bytes);
    ~PieceWriter();
    PieceWriter(const PieceWriter&) = delete;
    PieceWriter& operator=(const PieceWriter&) = delete;

    void operator()(const void* piece, std::byte* out, index_t bytes);

private:
    bool streaming_;
};

/// The number of threads worth using for lanes of `source` that take one thread `cost` nanoseconds.
int lane_threads(const Operand& source, double cost);

/// The number of elements of a block for `count` elements and the slack after them.
index_t with_slack(DType dtype, index_t count) noexcept;

/// The number of results in a piece, if windows are not longer than half of it.
inline constexpr index_t kLanePiece = results_per_piece(1);

/// Computes the results of lanes in pieces, on several threads if that is worth it; a result reads
/// `window` elements of a padded lane. `work()` is called for each range of pieces that a thread
/// takes, and returns `piece(const std::byte* in, index_t count, void* out)`, which computes
/// `count` results; `in` is the first element that these read. `cost`: nanoseconds for a result.
template <typename Work>
void for_each_window_piece(const PaddedLanes& lanes, index_t window, double cost, void* out,
                           Work work) {
    const index_t length = lanes.length() - window + 1;
    if (lanes.groups == 0 || length <= 0) return;
    const index_t piece = results_per_piece(window);
    const index_t pieces = (length + piece - 1) / piece;
    const index_t bytes = lanes.padded.dtype().size_bytes();
    const index_t inner_length = lanes.inner_length();
    const index_t most = piece + window;
    const double total = cost * static_cast<double>(lanes.groups) * static_cast<double>(length);
    const int threads = lane_threads(lanes.padded, total);
    parallel_for(lanes.groups * pieces, 1, threads, [&](index_t first, index_t last) {
        PieceReader padded(lanes.padded, most);
        PieceReader inner(lanes.inner, most);
        PieceWriter write(lanes.groups * length * bytes);
        const DType dtype = lanes.padded.dtype();
        ElementBlock results(dtype, with_slack(dtype, piece));
        auto each = work();
        for (index_t p = first; p < last; ++p) {
            const index_t group = p / pieces;
            const index_t at = p % pieces * piece;
            const index_t count = piece < length - at ? piece : length - at;
            const index_t reads = count + window - 1;
            const index_t inside = at - lanes.before;
            const std::byte* const in = inside >= 0 && inside + reads <= inner_length
                                            ? inner(group * inner_length + inside, reads)
                                            : padded(group * lanes.length() + at, reads);
            each(in, count, results.data());
            write(results.data(), static_cast<std::byte*>(out) + (group * length + at) * bytes,
                  count * bytes);
        }
    });
}

} // namespace purview::engine
