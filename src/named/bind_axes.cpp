// Defines purview/named/index_dims.hpp.

#include <purview/named/index_dims.hpp>

#include "named/gather_dims.hpp"

#include <boost/container/small_vector.hpp>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using named::PlacedIndex;

/// The number of axes and dims up to which no allocation is needed.
constexpr std::size_t kMost = kInlineRank;

DimOperand bind_in_general(const Operand& x, std::span<const AxisExpression> axes) {
    std::vector<DimIndex> indexes;
    for (const AxisExpression& axis : axes)
        if (axis.dim != nullptr)
            indexes.emplace_back(*axis.dim);
        else if (axis.index != nullptr)
            indexes.emplace_back(*axis.index);
        else
            indexes.emplace_back(*axis.computed);
    return index_with_dims({x, {}}, indexes);
}

/// Index expressions on the axes of strided memory: strides are added up, also for diagonals and
/// windows.
class StridedBinding {
public:
    explicit StridedBinding(const Operand& x)
        : extents_(x.dims.max_shape()), strides_(x.dims.strides()), base_(x.dims.base()) {}

    /// Returns false if an axis needs the general way: for errors, dims without sizes, and indexes
    /// that wrap.
    bool add(std::span<const AxisExpression> axes) {
        for (std::size_t a = 0; a < axes.size(); ++a)
            if (axes[a].dim != nullptr) sizes_[bound_++] = {axes[a].dim, extents_[a], true};
        for (std::size_t a = 0; a < axes.size(); ++a) {
            if (axes[a].dim != nullptr) {
                if (!feed(*axes[a].dim, strides_[a])) return false;
            } else if (axes[a].index != nullptr && !add_index(*axes[a].index, a)) {
                return false;
            }
        }
        return true;
    }

    void bind() const { bind_sizes({sizes_.data(), bound_}); }

    /// Axes that are not bound, or are read at computed indexes, stay positional.
    DimOperand result(const Operand& x, std::span<const AxisExpression> axes) const {
        Shape shape(dim_extents_.data(), dim_extents_.data() + count_);
        Shape strides(dim_strides_.data(), dim_strides_.data() + count_);
        DimOperand result;
        for (std::size_t i = 0; i < count_; ++i) result.dims.push_back(*dims_[i]);
        for (std::size_t a = 0; a < extents_.size(); ++a) {
            if (a < axes.size() && axes[a].computed == nullptr) continue;
            shape.push_back(extents_[a]);
            strides.push_back(strides_[a]);
        }
        result.operand.node = x.node;
        result.operand.dims = Dimensions::strided(shape, strides, base_);
        return result;
    }

private:
    index_t size_of(const Dim& dim) const {
        if (const index_t size = dim.size_or_none(); size != Dim::kNoSize) return size;
        for (std::size_t i = 0; i < bound_; ++i)
            if (same(*sizes_[i].dim, dim)) return sizes_[i].size;
        return Dim::kNoSize;
    }

    bool feed(const Dim& dim, index_t stride) {
        std::size_t at = 0;
        while (at < count_ && !same(*dims_[at], dim)) ++at;
        if (at == count_) {
            if (count_ == kMost) return false;
            dims_[count_] = &dim;
            dim_extents_[count_] = size_of(dim);
            dim_strides_[count_++] = 0;
        }
        dim_strides_[at] += stride;
        return true;
    }

    bool add_index(const AffineIndex& index, std::size_t axis) {
        const index_t extent = extents_[axis];
        index_t lowest = index.constant();
        index_t highest = index.constant();
        for (const AffineIndex::Term& term : index.terms()) {
            const index_t size = size_of(term.dim);
            index_t reach = 0;
            if (size <= 0 || __builtin_mul_overflow(term.coefficient, size - 1, &reach) ||
                __builtin_add_overflow(reach > 0 ? highest : lowest, reach,
                                       reach > 0 ? &highest : &lowest))
                return false;
        }
        if (lowest < -extent || highest >= extent || (lowest < 0 && highest >= 0)) return false;
        base_ += (lowest < 0 ? index.constant() + extent : index.constant()) * strides_[axis];
        for (const AffineIndex::Term& term : index.terms())
            if (!feed(term.dim, size_of(term.dim) > 1 ? term.coefficient * strides_[axis] : 0))
                return false;
        return true;
    }

    ShapeSpan extents_;
    ShapeSpan strides_;
    index_t base_;
    std::array<DimSize, kMost> sizes_;
    std::size_t bound_ = 0;
    std::array<const Dim*, kMost> dims_;
    std::array<index_t, kMost> dim_extents_;
    std::array<index_t, kMost> dim_strides_;
    std::size_t count_ = 0;
};

/// For distinct dims only: the operand stays as it is.
std::optional<DimOperand> bind_distinct(const Operand& x, std::span<const AxisExpression> axes) {
    std::array<DimSize, kMost> sizes;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (axes[i].dim == nullptr) return {};
        for (std::size_t j = 0; j < i; ++j)
            if (same(*axes[i].dim, *axes[j].dim)) return {};
        sizes[i] = {axes[i].dim, x.dims.max_shape()[i], true};
    }
    bind_sizes({sizes.data(), axes.size()});
    std::optional<DimOperand> result(std::in_place);
    for (const AxisExpression& axis : axes) result->dims.push_back(*axis.dim);
    result->operand = x;
    return result;
}

/// Gathers along axes of a view that have computed indexes: these are its first positional axes.
DimOperand gather(const DimOperand& view, std::span<const AxisExpression> axes) {
    DimVector dims;
    const auto add = [&](const Dim& dim) {
        if (position_of(dim, dims) < 0) dims.push_back(dim);
    };
    boost::container::small_vector<GatherAxis, kMost> places;
    boost::container::small_vector<PlacedIndex, kMost> indexes;
    Shape positional;
    for (std::size_t a = 0; a < axes.size(); ++a) {
        if (axes[a].dim != nullptr) {
            add(*axes[a].dim);
        } else if (axes[a].index != nullptr) {
            for (const AffineIndex::Term& term : axes[a].index->terms()) add(term.dim);
        } else {
            const DimOperand& index = *axes[a].computed;
            for (const Dim& dim : index.dims) add(dim);
            places.push_back(GatherAxis::at(std::ssize(indexes)));
            places.back().shown = static_cast<index_t>(a);
            const ShapeSpan own = index.operand.dims.max_shape().subspan(index.dims.size());
            positional.insert(positional.end(), own.begin(), own.end());
            indexes.push_back({&index, static_cast<int>(positional.size())});
        }
    }
    const ShapeSpan left = view.operand.dims.max_shape().subspan(view.dims.size() + indexes.size());
    for (const index_t extent : left) {
        places.push_back(GatherAxis::along(std::ssize(positional)));
        positional.push_back(extent);
    }
    for (PlacedIndex& index : indexes)
        index.behind = static_cast<int>(positional.size()) - index.behind;
    return named::gather_over_dims("indexing", view, std::move(dims),
                                   {places.data(), places.size()}, {indexes.data(), indexes.size()},
                                   positional);
}

} // namespace

DimOperand bind_axes(const Operand& x, std::span<const AxisExpression> axes) {
    if (std::ssize(axes) > x.dims.rank() || axes.size() > kMost) return bind_in_general(x, axes);
    bool gathers = false;
    int rank = x.dims.rank();
    for (const AxisExpression& axis : axes) {
        if (axis.computed == nullptr) continue;
        rank += axis.computed->operand.dims.rank();
        if (axis.computed->is_deferred() || rank > kMaxRank) return bind_in_general(x, axes);
        gathers = true;
    }
    if (!gathers)
        if (std::optional<DimOperand> result = bind_distinct(x, axes)) return *std::move(result);
    if (!x.dims.is_strided()) return bind_in_general(x, axes);
    StridedBinding binding(x);
    if (!binding.add(axes)) return bind_in_general(x, axes);
    binding.bind();
    DimOperand view = binding.result(x, axes);
    if (gathers) return gather(view, axes);
    return view;
}

} // namespace purview
