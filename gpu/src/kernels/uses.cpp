// Defines kernels/lowered.hpp.
#include "lowered.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/progression.hpp>
#include <purview/reader/range_reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// The leaf that small progressions are views of: its element a is a less an offset.
const Node& table_of_indexes() {
    static const NodePtr& table = *new NodePtr(progression_operand(0, 0).node);
    return *table;
}

LayerUse add_layer(Lowered& x, const LayerView& view) {
    LayerUse layer;
    layer.base = view.base;
    layer.first_axis = static_cast<std::uint32_t>(x.axes.size());
    layer.rank = static_cast<std::uint32_t>(view.rank());
    for (std::size_t a = 0; a < layer.rank; ++a) {
        AxisUse axis{view.extents[a], view.strides[a], -1};
        if (!view.is_plain(static_cast<int>(a))) {
            axis.map = static_cast<std::int32_t>(x.maps.size());
            const AxisMap& map = view.maps[a];
            x.maps.push_back({map, map.period != 0 && map.step == 1 && axis.extent <= map.period});
        }
        x.axes.push_back(axis);
    }
    return layer;
}

/// By its type and its shape before it was broadcast.
std::string described(const Operand& x) {
    const LayerView outer = x.dims.layer(0);
    Shape shape = to_shape(outer.extents);
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (outer.strides[axis] == 0) shape[axis] = 1;
    const auto own = std::ranges::find_if(shape, [](index_t extent) { return extent != 1; });
    shape.erase(shape.begin(), own);
    return fmt::format("an operand of shape {} of {}", to_string(shape), x.dtype().name());
}

} // namespace

Use& add_use(Lowered& x, Use::Source source, Stored type, const Dimensions& dims,
             std::uint16_t frame) {
    Use use;
    use.source = source;
    use.type = type;
    use.frame = frame;
    const int layers = dims.layer_count();
    use.outer = add_layer(x, dims.layer(0));
    use.first_inner = static_cast<std::uint32_t>(x.layers.size());
    use.inner_layers = static_cast<std::uint16_t>(layers - 1);
    for (int l = 1; l < layers; ++l) x.layers.push_back(add_layer(x, dims.layer(l)));
    return x.uses.emplace_back(std::move(use));
}

bool add_formula(Lowered& x, const Leaf& leaf, const Dimensions& dims, std::uint16_t frame) {
    const auto add = [&](Stored type, std::uint64_t first, std::uint64_t step) {
        Use& use = add_use(x, Use::formula, type, dims, frame);
        use.first = first;
        use.step = step;
        return true;
    };
    if (&leaf == &table_of_indexes()) {
        index_t first = 0;
        leaf.read(Dimensions(), 0, 1, &first);
        return add(Stored::int64, bits_of(first), 1);
    }
    if (leaf.memory()) return false;
    const AnyReader& reader = leaf.reader();
    if (reader.size() == 0) return false;
    const auto of_type = [&]<typename T>(Stored type, T) {
        const auto* range = dynamic_cast<const RangeReader<T>*>(&reader);
        return range != nullptr && add(type, bits_of(range->read(0)), bits_of(range->step()));
    };
    return of_type(Stored::int64, index_t{}) || of_type(Stored::float64, double{}) ||
           of_type(Stored::float32, float{});
}

std::uint64_t argument_bits(Stored type, const void* element) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, bytes_of(type));
    if (type == Stored::boolean) return bits != 0 ? 1 : 0;
    if (type == Stored::float16) return bits_of(half_value(static_cast<std::uint16_t>(bits)));
    if (type == Stored::bfloat16) return bits_of(bfloat16_value(static_cast<std::uint16_t>(bits)));
    return bits;
}

void throw_mixed_places(const char* what, const Operand& root, const Leaf& of_host,
                        const Places& places) {
    std::string here = described(root);
    std::string there = here;
    Place place;
    for (const Node* node : nodes_below(std::span(&root, 1)))
        for (const Operand& operand : operands_of(*node)) {
            const Leaf* const leaf = leaf_of(operand);
            if (leaf == &of_host) here = described(operand);
            if (leaf != nullptr && places.find(leaf->reader(), place)) there = described(operand);
        }
    throw DeviceError(fmt::format(
        "{}: mixed places: {} lies in the host's memory, {} on the device: to_device(x) or "
        "to_host(x) first",
        what, here, there));
}

} // namespace purview::gpu::detail
