#include "named/index_plan.hpp"

#include <purview/base/errors.hpp>

#include "named/dim_index.hpp"

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::named {

index_t axes_taken(const DimIndex& index) {
    if (const auto* const positional = made_from<TensorIndex>(index)) {
        return positional->is_ellipsis() ? kFills : positional->axes_consumed();
    }
    if (const auto* const list = made_from<DimList>(index)) {
        const std::optional<DimVector> dims = list->dims_if_bound();
        return dims ? static_cast<index_t>(dims->size()) : kFills;
    }
    return 1;
}

namespace {

std::string name_of(index_t axis, std::span<const std::string> names) {
    const auto at = static_cast<std::size_t>(axis);
    return at < names.size() ? names[at] : "axis " + std::to_string(axis);
}

} // namespace

IndexPlan::IndexPlan(const DimOperand& x, std::span<const DimIndex> indexes,
                     std::span<const std::string> axis_names, const char* given_what)
    : what(given_what) {
    for (const Dim& dim : x.dims) add_dim(dim);
    const int positional = rank_of(x);
    index_t taken = 0;
    int filling = 0;
    for (const DimIndex& index : indexes) {
        const index_t count = axes_taken(index);
        filling += count == kFills;
        taken += count == kFills ? 0 : count;
    }
    if (filling > 1)
        throw IndexError(
            fmt::format("{}: two of the indexes stand for all axes that are left over", what));
    if (taken > positional)
        throw IndexError(fmt::format(
            "{}: indexes for {} axes, and the tensor has {} positional {} (dims {} are bound)",
            what, taken, positional, positional == 1 ? "axis" : "axes", to_string(x.dims)));
    const index_t left_over = positional - taken;
    index_t axis = 0;
    for (const DimIndex& index : indexes) {
        if (const auto* const operand = made_from<DimOperand>(index))
            add_computed(*operand, name_of(axis, axis_names));
        else
            add(index, left_over);
        const index_t count = axes_taken(index);
        axis += count == kFills ? left_over : count;
    }
    if (filling == 0)
        for (index_t i = 0; i < left_over; ++i) add_positional(all);
}

void IndexPlan::add(const DimIndex& index, index_t left_over) {
    if (const auto* const positional = made_from<TensorIndex>(index)) {
        if (!std::holds_alternative<Ellipsis>(positional->argument()))
            return add_positional(*positional);
        for (index_t i = 0; i < left_over; ++i) add_positional(all);
    } else if (const auto* const dim = made_from<Dim>(index)) {
        add_dim(*dim);
    } else if (const auto* const list = made_from<DimList>(index)) {
        add_list(*list, left_over);
    } else if (const auto* const joint = made_from<Joint>(index)) {
        select.emplace_back(all);
        SplitAxis split{joint->dims()};
        for (const Dim& part : split.dims) remember(part);
        axes.emplace_back(std::move(split));
    } else {
        const auto& expression = std::get<AffineIndex>(index.argument());
        select.emplace_back(all);
        axes.emplace_back(expression);
        for (const AffineIndex::Term& term : expression.terms()) remember(term.dim);
    }
}

void IndexPlan::add_computed(const DimOperand& index, std::string axis) {
    select.emplace_back(all);
    axes.emplace_back(ComputedAxis{computed.size(), std::move(axis)});
    computed.push_back(index);
    rank += rank_of(index);
    for (const Dim& dim : index.dims)
        if (position_of(dim, dims) < 0) dims.push_back(dim);
}

void IndexPlan::add_dim(const Dim& dim) {
    select.emplace_back(all);
    axes.emplace_back(dim);
    remember(dim);
}

void IndexPlan::add_positional(const TensorIndex& index) {
    select.push_back(index);
    if (std::holds_alternative<index_t>(index.argument())) return;
    axes.emplace_back(Positional{});
    ++rank;
}

void IndexPlan::add_list(const DimList& list, index_t left_over) {
    if (const std::optional<DimVector> bound = list.dims_if_bound()) {
        for (const Dim& dim : *bound) add_dim(dim);
        return;
    }
    for (const BoundList& mine : lists_)
        if (&mine.list.name() == &list.name())
            throw IndexError(
                fmt::format("{}: list of dims '{}' is open, and stands twice", what, list.name()));
    DimVector proposed = list.proposed(left_over);
    for (const Dim& dim : proposed) add_dim(dim);
    lists_.push_back({list, std::move(proposed)});
}

void IndexPlan::remember(const Dim& dim) {
    if (position_of(dim, dims) < 0) dims.push_back(dim);
    if (position_of(dim, view_dims) < 0) view_dims.push_back(dim);
}

void IndexPlan::bind(std::span<const DimSize> sizes) const {
    bind_sizes(sizes);
    for (const BoundList& bound : lists_) bound.list.bind(bound.dims);
}

} // namespace purview::named
