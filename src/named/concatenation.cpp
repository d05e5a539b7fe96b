#include <purview/base/checked.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/named/concatenation.hpp>
#include <purview/named/expand.hpp>
#include <purview/named/order.hpp>

#include "named/positional.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

using named::positional_shape;

index_t size_along(const DimOperand& part) { return part.operand.dims.max_shape()[0]; }

void require_parts(const char* what, const std::vector<DimOperand>& parts) {
    if (parts.empty()) throw ShapeError(fmt::format("{}: there are no tensors", what));
}

/// Moves an axis to the front, bound to the new Dim.
DimOperand with_first(const DimOperand& x, index_t axis, bool is_dim, const Dim& new_dim) {
    DimOperand result;
    result.operand = {x.operand.node, dimensions::move_axis(x.operand.dims, axis, 0)};
    result.dims.push_back(new_dim);
    for (index_t at = 0; at < x.dim_count(); ++at)
        if (!is_dim || at != axis) result.dims.push_back(x.dims[static_cast<std::size_t>(at)]);
    return result;
}

/// The plan that joins parts along their first axis. In memory that axis comes after `before`
/// others; these are dims, then positional axes.
Concatenation concatenate(const char* what, std::span<const DimOperand> parts, const Dim& new_dim,
                          std::size_t before) {
    index_t length = 0;
    for (const DimOperand& part : parts) {
        length = checked_add(length, size_along(part), what);
        if (!std::ranges::equal(positional_shape(part), positional_shape(parts[0])))
            throw ShapeError(fmt::format("{}: the shapes {} and {} differ", what,
                                         to_string(positional_shape(parts[0])),
                                         to_string(positional_shape(part))));
    }
    const DimSize bound{&new_dim, length};
    check_sizes({&bound, 1});
    std::vector<const DimOperand*> pointers;
    for (const DimOperand& part : parts) pointers.push_back(&part);
    Concatenation result;
    result.parts.resize(parts.size());
    result.dims = align_dims(pointers, result.parts);

    Shape first{length};
    for (const Dim& dim : std::span<const Dim>(result.dims).subspan(1)) first.push_back(dim.size());
    for (const index_t extent : positional_shape(parts[0])) first.push_back(extent);
    // The new Dim is the first axis of the parts; in memory it comes after `before` others.
    Shape order(first.size(), 0);
    for (std::size_t at = 0; at < order.size(); ++at)
        order[at] = static_cast<index_t>(at < before ? at + 1 : at == before ? 0 : at);
    for (const index_t axis : order) result.shape.push_back(first[static_cast<std::size_t>(axis)]);
    const Dimensions memory = Dimensions::row_major(result.shape);
    index_t start = 0;
    for (Operand& part : result.parts) {
        first[0] = part.dims.max_shape()[0];
        part.dims = dimensions::transpose(dimensions::expand(part.dims, first), order);
        result.places.push_back(Dimensions::strided(part.dims.max_shape(), memory.strides(),
                                                    start * memory.strides()[before]));
        start += part.dims.max_shape()[before];
    }

    const std::size_t place = std::min(before, result.dims.size() - 1);
    std::rotate(result.dims.begin(), result.dims.begin() + 1,
                result.dims.begin() + static_cast<std::ptrdiff_t>(place) + 1);
    result.view =
        dimensions::move_axis(memory, static_cast<index_t>(before), static_cast<index_t>(place));
    bind_sizes({&bound, 1});
    return result;
}

void require_new(const char* what, const DimOperand& part, const Dim& new_dim) {
    if (position_of(new_dim, part.dims) >= 0)
        throw DimError(fmt::format("{}: Dim '{}' is bound already in a tensor with dims {}", what,
                                   new_dim.name(), to_string(part.dims)));
}

/// The number of axes of the memory that come before `place`.
std::size_t axes_before(const std::optional<AxisOrDim>& place, std::span<const DimOperand> parts) {
    if (!place) return 0;
    std::vector<const DimOperand*> pointers;
    for (const DimOperand& part : parts) pointers.push_back(&part);
    const DimVector dims = joined_dims(pointers);
    if (!place->dim) {
        const int rank = rank_of(parts[0]);
        return dims.size() + static_cast<std::size_t>(checked_axis(place->axis, rank + 1, "stack"));
    }
    const index_t at = position_of(*place->dim, dims);
    if (at < 0)
        throw DimError(fmt::format("stack: no tensor has Dim '{}', their dims are {}",
                                   place->dim->name(), to_string(dims)));
    return static_cast<std::size_t>(at);
}

} // namespace

std::optional<DimOperand> traced(const Concatenation& plan) {
    const auto any_reads = [&](Below what) {
        return std::ranges::any_of(plan.parts,
                                   [=](const Operand& part) { return part.node->reads(what); });
    };
    const bool is_traced = any_reads(Below::symbol);
    if (!is_traced && !any_reads(Below::device)) return std::nullopt;
    std::vector<Shape> begins;
    const Dimensions memory = Dimensions::row_major(plan.shape);
    for (const Dimensions& place : plan.places) {
        Shape& begin = begins.emplace_back();
        index_t rest = place.base();
        for (const index_t stride : memory.strides()) {
            begin.push_back(stride == 0 ? 0 : rest / stride);
            rest -= begin.back() * stride;
        }
    }
    const Operand whole = piecewise_operand("concat", plan.parts, std::move(begins), plan.shape);
    if (!is_traced) { // in memory, where the parts lie
        const Operand there = results_like("concat", whole, whole.dtype(), plan.shape);
        assign(whole, there);
        return DimOperand({there.node, plan.view}, plan.dims);
    }
    return DimOperand(seen_through(plan.view, whole), plan.dims);
}

DimOperand cast_bound(const DimOperand& x, DType dtype) {
    DimOperand result = settled(x);
    result.operand = cast_operand(std::move(result.operand), dtype, Op::cast);
    return result;
}

DimOperand dim_first(const char* what, const DimOperand& x, const Dim& dim) {
    DimOperand source = settled(x);
    if (position_of(dim, source.dims) < 0) source = settled(expand_operand(source, DimVector{dim}));
    return order_dims(source, {&dim, 1}, what);
}

Concatenation plan_stack(std::vector<DimOperand> parts, const Dim& new_dim,
                         const std::optional<AxisOrDim>& place) {
    require_parts("stack", parts);
    for (DimOperand& part : parts) {
        part = settled(part);
        require_new("stack", part, new_dim);
    }
    const std::size_t before = axes_before(place, parts);
    for (DimOperand& part : parts) {
        part.operand.dims = dimensions::new_axis(part.operand.dims, 0);
        part.dims.insert(part.dims.begin(), new_dim);
    }
    return concatenate("stack", parts, new_dim, before);
}

Concatenation plan_cat(std::vector<DimOperand> parts, const Axes& axes, const Dim& new_dim) {
    require_parts("cat", parts);
    const std::vector<AxisOrDim> along(axes.begin(), axes.end());
    if (along.size() != 1 && along.size() != parts.size())
        throw ShapeError(
            fmt::format("cat: {} axes for {} tensors: there is one for all, or one for each",
                        along.size(), parts.size()));
    std::size_t before = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        DimOperand part = settled(parts[i]);
        const AxisOrDim& axis = along[along.size() == 1 ? 0 : i];
        if (!axis.dim || !same(*axis.dim, new_dim)) require_new("cat", part, new_dim);
        index_t at = 0;
        if (axis.dim) {
            at = position_of(*axis.dim, part.dims);
            if (at < 0) { // it repeats over a Dim that it lacks
                part = settled(expand_operand(part, DimVector{*axis.dim}));
                at = 0;
            }
        } else {
            at = part.dim_count() + checked_axis(axis.axis, rank_of(part), "cat");
        }
        parts[i] = with_first(part, at, axis.dim.has_value(), new_dim);
        // Its position in the first part; dims of other parts are inserted between dims and
        // positional axes.
        if (i == 0) before = static_cast<std::size_t>(at);
    }
    if (!along[0].dim) {
        std::vector<const DimOperand*> pointers;
        for (const DimOperand& part : parts) pointers.push_back(&part);
        before += joined_dims(pointers).size() - parts[0].dims.size();
    }
    return concatenate("cat", parts, new_dim, before);
}

} // namespace purview
