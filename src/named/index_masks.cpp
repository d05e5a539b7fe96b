#include "named/index_masks.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/index_sequence.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>

#include "named/dim_index.hpp"
#include "named/index_plan.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace purview::inline v0_1 {

DimIndex mask_as_index(const DimOperand& mask) {
    if (mask.dims.empty() && !mask.is_deferred() && mask.operand.dims.rank() > 0)
        return TensorIndex(AnyTensor(mask.operand));
    return DimMask{mask};
}

namespace named {
namespace {

/// The number of positional axes that an index leaves.
index_t axes_left(const DimIndex& index, index_t left_over) {
    if (const auto* const computed = made_from<DimOperand>(index)) return rank_of(*computed);
    const auto* const positional = made_from<TensorIndex>(index);
    if (positional == nullptr) return 0;
    if (std::holds_alternative<Ellipsis>(positional->argument())) return left_over;
    return std::holds_alternative<index_t>(positional->argument()) ? 0 : 1;
}

IndexSequencePtr true_places(const Operand& mask) {
    require_host_reads("select", mask);
    const BufferPtr<std::int64_t> found = true_positions(mask);
    std::vector<index_t> places(static_cast<std::size_t>(found->size()));
    found->read_block(0, 1, places);
    return make_index_sequence(std::move(places));
}

[[noreturn]] void throw_foreign_dim(const char* what, const Dim& dim, const DimVector& dims,
                                    const DimVector& own) {
    DimVector named;
    for (const Dim& each : dims)
        if (position_of(each, own) < 0) named.push_back(each);
    throw DimError(fmt::format("{}: the mask has Dim '{}', and the tensor has dims {}", what,
                               dim.name(), to_string(named)));
}

} // namespace

DimOperand index_by_mask(const DimOperand& x, std::span<const DimIndex> indexes, const char* what) {
    // The axes that the mask's positional axes index are bound to new dims, which are removed with
    // the mask's own.
    const DimMask* mask = nullptr;
    std::vector<DimIndex> others;
    DimVector own;
    std::size_t place = 0; // position of the mask among the other indexes
    for (const DimIndex& index : indexes) {
        const auto* const found = made_from<DimMask>(index);
        if (found == nullptr) {
            others.push_back(index);
            continue;
        }
        if (mask != nullptr)
            throw IndexError(
                fmt::format("{}: there are two masks over dims: join them by &&", what));
        mask = found;
        place = others.size();
        for (int axis = 0; axis < rank_of(found->mask); ++axis) {
            own.push_back(Dim(fmt::format("axis {} of the mask", axis)));
            others.emplace_back(own.back());
        }
    }
    index_t taken = 0;
    for (const DimIndex& index : others)
        if (const index_t count = axes_taken(index); count != kFills) taken += count;
    index_t before = 0; // positional axes of the result before the one that the mask makes
    for (std::size_t i = 0; i < place; ++i) before += axes_left(others[i], rank_of(x) - taken);

    // Everything is validated before dims are bound.
    const IndexPlan plan(x, others, {}, what);
    for (const Dim& dim : mask->mask.dims)
        if (position_of(dim, plan.dims) < 0) throw_foreign_dim(what, dim, plan.dims, own);
    const std::vector<DimIndex> axes(own.begin(), own.end());
    DimOperand chosen = index_with_dims(mask->mask, axes, {}, what);
    const DimOperand bound = index_with_dims(x, others, {}, what);
    chosen = settled(chosen);
    const TensorIndex places(true_places(chosen.operand));
    DimOperand kept;
    if (chosen.dims.empty()) { // a single bool, on an axis of its own
        const DimIndex axis[] = {TensorIndex(new_axis)};
        const DimIndex list[] = {places};
        kept = index_with_dims(index_with_dims(bound, axis, {}, what), list, {}, what);
    } else {
        kept = index_joined(bound, Axes(chosen.dims), places);
    }
    const Shape move{0, before};
    return lifted_view(kept, move_axis_operand, ViewValues::axis_pair, move);
}

} // namespace named
} // namespace purview
