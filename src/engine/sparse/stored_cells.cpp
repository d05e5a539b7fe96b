#include "engine/sparse/stored_cells.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/reduce.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/places/gathered_places.hpp"
#include "expression/constants.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// The elements of a view in the order of addresses; nothing where its strides do not show an interval.
std::optional<Dimensions> interval_of(const Dimensions& view) {
    if (!view.is_strided()) return std::nullopt;
    boost::container::small_vector<std::pair<index_t, index_t>, kInlineRank> axes;
    index_t lowest = view.base();
    for (std::size_t a = 0; a < view.strides().size(); ++a) {
        const index_t extent = view.max_shape()[a];
        const index_t stride = view.strides()[a];
        if (extent == 1) continue;
        axes.emplace_back(std::abs(stride), extent);
        lowest += std::min(index_t{0}, stride * (extent - 1));
    }
    std::ranges::sort(axes);
    index_t size = 1;
    for (const auto& [stride, extent] : axes) {
        if (stride != size) return std::nullopt;
        size *= extent;
    }
    constexpr index_t kUnit = 1;
    return Dimensions::strided(ShapeSpan(&size, 1), ShapeSpan(&kUnit, 1), lowest);
}

/// An expression whose operations all read the same view, over what that view shows in the order of addresses.
class Straightened {
public:
    /// Null where operations read different views, or many nodes.
    std::optional<Operand> of(const Operand& x) {
        if (++nodes_ > kMostNodes) return std::nullopt;
        const auto* const found = node_as<Elementwise>(*x.node);
        if (found == nullptr || !x.dims.is_contiguous()) return seen(x);
        const Elementwise& operation = *found;
        if (x.dims.base() != 0 || element_count(operation.shape()) != x.dims.size()) return seen(x);
        std::vector<Operand> operands;
        for (std::size_t i = 0; i < operation.inputs().size(); ++i) {
            const Operand operand = operation.operand(i);
            if (is_constant(operand)) {
                operands.push_back(operand);
                continue;
            }
            std::optional<Operand> straight = of(operand);
            if (!straight) return std::nullopt;
            operands.push_back(*std::move(straight));
        }
        if (!interval_) return std::nullopt;
        for (Operand& operand : operands)
            if (is_constant(operand)) operand.dims = dimensions::repeated(interval_->max_shape());
        return Operand{with_operands(operation, operands),
                       Dimensions::row_major(interval_->max_shape())};
    }

    bool changes_order() const noexcept { return view_ && !view_->is_contiguous(); }

    /// What shows the elements of an operation, seen by `view`, among those in the order of addresses; nothing where
    /// strides do not.
    std::optional<Dimensions> shown_by(const Dimensions& view) const {
        const Dimensions shown = dimensions::compose(view, *view_);
        if (!shown.is_strided()) return std::nullopt;
        return Dimensions::strided(shown.max_shape(), shown.strides(),
                                   shown.base() - interval_->base());
    }

private:
    static constexpr int kMostNodes = 16;

    std::optional<Operand> seen(const Operand& x) {
        if (!view_) {
            view_ = x.dims;
            interval_ = interval_of(x.dims);
        } else if (*view_ != x.dims) {
            return std::nullopt;
        }
        if (!interval_) return std::nullopt;
        return Operand{x.node, *interval_};
    }

    int nodes_ = 0;
    std::optional<Dimensions> view_;
    std::optional<Dimensions> interval_;
};

/// A view of one layer as its axes by descending strides, in which entries hardly change their order, and what shows it
/// among the elements of that.
class ViewInOrder {
public:
    explicit ViewInOrder(const Dimensions& view) : shown_(view) {
        const LayerView layer = view.layer(0);
        const auto rank = static_cast<std::size_t>(layer.rank());
        axes_.resize(rank);
        std::iota(axes_.begin(), axes_.end(), index_t{0});
        std::ranges::stable_sort(axes_, std::ranges::greater{}, [&](index_t axis) {
            return std::abs(layer.strides[static_cast<std::size_t>(axis)]);
        });
        in_order_ = dimensions::transpose(view, axes_);
        Shape strides(rank);
        index_t stride = 1;
        for (std::size_t i = rank; i-- > 0;) {
            const auto axis = static_cast<std::size_t>(axes_[i]);
            strides[axis] = stride;
            stride *= layer.extents[axis];
        }
        shown_ = Dimensions::strided(view.max_shape(), strides);
    }

    bool changes_order() const { return !std::ranges::is_sorted(axes_); }
    bool is_fit(DigitView& digits) const {
        digits = {};
        return digits.prepare(shown_);
    }
    const Dimensions& in_order() const noexcept { return in_order_; }

private:
    Shape axes_;
    Dimensions in_order_;
    Dimensions shown_;
};

} // namespace

Operand in_order_of_addresses(const Operand& source) {
    Straightened straightened;
    const std::optional<Operand> straight = straightened.of(source);
    return straight && straightened.changes_order() ? *straight : source;
}

Operand over_addresses(const Operand& source) {
    if (source.node->kind() != NodeKind::elementwise) return source;
    const ShapeSpan shape = shape_of(*source.node);
    if (source.dims.size() == 0 || source.dims.size() != element_count(shape)) return source;
    Straightened straightened;
    std::optional<Operand> straight = straightened.of({source.node, Dimensions::row_major(shape)});
    if (!straight || !straightened.changes_order()) return source;
    std::optional<Dimensions> shown = straightened.shown_by(source.dims);
    return shown ? Operand{std::move(straight->node), *std::move(shown)} : source;
}

std::optional<StoredCells> StoredCells::of(const Operand& source, index_t groups,
                                           const char* what) {
    if (!source.dtype().is_builtin() || source.dims.size() == 0 || source.dims.is_contiguous())
        return std::nullopt;
    StoredCells cells;
    const Dimensions reduced = dimensions::reduce(source.dims);
    if (!cells.digits_.prepare(reduced)) {
        // What a list shows is moved first, in the order of its addresses, as whole rows are.
        if (leaf_of(source) == nullptr || reduced.layer_count() != 1) return std::nullopt;
        const ViewInOrder moved(reduced);
        if (!moved.changes_order() || !moved.is_fit(cells.digits_)) return std::nullopt;
        if (!cells.digits_.group(source.dims.size() / groups)) return std::nullopt;
        cells.computed_.emplace(Operand{source.node, moved.in_order()}, what);
        cells.own_ = pairs_of(*cells.computed_);
        cells.pairs_ = cells.own_.pairs();
        if (groups > 4 * cells.pairs_.stored() + 65536) return std::nullopt;
        return cells;
    }
    if (!cells.digits_.group(source.dims.size() / groups)) return std::nullopt;
    if (const Leaf* const leaf = leaf_of(source)) {
        cells.pairs_ = listed_pairs(leaf->reader());
    } else {
        const NodeKind kind = source.node->kind();
        if (kind != NodeKind::elementwise && kind != NodeKind::gather &&
            kind != NodeKind::piecewise)
            return std::nullopt;
        const ShapeSpan shape = shape_of(*source.node);
        if (element_count(shape) != source.dims.size()) return std::nullopt;
        cells.computed_.emplace(Operand{source.node, Dimensions::row_major(shape)}, what);
        cells.own_ = pairs_of(*cells.computed_);
        cells.pairs_ = cells.own_.pairs();
    }
    if (groups > 4 * cells.pairs_.stored() + 65536) return std::nullopt;
    const AddressRange range = reduced.address_range();
    const index_t offset = cells.pairs_.offset;
    cells.pairs_ =
        pairs_between(std::move(cells.pairs_), range.lowest + offset, range.highest + 1 + offset);
    // The elements of a column are searched for sooner than what lies between them is looked at.
    constexpr index_t kEntriesPerSearch = 16;
    if (source.dims.size() <= cells.pairs_.stored() / kEntriesPerSearch) return std::nullopt;
    return cells;
}

} // namespace purview::engine
