#include "functional/applied/saved/node_builder.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/scan.hpp>
#include <purview/functional/elementwise/operands.hpp>

#include "functional/applied/saved/functions.hpp"
#include "functional/reductions/reducer_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace purview::inline v0_1::saved {
namespace {

constexpr std::size_t kLongestName = 60; // of an operation

bool is_allowed(Op op, DType dtype) {
    return supports(op, dtype) && (!is_of_floats(op) || dtype.is_floating());
}

bool is_cast(DType from, DType to) {
    if (is_float16(from)) return to == float32 || to == from;
    if (is_float16(to)) return from == rounded_to_float16(from, to);
    return from.is_builtin() && to.is_builtin();
}

bool is_reducible(Reduction reduction, DType dtype) {
    switch (reduction) {
    case Reduction::sum:
    case Reduction::product: return dtype.is_floating() || dtype == int64 || dtype == uint64;
    case Reduction::minimum:
    case Reduction::maximum: return dtype.is_builtin();
    case Reduction::all_of:
    case Reduction::any_of: return dtype == boolean;
    }
    std::unreachable();
}

} // namespace

std::optional<Op> named_op(std::string_view name) {
    static const auto& known = *[] {
        auto* const all = new std::unordered_map<std::string_view, Op>;
        for (const OperationTraits& traits : kOperations)
            if (traits.op != Op::map) all->emplace(traits.name, traits.op);
        return all;
    }();
    const auto found = known.find(name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

void NodeBuilder::fail(std::string_view message) const {
    throw FormatError(fmt::format("computation: node {}: {}", nodes_.size(), message));
}

bool is_too_large(const Node& node) {
    return is_computed(node) && size_of(node) > kMostElements && !node.may_be_sparse();
}

bool have_equal_outputs(const TracedOutputs& a, const TracedOutputs& b) {
    const auto type = [](const Operand& x) { return x.dtype(); };
    return std::ranges::equal(a.outputs, b.outputs, {}, type, type);
}

void NodeBuilder::add(NodePtr node) {
    if (is_too_large(*node)) fail(fmt::format("{} elements are too many", size_of(*node)));
    parts_ += 1 + static_cast<index_t>(operand_count(*node));
    nodes_.push_back(std::move(node));
}

const NodePtr& NodeBuilder::node(std::size_t number) const {
    if (number >= nodes_.size()) fail(fmt::format("node {} does not come before its user", number));
    return nodes_[number];
}

Operand NodeBuilder::operand(std::size_t number, Dimensions dims) const {
    const NodePtr& below = node(number);
    const AddressRange range = dims.address_range();
    if (!range.empty && (range.lowest < 0 || range.highest >= size_of(*below)))
        fail(fmt::format("a view reads addresses {} to {} of node {}, which has {}", range.lowest,
                         range.highest, number, size_of(*below)));
    return {below, std::move(dims)};
}

index_t NodeBuilder::size(ShapeSpan shape) const {
    try {
        return Dimensions::row_major(shape).size();
    } catch (const ShapeError& error) {
        fail(error.what());
    }
}

void NodeBuilder::check(const AxisMap& map, index_t extent) const {
    index_t positions = extent; // of a list, without a scale
    if (map.period > 0) {
        const index_t most = map.period / 2 + map.period % 2;
        if (map.phase < 0 || map.phase >= map.period || map.step < -most || map.step > most)
            fail("the step or phase of an axis does not belong to its period");
        positions = map.period;
    }
    if (map.table == nullptr) {
        if (map.scale != 1 || map.offset != 0) fail("an axis without a list is scaled");
        return;
    }
    // scale * u + offset, of u in [0, positions), has to be a position in the list.
    const auto at = [&](index_t u) {
        index_t scaled = 0;
        index_t result = 0;
        if (__builtin_mul_overflow(map.scale, u, &scaled) ||
            __builtin_add_overflow(scaled, map.offset, &result))
            return index_t{-1};
        return result;
    };
    if (extent == 0) return;
    // As many as that may be looked at: bounded by the input also where all are one.
    if (positions > map.table->size()) fail("an axis reads a list at more places than it has");
    if (std::min(at(0), at(positions - 1)) < 0 ||
        std::max(at(0), at(positions - 1)) >= map.table->size())
        fail(fmt::format("an axis reads beyond its list of {}", map.table->size()));
    if (map.table->min() < 0) fail("an axis has a list of negative indexes");
}

Dimensions NodeBuilder::dims(std::vector<dimensions::Layer> layers, index_t size) const {
    if (layers.empty() || layers.size() > kMaxLayers) fail("a view has no layer, or too many");
    try {
        Dimensions made;
        for (std::size_t i = layers.size(); i-- > 0;) {
            const bool innermost = i + 1 == layers.size();
            const index_t below = innermost ? size : made.size();
            dimensions::Layer alone = layers[i];
            const AddressRange range = std::move(alone).finish(nullptr, "view").address_range();
            if (!range.empty && (range.lowest < 0 || range.highest >= below))
                fail(fmt::format("a view reads addresses {} to {} of {}", range.lowest,
                                 range.highest, below));
            made = std::move(layers[i]).finish(innermost ? nullptr : &made, "view");
        }
        return made;
    } catch (const ShapeError& error) {
        fail(error.what());
    }
}

void NodeBuilder::check_shapes(ShapeSpan shape, std::span<const Operand> operands) const {
    if (operands.empty()) fail("there are no operands");
    for (const Operand& operand : operands)
        if (!std::ranges::equal(operand.dims.max_shape(), shape))
            fail(fmt::format("an operand has shape {}, and the operation {}",
                             to_string(operand.dims.max_shape()), to_string(shape)));
}

void NodeBuilder::check_types(Op op, DType dtype, std::span<const Operand> operands) const {
    const OperationTraits& traits = traits_of(op);
    if (operands.size() != traits.arity)
        fail(fmt::format("'{}' has {} operands", traits.name, operands.size()));
    const DType x = operands[0].dtype();
    bool fits = std::ranges::all_of(operands, [&](const Operand& y) { return y.dtype() == x; });
    switch (traits.family) {
    case OperationFamily::conversion: fits = is_cast(x, dtype); break;
    case OperationFamily::comparison: fits = fits && dtype == boolean && is_allowed(op, x); break;
    case OperationFamily::choice:
        fits = x == boolean && operands[1].dtype() == dtype && operands[2].dtype() == dtype &&
               is_allowed(op, dtype);
        break;
    case OperationFamily::rounding: fits = fits && dtype == x && x.is_floating(); break;
    case OperationFamily::arithmetic:
    case OperationFamily::transcendental:
    case OperationFamily::bits:
    case OperationFamily::logic: fits = fits && dtype == x && is_allowed(op, x); break;
    case OperationFamily::function: fits = false; break; // `registered` and `library` make those
    }
    if (!fits)
        fail(fmt::format("'{}' of {} does not give {}", traits.name, x.name(), dtype.name()));
}

NodePtr NodeBuilder::elementwise(Op op, DType dtype, ShapeSpan shape,
                                 std::span<const Operand> operands) const {
    check_shapes(shape, operands);
    check_types(op, dtype, operands);
    return elementwise_node(op, dtype, operands);
}

NodePtr NodeBuilder::registered(std::string_view name, DType dtype, ShapeSpan shape,
                                std::span<const Operand> operands) const {
    check_shapes(shape, operands);
    std::vector<DType> types;
    for (const Operand& operand : operands) types.push_back(operand.dtype());
    const FoundFunction found = registered_function(name);
    if (found.function == nullptr)
        fail(fmt::format("the function '{}' is not registered: register_function it first", name));
    if (found.result != dtype || found.operands != types)
        fail(fmt::format("the function '{}' is registered with another signature", name));
    return elementwise_node(Op::map, dtype, operands, found.function);
}

NodePtr NodeBuilder::library(std::string_view name, DType dtype, ShapeSpan shape,
                             std::span<const Operand> operands) const {
    check_shapes(shape, operands);
    NodePtr made = loaded_function(name, dtype, operands);
    if (made == nullptr)
        fail(fmt::format("there is no function '{}' of these types", name.substr(0, 40)));
    return made;
}

void NodeBuilder::check_axes(const GatherAxes& axes, ShapeSpan source, ShapeSpan shape,
                             std::span<const Operand> indexes) const {
    if (axes.size() != source.size())
        fail(fmt::format("{} axes are given for rank {}", axes.size(), source.size()));
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const std::size_t limit = axes[a].computed ? indexes.size() : shape.size();
        if (axes[a].number < 0 || static_cast<std::size_t>(axes[a].number) >= limit)
            fail(fmt::format("axis {} is read at {} of {}", a, axes[a].number, limit));
        if (!axes[a].computed && source[a] != shape[static_cast<std::size_t>(axes[a].number)])
            fail(fmt::format("axis {} is read along one of another size", a));
    }
    for (const Operand& index : indexes)
        if (index.dtype() != int64 || !std::ranges::equal(index.dims.max_shape(), shape))
            fail("an index is not int64, or has another shape");
}

OperationName NodeBuilder::name_of_operation(std::string_view name) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    };
    if (name.size() > kLongestName || !std::ranges::all_of(name, is_plain))
        fail("the name of an operation is malformed");
    if (name != last_name_.text())
        last_name_ = OperationName(std::make_shared<const std::string>(name));
    return last_name_;
}

NodePtr NodeBuilder::gather(std::string_view what, ShapeSpan shape, GatherAxes axes,
                            std::vector<Operand> operands) {
    size(shape);
    if (operands.empty()) fail("there is no source");
    check_axes(axes, operands[0].dims.max_shape(), shape, std::span(operands).subspan(1));
    Gather::Operands all;
    for (Operand& operand : operands) all.push_back(std::move(operand));
    return make_node<Gather>(name_of_operation(what), std::move(all), std::move(axes), shape);
}

NodePtr NodeBuilder::pieces(std::string_view what, ShapeSpan shape, std::vector<Shape> begins,
                            std::vector<Operand> operands) {
    index_t rest = size(shape);
    if (operands.empty() || begins.size() != operands.size())
        fail("there are no pieces, or not as many places");
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const ShapeSpan extents = operands[i].dims.max_shape();
        if (operands[i].dtype() != operands[0].dtype() || extents.size() != shape.size() ||
            begins[i].size() != shape.size())
            fail(fmt::format("piece {} is of another type or rank", i));
        for (std::size_t a = 0; a < shape.size(); ++a)
            if (begins[i][a] < 0 || extents[a] < 1 || extents[a] > shape[a] - begins[i][a])
                fail(fmt::format("piece {} lies beyond the shape, or is empty", i));
        rest -= operands[i].dims.size(); // as each fits, no more than the number of pieces too much
        if (rest < 0) fail("pieces overlap");
    }
    if (rest != 0) fail("the pieces do not fill the shape");
    check_disjoint(begins, operands);
    return make_node<Piecewise>(name_of_operation(what), std::move(operands), std::move(begins),
                                shape);
}

/// Sweeps along the axis on which most pieces begin at places of their own, and compares those that
/// lie at one place with each other.
void NodeBuilder::check_disjoint(const std::vector<Shape>& begins,
                                 std::span<const Operand> operands) const {
    if (begins[0].empty()) return;
    const auto places_on = [&](std::size_t axis) {
        std::vector<index_t> places;
        for (const Shape& begin : begins) places.push_back(begin[axis]);
        std::ranges::sort(places);
        return places.erase(std::unique(places.begin(), places.end()), places.end()) -
               places.begin();
    };
    std::size_t along = 0;
    for (std::size_t axis = 1; axis < begins[0].size(); ++axis)
        if (places_on(axis) > places_on(along)) along = axis;
    const auto end = [&](std::size_t i, std::size_t axis) {
        return begins[i][axis] + operands[i].dims.max_shape()[axis];
    };
    std::vector<std::size_t> order(begins.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return begins[i][along]; });
    std::vector<std::size_t> open;
    for (const std::size_t i : order) {
        std::erase_if(open, [&](std::size_t j) { return end(j, along) <= begins[i][along]; });
        for (const std::size_t j : open) {
            bool apart = false;
            for (std::size_t axis = 0; axis < begins[i].size() && !apart; ++axis)
                apart = begins[j][axis] >= end(i, axis) || begins[i][axis] >= end(j, axis);
            if (!apart) fail(fmt::format("pieces {} and {} overlap", j, i));
        }
        open.push_back(i);
    }
}

void NodeBuilder::check_parts(const Operand& operand, index_t groups, bool of_elements) const {
    const index_t count = operand.dims.size();
    if (groups < 0 || (groups == 0 && count != 0) || (groups > 0 && count % groups != 0) ||
        (of_elements && groups > 0 && count == 0))
        fail(fmt::format("{} elements are not reduced in {} parts", count, groups));
    // A part ends where an axis does: no axis is in part kept, in part reduced.
    const ShapeSpan shape = operand.dims.max_shape();
    index_t kept = 1;
    auto axis = shape.begin();
    while (count > 0 && axis != shape.end() && kept != groups) kept *= *axis++;
    if (kept != groups && count > 0)
        fail(fmt::format("the axes {} are not reduced in {} parts", to_string(shape), groups));
}

NodePtr NodeBuilder::reducer(std::string_view name, bool skips_nan, index_t groups,
                             Operand operand) const {
    const std::shared_ptr<const FunctionReducer> found = registered_reducer(name);
    if (found == nullptr) fail(fmt::format("the reducer '{}' is not registered", name));
    check_parts(operand, groups, false);
    const std::shared_ptr<const FunctionReducer> own(found, found->of(operand.dtype()));
    if (own == nullptr || operand.dtype() != own->element())
        fail(fmt::format("the reducer '{}' is not of {}", name, operand.dtype().name()));
    if (own->results_of(1) > kMostElements / std::max<index_t>(groups, 1))
        fail(fmt::format("{} groups have too many results", groups));
    if (skips_nan && (own->takes_places() || !operand.dtype().is_floating()))
        fail(fmt::format("the reducer '{}' does not skip NaN", name));
    return make_node<OpaqueStage>(std::make_shared<const ReducerStage>(own, skips_nan, groups),
                                  std::vector{std::move(operand)});
}

NodePtr NodeBuilder::reduce(Reduction reduction, index_t groups, Operand operand) const {
    check_parts(operand, groups,
                reduction == Reduction::minimum || reduction == Reduction::maximum);
    if (!is_reducible(reduction, operand.dtype()))
        fail(fmt::format("'{}' is no reduction of {}", name_of(reduction), operand.dtype().name()));
    return make_node<Reduce>(reduction, std::move(operand), groups);
}

NodePtr NodeBuilder::scatter(ScatterPlace place, std::vector<Operand> operands) const {
    if (operands.empty()) fail("there are no values");
    const DType dtype = operands[0].dtype();
    if (!dtype.is_builtin() || dtype == boolean)
        fail(fmt::format("elements of {} are not added", dtype.name()));
    check_axes(place.axes, place.into.max_shape(), operands[0].dims.max_shape(),
               std::span(operands).subspan(1));
    return make_node<Scatter>(std::move(operands), std::move(place));
}

NodePtr NodeBuilder::scan(index_t length, index_t inner, Operand operand) const {
    const DType dtype = operand.dtype();
    if (!is_reducible(Reduction::sum, dtype))
        fail(fmt::format("elements of {} have no cumulative sums", dtype.name()));
    index_t part = 0;
    if (length < 0 || inner < 0 || __builtin_mul_overflow(length, inner, &part) ||
        (part == 0 ? operand.dims.size() != 0 : operand.dims.size() % part != 0))
        fail(fmt::format("{} elements are not of lanes of {}", operand.dims.size(), length));
    return make_node<ScanNode>(std::move(operand), length, inner);
}

NodePtr NodeBuilder::argument(std::size_t slot, DType dtype, ShapeSpan shape) const {
    size(shape);
    return make_node<SymbolNode>(dtype, shape, slot);
}

} // namespace purview::saved
