#include "fold_kernels.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "run.hpp"

#include "../kernels/fold_order.hpp"
#include "../kernels/fold_text.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <string>

namespace purview::inline v0_1::gpu::detail {

Operand FoldKernels::scratch(index_t size) const {
    return new_on_device(what_, device_, whole_.dtype(), ShapeSpan(&size, 1));
}

void FoldKernels::fold_axes(const ReducedSource& source, std::optional<std::size_t> only,
                            index_t part, const Operand& out) const {
    ReducedSource ordered{source.node, source.base, {}};
    Shape strides;
    Folding folding;
    folding.reduction = fold_.reduction;
    folding.part = std::max<index_t>(part, 1);
    index_t stride = 1;
    Shape all(source.axes.size(), 0);
    const auto is_folded = [&](std::size_t i) { return only ? i == *only : !source.axes[i].kept; };
    for (std::size_t i = source.axes.size(); i-- > 0;) {
        const index_t extent = source.axes[i].extent;
        if (is_folded(i)) folding.part_stride = stride;
        if (!is_folded(i)) all[i] = stride;
        stride *= !is_folded(i) ? extent : only ? (extent + part - 1) / part : 1;
    }
    for (const bool folded : {false, true})
        for (std::size_t i = 0; i < source.axes.size(); ++i)
            if (is_folded(i) == folded) {
                ordered.axes.push_back(source.axes[i]);
                strides.push_back(all[i]);
            }
    const bool innermost = only && extent_of(source.axes, *only + 1) == 1;
    folding.form = innermost && part >= 2 * kCellLanes ? Folding::eight : Folding::sequence;
    launch(ordered.operand(), strides, folding, out);
}

void FoldKernels::fold_groups(const Operand& source, std::size_t kept, index_t row,
                              const Operand& out) const {
    Folding folding;
    folding.part = chunk_of(fold_.reduction, *stored_type(source.dtype()));
    folding.row = row;
    fold_all(source, kept, folding, out);
}

void FoldKernels::fold_neighbours(const Operand& source, std::size_t kept,
                                  const Operand& out) const {
    Folding folding;
    folding.part = source.dims.size() / fold_.groups;
    folding.form = folding.part >= 2 * kCellLanes ? Folding::eight : Folding::sequence;
    fold_all(source, kept, folding, out);
}

void FoldKernels::fold_all(const Operand& source, std::size_t kept, Folding folding,
                           const Operand& out) const {
    const ShapeSpan shape = source.dims.max_shape();
    const index_t results =
        std::accumulate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(kept),
                        index_t{1}, std::multiplies<>());
    const index_t parts = (source.dims.size() / results + folding.part - 1) / folding.part;
    folding.reduction = fold_.reduction;
    folding.part_stride = 1;
    Shape strides(shape.size(), 0);
    index_t span = parts;
    for (std::size_t axis = kept; axis-- > 0; span *= shape[axis]) strides[axis] = span;
    if (parts == 1) return launch(source, strides, folding, out);
    const Operand partial = scratch(span);
    launch(source, strides, folding, partial);
    join(partial, results, parts, out);
}

bool FoldKernels::fold_panels(const Operand& source, const Walks& walks, const Operand& out) const {
    if (!walks.all_strided || walks.converts) return false;
    const std::optional<Panels> panels = panels_of(source, walks);
    if (!panels) return false;
    const auto& [arranged, rows] = *panels;
    const ReducedAxes& axes = arranged.axes;
    const std::size_t rank = axes.size();
    const index_t extent = axes[rank - 2].extent;
    const index_t pieces = (axes[rank - 1].extent + kPanelColumns - 1) / kPanelColumns;
    const index_t all = arranged.size() / axes[rank - 1].extent * pieces;
    const Operand partial = scratch(all);
    Folding folding;
    folding.reduction = fold_.reduction;
    folding.part = kPanelColumns;
    // Whole panels, then the rows that are left. Pieces of a panel follow each other, each with all of its rows.
    for (const bool whole : {true, false}) {
        const index_t from = whole ? 0 : extent / rows * rows;
        const index_t in_panel = whole ? rows : extent - from;
        const index_t count = whole ? extent / rows : 1;
        if (count * in_panel == 0) continue;
        ReducedSource part = arranged;
        part.base += from * axes[rank - 2].stride;
        part.axes[rank - 2] = {count, rows * axes[rank - 2].stride, true, false};
        part.axes.insert(part.axes.end() - 1, {in_panel, axes[rank - 2].stride, true, false});
        Shape strides(rank + 1, 0);
        strides[rank - 1] = 1;
        strides[rank - 2] = rows * pieces;
        index_t stride = extent * pieces;
        for (std::size_t i = rank - 2; i-- > 0; stride *= axes[i].extent) strides[i] = stride;
        folding.part_stride = in_panel;
        launch(part.operand(), strides, folding, partial, from * pieces);
    }
    join(partial, 1, all, out);
    return true;
}

void FoldKernels::launch(const Operand& source, const Shape& strides, const Folding& folding,
                         const Operand& out, index_t first) const {
    LowerOptions options = options_on(device_);
    options.folding = &folding;
    launch_on_device(device_, source, out,
                     Dimensions::strided(source.dims.max_shape(), strides, first), options, what_,
                     nullptr, [&] {
                         return CheckedWork{work::Fold{fold_.reduction, fold_.groups, false},
                                            whole_, Shape{fold_.groups}, what_};
                     });
}

void FoldKernels::join(Operand partial, index_t groups, index_t parts, const Operand& out) const {
    const Stored type = *stored_type(partial.dtype());
    const Execution::Use in_use;
    const std::string key =
        fmt::format("join {} {}", static_cast<int>(fold_.reduction), static_cast<int>(type));
    while (true) {
        index_t width = 1;
        while (width < parts && width < kJoinedAtOnce) width *= 2;
        const index_t per = (parts + width - 1) / width;
        const index_t units = groups * per;
        const Operand to = per == 1 ? out : scratch(units);
        Buffer* const buffers[] = {&buffer_below(partial), &buffer_below(to)};
        const auto number = [](index_t n) { return static_cast<std::uint64_t>(n); };
        Launch launch;
        launch.arguments = {{buffers[0]->handle(), 8, true}, {buffers[1]->handle(), 8, true},
                            {number(parts), 4, false},       {number(width), 4, false},
                            {number(per), 4, false},         {number(units), 8, false}};
        const index_t in_group = kJoinedAtOnce / width;
        launch.groups = static_cast<std::size_t>((units + in_group - 1) / in_group);
        in_use.run(
            device_, key,
            [&] { return join_text(fold_.reduction, type, device_.driver->dialect()); }, launch,
            buffers);
        if (per == 1) return;
        partial = to;
        parts = per;
    }
}

} // namespace purview::gpu::detail
