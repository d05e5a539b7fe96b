#include "engine/places/gathered_places.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <cstdint>

namespace purview::engine {

index_t element_count(ShapeSpan extents) noexcept {
    index_t size = 1;
    for (const index_t extent : extents) size *= extent;
    return size;
}

index_t gathered_run(const Gather& gather) {
    const ShapeSpan extents = gather.source().dims.max_shape();
    std::size_t a = extents.size();
    while (a > 0 && !gather.axes()[a - 1].computed) --a;
    return std::max(element_count(extents.subspan(a)), index_t{1});
}

bool reads_near(const Gather& gather) {
    constexpr index_t kPlaces = 32;
    constexpr std::uint64_t kNearby = 64;
    for (const Operand& index : gather.indexes()) {
        const Leaf* const leaf = leaf_of(index);
        const index_t size = index.dims.size();
        if (leaf == nullptr || !leaf->memory() || leaf->dtype() != int64) return false;
        const auto at = [&](index_t place) {
            return load_element<std::int64_t>(static_cast<const std::byte*>(leaf->memory().data) +
                                              index.dims.global_to_local(place) *
                                                  leaf->memory().stride_bytes);
        };
        index_t spread = 0;
        for (index_t place = 1; place < size; place += size / kPlaces + 1) {
            // Indexes may be anything yet, so that their difference may not fit.
            const auto [less, greater] = std::minmax({at(place - 1), at(place)});
            spread +=
                static_cast<std::uint64_t>(greater) - static_cast<std::uint64_t>(less) > kNearby;
        }
        if (spread > kPlaces / 4) return false;
    }
    return true;
}

} // namespace purview::engine
