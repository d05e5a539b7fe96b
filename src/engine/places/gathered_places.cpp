#include "engine/places/gathered_places.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/places/load.hpp"

#include <algorithm>
#include <cstdint>

namespace purview::inline v0_1::engine {

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
    return std::ranges::all_of(gather.indexes(), [](const Operand& index) {
        const Leaf* const leaf = leaf_of(index);
        return leaf != nullptr && leaf->memory() && leaf->dtype() == int64 &&
               are_near(index.dims.size(), [&](index_t place) {
                   return load_element<std::int64_t>(
                       element_of(*leaf, index.dims.global_to_local(place)));
               });
    });
}

} // namespace purview::engine
