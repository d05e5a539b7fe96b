// Defines purview/evaluation/selection.hpp.

#include <purview/evaluation/selection.hpp>

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/cache_sizes.hpp"

#include <limits>

namespace purview::inline v0_1 {

CopiedIndexes copy_indexes(std::span<const index_t> list) {
    CopiedIndexes copied{allocate_uninitialized_buffer<std::int64_t>(std::ssize(list)), 0, 0};
    if (list.empty()) return copied;
    index_t extremes[2] = {std::numeric_limits<index_t>::max(),
                           std::numeric_limits<index_t>::min()};
    const bool streaming = list.size_bytes() >= engine::kStreamedBytes;
    engine::lane_kernels().copy_list(list.data(), std::ssize(list), engine::data_of(copied.indexes),
                                     streaming, extremes);
    if (streaming) engine::kernels().finish_streams();
    copied.least = extremes[0];
    copied.greatest = extremes[1];
    return copied;
}

} // namespace purview
