#include "launch.hpp"

#include "fold_order.hpp"
#include "parameters.hpp"

namespace purview::inline v0_1::gpu::detail {
namespace {

std::size_t group_size_of(const Lowered& x) {
    if (x.form == Form::softmax) return static_cast<std::size_t>(x.softmax.group_size());
    return x.form == Form::fold && x.folding.form == Folding::lanes ? kFoldThreads : 256;
}

std::size_t groups_of(const Lowered& x) {
    const auto parts = [](index_t n, index_t of) { return (n + of - 1) / of; };
    if (x.size == 0) return 0;
    index_t groups = 0;
    switch (x.form) {
    case Form::linear:
    case Form::rows:
        groups = x.size / x.extents.back() * parts(x.extents.back(), segment_of(x));
        if (x.rows > 1) groups = groups / x.extents[x.rank() - 2] * row_blocks_of(x);
        break;
    case Form::tiled: {
        const index_t last = x.extents.back();
        const index_t along = x.extents[x.tile_axis];
        groups = x.size / last / along * parts(last, x.side) * parts(along, x.side);
        break;
    }
    case Form::general: groups = parts(x.size, index_t{256} * x.unroll); break;
    case Form::fold:
        groups = parts(x.folding.units(),
                       static_cast<index_t>(group_size_of(x)) / threads_of(x.folding.form));
        break;
    case Form::softmax:
        groups = parts(x.size / x.softmax.length * x.softmax.threads, x.softmax.group_size());
        break;
    case Form::scan: groups = parts(x.scanning.units() * x.scanning.threads, 256); break;
    }
    return static_cast<std::size_t>(groups);
}

} // namespace

void key_of(const Lowered& x, std::string& key) {
    key.clear();
    const auto add = [&](auto... n) {
        const char bytes[] = {static_cast<char>(n)...};
        key.append(bytes, sizeof...(n));
    };
    const auto add_wide = [&](std::uint32_t n) { add(n, n >> 8); };
    add(x.form, x.vector, x.unroll, x.rows, x.side * (x.form == Form::tiled),
        x.tile_axis * (x.form == Form::tiled), x.wide + 2 * x.checked + 4 * x.rounds, x.rank(),
        x.uses.size(), x.frames.size());
    for (int shift = 0; (x.staged | x.reversed) != 0 && shift < 64; shift += 16)
        add_wide(static_cast<std::uint32_t>((x.staged | x.reversed) >> shift)); // never both
    if (x.form == Form::fold)
        add(x.folding.form, x.folding.reduction, x.folding.kept, x.folding.restarts());
    if (x.form == Form::scan) add(x.scanning.form, x.scanning.reduction, x.scanning.parts() > 1);
    if (x.form == Form::softmax) {
        add(x.softmax.each);
        add_wide(static_cast<std::uint32_t>(x.softmax.threads));
    }
    add_wide(x.result);
    const auto add_axes = [&](const LayerUse& layer) {
        add(layer.rank);
        for (std::size_t a = layer.first_axis; a < layer.first_axis + layer.rank; ++a) {
            const AxisUse& axis = x.axes[a];
            add(class_of(axis));
            if (axis.map < 0) continue;
            const MapUse& map = x.maps[static_cast<std::size_t>(axis.map)];
            add(axis.map,
                (map.map.period != 0) + 2 * (map.map.table != nullptr) + 4 * map.wraps_once);
        }
    };
    for (const Use& use : x.uses) {
        add(use.source + 2 * use.is_written, use.type, use.frame, use.inner_layers);
        if (x.rows > 1) add(use.near, use.near_rows, use.near_elements);
        add_axes(use.outer);
        for (std::size_t l = use.first_inner; l < use.first_inner + use.inner_layers; ++l)
            add_axes(x.layers[l]);
    }
    for (const Value& v : x.values) {
        add(v.what, v.type, v.op, v.count);
        add_wide(v.number);
        for (int i = 0; i < v.count; ++i) add_wide(v.operand[i]);
        if (x.frames.size() > 1) add_wide(v.guard);
    }
    for (const Frame& frame : x.frames) {
        add(frame.coordinates.size());
        for (const std::uint16_t value : frame.coordinates) add_wide(value);
    }
}

void launch_of(const Lowered& x, std::uint64_t flag, Launch& launch) {
    launch.arguments.clear();
    launch.tables.clear();
    each_parameter(x, flag, [&](const Parameter& p) {
        if (p.table != nullptr)
            launch.tables.push_back({static_cast<std::uint32_t>(launch.arguments.size()), p.table});
        launch.arguments.push_back({p.bits, p.bytes, p.is_buffer});
    });
    launch.group_size = group_size_of(x);
    launch.groups = groups_of(x);
}

} // namespace purview::gpu::detail
