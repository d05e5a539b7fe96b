#include "fold_axes.hpp"

#include "execution.hpp"
#include "run.hpp"

#include "base/axis_order.hpp"

#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace purview::inline v0_1::gpu::detail {
namespace {

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
    const DevicePlaces places(device);
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
    const bool rounds = is_float(x.values[x.result].type); // the host folds formulas in order
    std::vector<Shape> formulas;                           // memory decides first
    for (const std::uint32_t u : order == LeafOrder::discovered ? discovered(x) : evaluated(x)) {
        const Use& use = x.uses[u];
        const bool in_memory = use.source == Use::buffer;
        bool strided = (in_memory || (use.source == Use::formula && !rounds)) && use.frame == 0 &&
                       use.inner_layers == 0 && use.outer.rank == rank;
        Shape strides;
        for (std::size_t a = 0; strided && a < rank; ++a) {
            strided = x.axis(use, a).map < 0;
            strides.push_back(x.axis(use, a).stride);
        }
        if (strided && in_memory) walks.bytes.push_back(bytes_of(use.type));
        if (strided) (in_memory ? walks.strides : formulas).push_back(std::move(strides));
        walks.all_strided &= strided;
    }
    walks.all_strided &= walks.count() > 0 && x.frames.size() == 1;
    for (Shape& strides : formulas) {
        walks.strides.push_back(std::move(strides));
        walks.bytes.push_back(sizeof(std::int64_t));
    }
    for (const Value& v : x.values)
        walks.converts |= v.what == Value::operation && v.op == Op::cast &&
                          can_misfit(x.values[v.operand[0]].type, v.type);
    return walks;
}

void Walks::reverse(ShapeSpan axes) {
    for (Shape& s : strides)
        for (const index_t axis : axes) s[static_cast<std::size_t>(axis)] *= -1;
}

bool arrange(DeviceState& device, const Operand& given, index_t groups, const Walks& given_walks,
             const char* what, ArrangedSource& arranged) {
    if (!given.dims.is_strided() || !given_walks.all_strided) return false;
    Operand source = given;
    Walks walks = given_walks;
    const Shape backward = groups < source.dims.size() ? backward_axes(walks.leaves()) : Shape{};
    if (!backward.empty()) source.dims = dimensions::flip(source.dims, backward);
    walks.reverse(backward);
    const ReducedAxes separate = arrange_axes(source, kept_axes(source.dims.max_shape(), groups),
                                              backward, walks.leaves(), arranged);
    ReducedSource& result = arranged.source;
    if (result.axes.size() < separate.size() && node_as<Leaf>(*result.node) == nullptr) {
        Operand merged = result.operand();
        if (!walks_of(device, merged, what).all_strided) result.axes = separate;
    }
    return true;
}

Operand in_order_of_memory(const Operand& source, Walks& walks) {
    if (!walks.all_strided || walks.converts) return source;
    const ShapeSpan shape = source.dims.max_shape();
    const AxisNumbers order = order_of_memory(shape, walks.leaves());
    Shape permutation;
    for (const std::size_t axis : order) permutation.push_back(static_cast<index_t>(axis));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) // those of one element
        if (std::ranges::find(order, axis) == order.end())
            permutation.push_back(static_cast<index_t>(axis));
    Shape backward;
    for (std::size_t axis = 0; axis < order.size(); ++axis)
        if (walks.strides[0][order[axis]] < 0) backward.push_back(static_cast<index_t>(axis));
    if (backward.empty() && std::ranges::is_sorted(permutation)) return source;
    for (Shape& strides : walks.strides) {
        Shape ordered;
        for (const index_t axis : permutation)
            ordered.push_back(strides[static_cast<std::size_t>(axis)]);
        strides = std::move(ordered);
    }
    walks.reverse(backward);
    return {source.node,
            dimensions::flip(dimensions::transpose(source.dims, permutation), backward)};
}

std::optional<Panels> panels_of(const Operand& source, const Walks& walks) {
    if (!source.dims.is_strided()) return std::nullopt;
    ReducedSource merged{source.node, source.dims.base(), {}};
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

} // namespace purview::gpu::detail
