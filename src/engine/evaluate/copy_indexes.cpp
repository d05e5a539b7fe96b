// Defines purview/evaluation/selection.hpp.

#include <purview/evaluation/selection.hpp>

#include "base/index_extremes.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/cache_sizes.hpp"

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1 {

// Pieces are looked at and copied in turn, so that each is in the first-level cache when it is
// copied: a separate pass over memory would be half of the time.
CopiedIndexes copy_indexes(std::span<const index_t> list) {
    constexpr std::size_t kPiece = 512;
    CopiedIndexes copied{allocate_uninitialized_buffer<std::int64_t>(std::ssize(list)), 0, 0};
    auto* const out = engine::data_of(copied.indexes);
    const engine::KernelTable& kernels = engine::kernels();
    const bool streaming = std::ssize(list) >= engine::kStreamedBytes / index_t{sizeof(index_t)};
    IndexExtremes extremes;
    for (std::size_t begin = 0; begin < list.size(); begin += kPiece) {
        const auto piece = list.subspan(begin, std::min(kPiece, list.size() - begin));
        extremes.add(piece);
        if (streaming)
            kernels.copy_streaming(piece.data(), out + begin, piece.size_bytes());
        else
            std::memcpy(out + begin, piece.data(), piece.size_bytes());
    }
    if (streaming) kernels.finish_streams();
    copied.least = extremes.least();
    copied.greatest = extremes.greatest();
    return copied;
}

} // namespace purview
