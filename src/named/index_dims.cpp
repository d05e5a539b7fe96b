#include <purview/base/checked.hpp>
#include <purview/dimensions/affine_view.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/named/index_dims.hpp>

#include "named/dim_index.hpp"
#include "named/gather_dims.hpp"
#include "named/index_masks.hpp"
#include "named/index_plan.hpp"
#include "named/positional.hpp"

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace named;

/// Applies the positional indexes: the result has one axis for each planned axis.
Operand select_positional(const DimOperand& x, const IndexPlan& plan) {
    const bool whole = std::ranges::all_of(plan.select, [](const TensorIndex& index) {
        return std::holds_alternative<All>(index.argument());
    });
    if (whole) return x.operand;
    try {
        return select_operand(x.operand, plan.select);
    } catch (const Error&) {
        const std::span<const TensorIndex> positional(plan.select);
        static_cast<void>(select_operand(positional_stand_in(x.operand, x.dims.size()),
                                         positional.subspan(x.dims.size())));
        throw;
    }
}

/// Collects the sizes that axes give to dims, and returns them for dims that have none yet.
class Sizes {
public:
    void add(const Dim& dim, index_t size, bool of_axis = false) {
        sizes_.push_back({&dim, size, of_axis});
    }
    index_t of(const Dim& dim) const {
        if (const index_t bound = dim.size_or_none(); bound != Dim::kNoSize) return bound;
        for (const DimSize& entry : sizes_)
            if (same(*entry.dim, dim)) return entry.size;
        return Dim::kNoSize;
    }
    std::span<const DimSize> all() const noexcept { return {sizes_.data(), sizes_.size()}; }

private:
    boost::container::small_vector<DimSize, 4> sizes_;
};

/// Divides an axis among the dims of a joint. Throws `DimError` if their sizes do not multiply to
/// its size.
void split(const DimVector& dims, index_t extent, Sizes& sizes) {
    index_t known = 1;
    const Dim* unknown = nullptr;
    for (const Dim& dim : dims) {
        const index_t size = sizes.of(dim);
        if (size != Dim::kNoSize) {
            known = checked_multiply(known, size, "joint");
        } else if (unknown == nullptr) {
            unknown = &dim;
        } else {
            throw DimError(
                fmt::format("joint{}: the sizes of '{}' and '{}' are not known; one can be "
                            "inferred from an axis of size {}",
                            to_string(dims), unknown->name(), dim.name(), extent));
        }
    }
    if (unknown == nullptr && known != extent)
        throw DimError(fmt::format("joint{}: the sizes make {}, and the axis has size {}",
                                   to_string(dims), known, extent));
    if (unknown == nullptr) return;
    if (known == 0 || extent % known != 0)
        throw DimError(
            fmt::format("joint{}: the known sizes make {}, which does not divide the axis of size "
                        "{}, so that '{}' has no size",
                        to_string(dims), known, extent, unknown->name()));
    sizes.add(*unknown, extent / known);
}

/// The constant of an index expression on an axis, if all its values stay within the axis; `wraps`
/// if it takes negative values as well as others. Throws `IndexError`.
struct Origin {
    index_t value;
    bool wraps;
};
Origin origin_of(const char* what, const AffineIndex& index, index_t extent, const Sizes& sizes) {
    index_t lowest = index.constant();
    index_t highest = index.constant();
    for (const AffineIndex::Term& term : index.terms()) {
        const index_t size = sizes.of(term.dim);
        if (size == 0) return {0, false};
        const index_t reach = checked_multiply(term.coefficient, size - 1, what);
        index_t& bound = reach > 0 ? highest : lowest;
        bound = checked_add(bound, reach, what);
    }
    if (lowest < -extent || highest >= extent) {
        std::string dims;
        for (const AffineIndex::Term& term : index.terms())
            dims += fmt::format("{}Dim '{}' of size {}", dims.empty() ? "" : ", ", term.dim.name(),
                                sizes.of(term.dim));
        std::string advice;
        if (index.terms().size() == 1 && index.terms()[0].coefficient == 1 && lowest >= 0 &&
            sizes.of(index.terms()[0].dim) == extent) { // used together with an index of the whole
                                                        // axis
            const std::string& name = index.terms()[0].dim.name();
            advice = fmt::format(": bind '{0}' to {1} or less first, and write {0} + 0 beside this",
                                 name, extent - lowest);
        }
        throw IndexError(fmt::format(
            "{}: {} takes the value {}, out of range for an axis of size {} ({}){}", what,
            to_string(index), highest >= extent ? highest : lowest, extent, dims, advice));
    }
    if (lowest >= 0) return {index.constant(), false};
    return {index.constant() + extent, highest >= 0};
}

/// The axes of the source, expressed as index expressions of the result's dims.
class AffineBinding {
public:
    AffineBinding(const Dimensions& source, const IndexPlan& plan, const Sizes& sizes)
        : what_(plan.what), source_(source), sizes_(sizes), dims_(plan.view_dims) {
        int positional = static_cast<int>(dims_.size());
        Shape shape;
        for (const Dim& dim : dims_) shape_.push_back(sizes.of(dim));
        int axis = 0;
        for (const PlannedAxis& planned : plan.axes) {
            if (const auto* const joint = std::get_if<SplitAxis>(&planned)) {
                for (const Dim& dim : joint->dims) add(AffineIndex(dim), axis++, shape);
                continue;
            }
            const index_t extent = source_.max_shape()[static_cast<std::size_t>(axis)];
            if (const auto* const dim = std::get_if<Dim>(&planned)) {
                feeds_.push_back({position(*dim), axis, 1});
                origin_.push_back(0);
            } else if (const auto* const index = std::get_if<AffineIndex>(&planned)) {
                add(*index, axis, shape);
            } else {
                feeds_.push_back({positional++, axis, 1});
                origin_.push_back(0);
                shape_.push_back(extent);
            }
            ++axis;
        }
        tiled_ = to_shape(source_.max_shape());
        for (const int tiled : tiled_axes_) tiled_[static_cast<std::size_t>(tiled)] *= 2;
    }

    Dimensions view() const {
        const std::span<const dimensions::AxisFeed> feeds(feeds_.data(), feeds_.size());
        if (!tiled_axes_.empty())
            return dimensions::affine_view(dimensions::broadcast(source_, tiled_), shape_, feeds,
                                           origin_);
        if (!is_permutation()) return dimensions::affine_view(source_, shape_, feeds, origin_);
        Shape order(feeds_.size(), 0);
        for (const dimensions::AxisFeed& feed : feeds_)
            order[static_cast<std::size_t>(feed.axis)] = feed.source;
        return dimensions::transpose(source_, order);
    }

private:
    int position(const Dim& dim) const { return static_cast<int>(position_of(dim, dims_)); }

    void add(const AffineIndex& index, int axis, const Shape&) {
        const index_t extent = source_.max_shape()[static_cast<std::size_t>(axis)];
        const Origin origin = origin_of(what_, index, extent, sizes_);
        origin_.push_back(origin.value);
        if (origin.wraps) tiled_axes_.push_back(axis);
        for (const AffineIndex::Term& term : index.terms())
            feeds_.push_back({position(term.dim), axis, term.coefficient});
    }

    bool is_permutation() const {
        if (feeds_.size() != shape_.size() || feeds_.size() != origin_.size()) return false;
        boost::container::small_vector<bool, 6> used(shape_.size(), false);
        for (const dimensions::AxisFeed& feed : feeds_) {
            const auto axis = static_cast<std::size_t>(feed.axis);
            const auto source = static_cast<std::size_t>(feed.source);
            if (used[axis] || feed.coefficient != 1 || origin_[source] != 0 ||
                shape_[axis] != source_.max_shape()[source])
                return false;
            used[axis] = true;
        }
        return true;
    }

    const char* what_;
    const Dimensions& source_;
    const Sizes& sizes_;
    const DimVector& dims_;
    Shape shape_;
    boost::container::small_vector<dimensions::AxisFeed, 4> feeds_;
    Shape origin_;
    boost::container::small_vector<int, 2> tiled_axes_;
    Shape tiled_;
};

/// The sizes that the axes of `x` give to the dims of a plan. Throws if they do not fit; binds
/// nothing.
Sizes propose_sizes(const Dimensions& x, const IndexPlan& plan) {
    Sizes sizes;
    const ShapeSpan shape = x.max_shape();
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
        if (const auto* const dim = std::get_if<Dim>(&plan.axes[axis]))
            sizes.add(*dim, shape[axis], plan.is_indexing());
    check_sizes(sizes.all());
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis)
        if (const auto* const joint = std::get_if<SplitAxis>(&plan.axes[axis]))
            split(joint->dims, shape[axis], sizes);
    check_sizes(sizes.all());
    return sizes;
}

bool has_all_sizes(const Sizes& sizes, const DimVector& dims) {
    return std::ranges::all_of(std::span<const Dim>(dims),
                               [&](const Dim& dim) { return sizes.of(dim) != Dim::kNoSize; });
}

/// Splits the axes of joints, so that each dim gets an axis.
Dimensions with_split_axes(const Dimensions& x, const IndexPlan& plan, const Sizes& sizes) {
    Shape shape;
    bool splits = false;
    for (std::size_t axis = 0; axis < plan.axes.size(); ++axis) {
        const auto* const joint = std::get_if<SplitAxis>(&plan.axes[axis]);
        splits = splits || joint != nullptr;
        if (joint == nullptr)
            shape.push_back(x.max_shape()[axis]);
        else
            for (const Dim& dim : joint->dims) shape.push_back(sizes.of(dim));
    }
    return splits ? dimensions::reshape(x, shape) : x;
}

/// Gathers at the computed indexes of a plan from a view, to which the rest of the plan has been
/// applied.
DimOperand gather_planned(const DimOperand& view, const IndexPlan& plan,
                          std::span<const DimOperand> computed) {
    std::vector<GatherAxis> axes;
    std::vector<PlacedIndex> indexes(computed.size());
    Shape positional;
    const ShapeSpan shape = view.operand.dims.max_shape();
    std::size_t at = view.dims.size();
    for (const PlannedAxis& planned : plan.axes) {
        if (std::holds_alternative<Positional>(planned)) {
            axes.push_back(GatherAxis::along(std::ssize(positional)));
            positional.push_back(shape[at++]);
        } else if (const auto* const axis = std::get_if<ComputedAxis>(&planned)) {
            const DimOperand& index = computed[axis->number];
            axes.push_back(GatherAxis::at(static_cast<index_t>(axis->number), axis->axis));
            ++at;
            const ShapeSpan own = index.operand.dims.max_shape().subspan(index.dims.size());
            positional.insert(positional.end(), own.begin(), own.end());
            indexes[axis->number] = {&index, static_cast<int>(positional.size())};
        }
    }
    for (PlacedIndex& index : indexes)
        index.behind = static_cast<int>(positional.size()) - index.behind;
    return gather_over_dims(plan.what, view, plan.dims, axes, indexes, positional);
}

DimOperand index_settled(const DimOperand& x, const IndexPlan& plan,
                         std::span<const DimOperand> computed);

/// The same as a function of `x` and `computed`.
struct IndexLater {
    IndexPlan plan;

    DimOperand operator()(std::span<DimOperand> operands) const {
        return index_settled(operands[0], plan, operands.subspan(1));
    }
    std::string expression_of(const Dim& dim) const {
        for (const PlannedAxis& axis : plan.axes)
            if (const auto* const index = std::get_if<AffineIndex>(&axis))
                for (const AffineIndex::Term& term : index->terms())
                    if (same(term.dim, dim)) return to_string(*index);
        return {};
    }
};

/// The same deferred, until `x` and `computed` are ready.
DimOperand index_later(const DimOperand& x, IndexPlan plan, std::vector<DimOperand> computed) {
    computed.insert(computed.begin(), x);
    DimVector needs = needs_of(computed);
    for (const Dim& dim : plan.dims)
        if (!dim.has_size() && position_of(dim, needs) < 0) needs.push_back(dim);
    plan.computed.clear();
    const DType dtype = x.is_deferred() ? x.deferred->dtype() : x.operand.dtype();
    DimVector dims = plan.dims;
    const int rank = plan.rank;
    return defer(dtype, std::move(dims), rank, std::move(computed), std::move(needs),
                 IndexLater{std::move(plan)});
}

DimOperand index_settled(const DimOperand& x, const IndexPlan& plan,
                         std::span<const DimOperand> computed) {
    const Operand selected = select_positional(x, plan);
    const Sizes sizes = propose_sizes(selected.dims, plan);
    if (!std::ranges::none_of(computed, &DimOperand::is_deferred) ||
        !has_all_sizes(sizes, plan.dims)) {
        plan.bind(sizes.all());
        return index_later(x, plan, {computed.begin(), computed.end()});
    }
    const Dimensions split = with_split_axes(selected.dims, plan, sizes);
    Dimensions view = AffineBinding(split, plan, sizes).view();
    if (computed.empty()) {
        plan.bind(sizes.all());
        return {{selected.node, std::move(view)}, plan.dims};
    }
    if (std::ssize(plan.dims) + plan.rank > kMaxRank)
        throw ShapeError(fmt::format("{}: {} dims and {} positional axes are more than {}",
                                     plan.what, plan.dims.size(), plan.rank, kMaxRank));
    plan.bind(sizes.all());
    return gather_planned({{selected.node, std::move(view)}, plan.view_dims}, plan, computed);
}

} // namespace

DimIndex tensor_as_index(const TensorHandle& tensor) {
    if (tensor.dtype().is_integer() && tensor.rank() != 1) return dim_operand(tensor.operand());
    return TensorIndex(tensor);
}

DimOperand index_with_dims(const DimOperand& x, std::span<const DimIndex> indexes,
                           std::span<const std::string> axis_names, const char* what) {
    for (const DimIndex& index : indexes)
        if (made_from<DimMask>(index) != nullptr) return index_by_mask(x, indexes, what);
    IndexPlan plan(x, indexes, axis_names, what);
    settle_ready(plan.computed);
    if (!x.is_deferred()) return index_settled(x, plan, plan.computed);
    if (x.deferred->is_ready()) return index_settled(settled(x), plan, plan.computed);
    std::vector<DimOperand> computed = plan.computed;
    return index_later(x, std::move(plan), std::move(computed));
}

} // namespace purview
