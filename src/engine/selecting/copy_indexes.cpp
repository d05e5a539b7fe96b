// Defines purview/evaluation/selection.hpp.

#include <purview/evaluation/selection.hpp>

#include "base/index_extremes.hpp"
#include "engine/places/buffers.hpp"
#include "engine/run/lane_pieces.hpp"

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1 {

// Pieces are looked at and copied in turn, so that each is in the first-level cache when it is
// copied: a separate pass over memory would be half of the time.
CopiedIndexes copy_indexes(std::span<const index_t> list) {
    constexpr std::size_t kPiece = 512;
    CopiedIndexes copied{allocate_uninitialized_buffer<std::int64_t>(std::ssize(list)), 0, 0};
    auto* const out = reinterpret_cast<std::byte*>(engine::data_of(copied.indexes));
    engine::PieceWriter write(static_cast<index_t>(list.size_bytes()));
    IndexExtremes extremes;
    for (std::size_t begin = 0; begin < list.size(); begin += kPiece) {
        const auto piece = list.subspan(begin, std::min(kPiece, list.size() - begin));
        extremes.add(piece);
        write(piece.data(), out + begin * sizeof(index_t),
              static_cast<index_t>(piece.size_bytes()));
    }
    copied.least = extremes.least();
    copied.greatest = extremes.greatest();
    return copied;
}

} // namespace purview
