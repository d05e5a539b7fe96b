#include <purview/evaluation/announce_chunks.hpp>
#include <purview/expression/leaf.hpp>

#include "dimensions/followed_axes.hpp"
#include "engine/boxes/loaded_region.hpp"
#include "engine/compile/values.hpp"

namespace purview::inline v0_1 {

void announce_chunks(const Operand& source) {
    if (!source.node->reads(Below::blocks) || source.dims.size() == 0) return;
    const engine::Values values(source);
    const ShapeSpan shape = source.dims.max_shape();
    const engine::Box whole{Shape(shape.size(), 0), to_shape(shape)};
    for (engine::ValueId id = 0; id < values.size(); ++id) {
        const engine::Value& value = values[id];
        const Leaf* const leaf = value.leaf();
        if (leaf == nullptr || !leaf->reads(Below::blocks)) continue;
        const Chunks& chunks = *leaf->reader().chunks();
        if (const auto followed = engine::followed_axes(*value.view, chunks.grid().shape))
            engine::announce(chunks, engine::Region(*followed, whole));
    }
}

} // namespace purview
