#include "fold_axes.hpp"

#include "execution.hpp"
#include "run.hpp"

#include "../kernels/fold_order.hpp"

#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>

namespace purview::inline v0_1::gpu::detail {
namespace {

bool is_one_axis(index_t outer, index_t inner, index_t extent) noexcept {
    return outer == inner * extent;
}

/// Whether axis b is walked outside of axis a: decided by the first leaf whose steps along the two differ. An axis that a leaf
/// repeats is no reason (base/axis_order.hpp).
bool lies_outside(const Walks& walks, std::size_t b, std::size_t a) {
    for (const auto& strides : walks.strides) {
        if (strides[b] == 0 || strides[a] == 0) continue;
        if (const index_t compared = std::abs(strides[b]) - std::abs(strides[a]); compared != 0)
            return compared > 0;
    }
    return false;
}

/// The axes of more than one element, sorted.
std::vector<std::size_t> order_of(ShapeSpan shape, const Walks& walks) {
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (shape[axis] != 1) order.push_back(axis);
    for (std::size_t i = 1; i < order.size(); ++i)
        for (std::size_t j = i; j > 0 && lies_outside(walks, order[j], order[j - 1]); --j)
            std::swap(order[j], order[j - 1]);
    return order;
}

void add_axis(FoldAxes& axes, const FoldAxis& axis, bool merged) {
    if (!merged) return axes.push_back(axis);
    const index_t extent = axes.back().extent * axis.extent;
    axes.back() = axis;
    axes.back().extent = extent;
}

using UseList = std::vector<std::uint32_t>;

/// The uses in the order in which the host finds leaves: those of fewer operations above first (engine/compile/values.cpp).
UseList discovered(const Lowered& x) {
    UseList uses;
    std::vector<std::uint16_t> found{x.result};
    std::vector<bool> seen(x.values.size(), false);
    for (std::size_t next = 0; next < found.size(); ++next) {
        const Value& v = x.values[found[next]];
        if (v.what == Value::element) uses.push_back(v.number);
        for (int i = 0; i < v.count; ++i) {
            if (!seen[v.operand[i]]) found.push_back(v.operand[i]);
            seen[v.operand[i]] = true;
        }
    }
    return uses;
}

/// In the order in which the host evaluates them: the operand first that needs most registers.
UseList evaluated(const Lowered& x) {
    std::vector<int> needs;
    for (const Value& v : x.values) { // operands stand before their users
        std::vector<int> of_operands;
        for (int i = 0; i < v.count; ++i) of_operands.push_back(needs[v.operand[i]]);
        std::ranges::sort(of_operands, std::greater<>());
        int need = v.count > 0 ? 1 : 0;
        for (int held = 0; held < v.count; ++held)
            if (const int own = of_operands[static_cast<std::size_t>(held)]; own > 0)
                need = std::max(need, own + held);
        needs.push_back(need);
    }
    UseList uses;
    std::vector<std::uint16_t> stack{x.result};
    std::vector<bool> done(x.values.size(), false);
    while (!stack.empty()) {
        const std::uint16_t k = stack.back();
        const Value& v = x.values[k];
        const std::uint16_t* next = nullptr;
        for (int i = 0; i < v.count; ++i)
            if (!done[v.operand[i]] && (next == nullptr || needs[v.operand[i]] > needs[*next]))
                next = &v.operand[i];
        if (next != nullptr) {
            stack.push_back(*next);
            continue;
        }
        stack.pop_back();
        if (!done[k] && v.what == Value::element) uses.push_back(v.number);
        done[k] = true;
    }
    return uses;
}

} // namespace

index_t Walks::row(ShapeSpan shape) const {
    std::size_t inner = shape.size();
    index_t row = 1;
    bool whole = true;
    for (std::size_t axis = shape.size(); axis-- > 0 && whole;) {
        if (shape[axis] == 1) continue;
        if (inner < shape.size())
            whole = std::ranges::all_of(strides, [&](const auto& s) {
                return is_one_axis(s[axis], s[inner], shape[inner]);
            });
        if (whole) row *= shape[axis];
        inner = axis;
    }
    return whole || row < kShortestRow || strides.empty() ? 0 : row;
}

Walks walks_of(DeviceState& device, Operand& source, const char* what, LeafOrder order) {
    const PlacesThere places(device);
    const Execution::Use in_use;
    Lowered& x = in_use.lowered();
    LowerOptions options;
    options.merges = false;
    while (true) {
        lower(x, source, {{}, Dimensions::row_major(source.dims.max_shape())}, places, options,
              what);
        if (x.cut == nullptr) break;
        const NodePtr cut = x.cut;
        source = with_memory_of(device, source, cut, what);
    }
    Walks walks;
    walks.values = static_cast<index_t>(x.values.size());
    const std::size_t rank = source.dims.max_shape().size();
    for (const std::uint32_t u : order == LeafOrder::discovered ? discovered(x) : evaluated(x)) {
        const Use& use = x.uses[u];
        bool strided = use.source == Use::buffer && use.frame == 0 && use.inner_layers == 0 &&
                       use.outer.rank == rank;
        std::vector<index_t> strides;
        for (std::size_t a = 0; strided && a < rank; ++a) {
            strided = x.axis(use, a).map < 0;
            strides.push_back(x.axis(use, a).stride);
        }
        if (strided) walks.bytes.push_back(bytes_of(use.type));
        if (strided) walks.strides.push_back(std::move(strides));
        walks.all_strided &= strided;
    }
    walks.all_strided &= walks.count() > 0 && x.frames.size() == 1;
    for (const Value& v : x.values)
        walks.converts |= v.what == Value::operation && v.op == Op::cast &&
                          can_misfit(x.values[v.operand[0]].type, v.type);
    return walks;
}

index_t extent_of(const FoldAxes& axes, std::size_t first) noexcept {
    index_t extent = 1;
    for (; first < axes.size(); ++first) extent *= axes[first].extent;
    return extent;
}

Operand FoldSource::operand() const {
    Shape extents;
    Shape strides;
    for (const FoldAxis& axis : axes) {
        extents.push_back(axis.extent);
        strides.push_back(axis.stride);
    }
    return {node, Dimensions::strided(extents, strides, base)};
}
Operand FoldSource::kept_first() const {
    FoldSource ordered{node, base, {}};
    for (const bool kept : {true, false})
        std::ranges::copy_if(axes, std::back_inserter(ordered.axes),
                             [&](const FoldAxis& axis) { return axis.kept == kept; });
    return ordered.operand();
}
index_t FoldSource::groups() const {
    index_t groups = 1;
    for (const FoldAxis& axis : axes) groups *= axis.kept ? axis.extent : 1;
    return groups;
}
index_t FoldSource::inner_run(std::size_t axis) const {
    index_t run = 1;
    for (std::size_t i = axes.size(); i-- > axis + 1;) {
        run *= axes[i].extent;
        if (i == 0 || !axes[i - 1].joins_next) break;
    }
    return run;
}
index_t FoldSource::elements_before(std::size_t last) const {
    index_t elements = 1;
    for (std::size_t i = 0; i < last && i < axes.size(); ++i)
        elements *= axes[i].kept ? 1 : axes[i].extent;
    return elements;
}

std::optional<std::size_t> kept_axes(ShapeSpan shape, index_t groups) {
    std::size_t kept = 0;
    index_t count = 1;
    for (; kept < shape.size() && count < groups; ++kept) count *= shape[kept];
    return count == groups ? std::optional(kept) : std::nullopt;
}

bool arrange(DeviceState& device, const Operand& source, std::size_t kept, const Walks& given,
             const char* what, FoldSource& result, std::optional<Dimensions>& results) {
    if (!source.dims.is_strided() || !given.all_strided) return false;
    const ShapeSpan shape = source.dims.max_shape();
    const std::size_t rank = shape.size();
    Walks walks = given;
    std::vector<index_t> strides(source.dims.strides().begin(), source.dims.strides().end());
    result = {source.node, source.dims.base(), {}};

    Shape out(rank, 0);
    index_t base = 0; // of the results
    index_t span = 1;
    for (std::size_t axis = kept; axis-- > 0; span *= shape[axis]) out[axis] = span;
    for (std::size_t axis = 0; axis < rank && span < source.dims.size(); ++axis) {
        // No leaf walks it forwards, and some leaf backwards: it is reversed.
        const auto [least, greatest] =
            std::ranges::minmax(walks.strides, {}, [&](const auto& s) { return s[axis]; });
        if (greatest[axis] > 0 || least[axis] >= 0) continue;
        result.base += strides[axis] * (shape[axis] - 1);
        strides[axis] = -strides[axis];
        for (auto& s : walks.strides) s[axis] = -s[axis];
        if (axis >= kept) continue;
        base += out[axis] * (shape[axis] - 1);
        out[axis] = -out[axis];
    }
    const std::vector<std::size_t> order = order_of(shape, walks);
    FoldAxes separate;
    std::vector<bool> merges;
    Shape kept_extents;
    Shape kept_strides;
    std::size_t next_kept = 0;
    bool in_place = base == 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t axis = order[i];
        const bool is_kept = axis < kept;
        const auto joins = [&](const auto& s) {
            return is_one_axis(s[axis], s[order[i + 1]], shape[order[i + 1]]);
        };
        const bool joins_next = i + 1 < order.size() && std::ranges::all_of(walks.strides, joins);
        merges.push_back(joins_next && joins(strides) && is_kept == (order[i + 1] < kept));
        separate.push_back({shape[axis], strides[axis], is_kept, joins_next});
        if (!is_kept) continue;
        in_place = in_place && axis >= next_kept;
        next_kept = axis + 1;
        kept_extents.push_back(shape[axis]);
        kept_strides.push_back(out[axis]);
    }
    results.reset();
    if (!in_place) results = Dimensions::strided(kept_extents, kept_strides, base);
    for (std::size_t i = 0; i < separate.size(); ++i)
        add_axis(result.axes, separate[i], i > 0 && merges[i - 1]);
    if (result.axes.size() < separate.size() && node_as<Leaf>(*result.node) == nullptr) {
        Operand merged = result.operand();
        if (!walks_of(device, merged, what).all_strided) result.axes = separate;
    }
    return true;
}

Operand in_order_of_memory(const Operand& source, Walks& walks) {
    if (!walks.all_strided || walks.converts) return source;
    const ShapeSpan shape = source.dims.max_shape();
    const std::vector<std::size_t> order = order_of(shape, walks);
    Shape permutation;
    for (const std::size_t axis : order) permutation.push_back(static_cast<index_t>(axis));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) // those of one element
        if (std::ranges::find(order, axis) == order.end())
            permutation.push_back(static_cast<index_t>(axis));
    Shape backward;
    for (std::size_t axis = 0; axis < order.size(); ++axis)
        if (walks.strides[0][order[axis]] < 0) backward.push_back(static_cast<index_t>(axis));
    if (backward.empty() && std::ranges::is_sorted(permutation)) return source;
    for (auto& strides : walks.strides) {
        std::vector<index_t> ordered;
        for (const index_t axis : permutation)
            ordered.push_back(strides[static_cast<std::size_t>(axis)]);
        for (const index_t axis : backward) ordered[static_cast<std::size_t>(axis)] *= -1;
        strides = std::move(ordered);
    }
    return {source.node,
            dimensions::flip(dimensions::transpose(source.dims, permutation), backward)};
}

std::optional<Panels> panels_of(const Operand& source, const Walks& walks) {
    if (!source.dims.is_strided()) return std::nullopt;
    FoldSource merged{source.node, source.dims.base(), {}};
    std::vector<std::size_t> last; // the axis of the source that a merged one ends with
    const ShapeSpan shape = source.dims.max_shape();
    const ShapeSpan own = source.dims.strides();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 1) continue;
        const auto joins = [&](const auto& s) {
            return is_one_axis(s[last.back()], s[axis], shape[axis]);
        };
        const bool joined = !last.empty() && std::ranges::all_of(walks.strides, joins);
        if (joined && !joins(own)) return std::nullopt;
        add_axis(merged.axes, {shape[axis], own[axis], true, false}, joined);
        if (joined) last.pop_back();
        last.push_back(axis);
    }
    const std::size_t inner = last.size() - 1;
    if (last.size() < 2 || merged.axes[inner].extent < kShortestRow) return std::nullopt;
    merged.axes[inner].kept = false;
    for (std::size_t leaf = 0; leaf < walks.count(); ++leaf) {
        const auto& strides = walks.strides[leaf];
        const index_t bytes = walks.bytes[leaf];
        const index_t rows = std::max<index_t>(8, 128 / bytes);
        for (std::size_t i = 0; i < inner; ++i) {
            if (strides[last[i]] != 1 || std::abs(strides[last[inner]]) * bytes < 64 ||
                merged.axes[i].extent < rows)
                continue;
            std::rotate(merged.axes.begin() + static_cast<std::ptrdiff_t>(i),
                        merged.axes.begin() + static_cast<std::ptrdiff_t>(i + 1),
                        merged.axes.end() - 1);
            return Panels{std::move(merged), rows};
        }
    }
    return std::nullopt;
}

FoldSource over_results(const NodePtr& memory, const FoldAxes& axes) {
    FoldSource source{memory, 0, {}};
    index_t stride = extent_of(axes);
    for (const FoldAxis& axis : axes) {
        stride /= axis.extent;
        const bool merged = !source.axes.empty() && source.axes.back().kept == axis.kept;
        add_axis(source.axes, {axis.extent, stride, axis.kept, true}, merged);
    }
    if (!source.axes.empty()) source.axes.back().joins_next = false;
    return source;
}

} // namespace purview::gpu::detail
