#include <purview/base/errors.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/index_set.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/tensor_index.hpp>

#include "dimensions/layer.hpp"

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace purview::inline v0_1 {
namespace {

using Indexes = BufferPtr<std::int64_t>;

std::span<const index_t> span_of(const Indexes& indexes) {
    return {static_cast<const index_t*>(indexes->memory().data),
            static_cast<std::size_t>(indexes->size())};
}

IndexSequencePtr copied_list(std::span<const index_t> list) {
    const CopiedIndexes copied = copy_indexes(list);
    return make_index_sequence(copied.indexes, span_of(copied.indexes), copied.least,
                               copied.greatest);
}

/// Reads a tensor of integers as indexes. Other integer types are cast to int64, so that no code
/// per type is needed.
IndexSequencePtr read_indexes(const TensorHandle& list) {
    require_host_reads("select", list.operand());
    if (const Leaf* const leaf = leaf_of(list.operand());
        list.dtype() == int64 && list.is_contiguous() && leaf->memory() &&
        reinterpret_cast<std::uintptr_t>(leaf->memory().data) % alignof(index_t) == 0)
        return copied_list(
            {static_cast<const index_t*>(leaf->memory().data) + list.operand().dims.base(),
             static_cast<std::size_t>(list.size())});
    const Indexes indexes = allocate_uninitialized_buffer<std::int64_t>(list.size());
    const Operand widened = cast_operand(list.operand(), int64, Op::cast);
    Evaluation(widened).read(0, list.size(), indexes->writable_memory().data);
    return make_index_sequence(indexes, span_of(indexes));
}

/// The positions of the true elements, ascending.
IndexSequencePtr positions_in(const Operand& mask) {
    require_host_reads("select", mask);
    const Indexes positions = true_positions(mask);
    const std::span<const index_t> all = span_of(positions);
    if (all.empty()) return make_index_sequence(positions, all);
    return make_index_sequence(positions, all, all.front(), all.back());
}

int axes_consumed(std::span<const TensorIndex> indexes) {
    int axes = 0;
    for (const TensorIndex& index : indexes) axes += index.axes_consumed();
    return axes;
}

[[noreturn]] void throw_mask(const Shape& mask, ShapeSpan shape, std::size_t axis) {
    if (mask.size() == 1 && axis < shape.size())
        throw IndexError(fmt::format("select: a mask of size {} does not fit axis {} of size {}",
                                     mask[0], axis, shape[axis]));
    throw IndexError(fmt::format(
        "select: a mask of shape {} does not fit the axes from {} on of a tensor of shape {}",
        to_string(mask), axis, to_string(shape)));
}

/// The dimensions with the axes of each mask as a single one. Throws `IndexError` unless each mask
/// has the shape of the axes that it indexes.
Dimensions with_masked_axes_joined(const Dimensions& dims, std::span<const TensorIndex> indexes) {
    const ShapeSpan shape = dims.max_shape();
    Shape joined;
    std::size_t axis = 0;
    const auto keep = [&](std::size_t count) {
        for (; count > 0 && axis < shape.size(); --count) joined.push_back(shape[axis++]);
    };
    for (const TensorIndex& index : indexes) {
        if (index.is_ellipsis())
            keep(shape.size() -
                 std::min(static_cast<std::size_t>(axes_consumed(indexes)), shape.size()));
        const Shape* const mask = index.mask_shape();
        if (mask == nullptr) {
            keep(static_cast<std::size_t>(index.axes_consumed()));
            continue;
        }
        if (!std::ranges::equal(*mask, shape.subspan(std::min(axis, shape.size()))
                                           .first(std::min(mask->size(), shape.size() - axis))))
            throw_mask(*mask, shape, axis);
        joined.push_back(checked_size(*mask, "select"));
        axis += mask->size();
    }
    keep(shape.size());
    return joined.size() == shape.size() ? dims : dimensions::reshape(dims, joined);
}

Dimensions select_any(const Dimensions& dims, std::span<const TensorIndex> indexes) {
    boost::container::small_vector<IndexArgument, kInlineRank> arguments;
    bool masked = false;
    for (const TensorIndex& index : indexes) {
        arguments.push_back(index.argument());
        masked = masked || index.mask_shape() != nullptr;
    }
    const std::span<const IndexArgument> view(arguments.data(), arguments.size());
    return dimensions::select(masked ? with_masked_axes_joined(dims, indexes) : dims, view);
}

} // namespace

TensorIndex::TensorIndex(IndexSequencePtr list) : sequence_(std::move(list)) {
    if (sequence_ == nullptr) throw IndexError("select: an index list is null");
}

TensorIndex::TensorIndex(const IndexSet& set) {
    // As a range it would be clipped, whereas an index out of range has to be an error.
    sequence_ = set.sequence();
}

TensorIndex::TensorIndex(const TensorHandle& list_or_mask) {
    if (list_or_mask.dtype() == boolean) {
        if (list_or_mask.rank() == 0) throw IndexError("select: a mask needs at least one axis");
        sequence_ = positions_in(list_or_mask.operand());
        mask_shape_ = std::make_shared<const Shape>(list_or_mask.shape());
        return;
    }
    if (!list_or_mask.dtype().is_integer())
        throw DtypeError(fmt::format("select: indexes are integers or bool, not {}",
                                     list_or_mask.dtype().name()));
    if (list_or_mask.rank() != 1)
        throw IndexError(fmt::format("select: an index list has one axis, not the shape {}",
                                     to_string(list_or_mask.shape())));
    sequence_ = read_indexes(list_or_mask);
}

int TensorIndex::axes_consumed() const noexcept {
    if (mask_shape_ != nullptr) return static_cast<int>(mask_shape_->size());
    return kind_ == Kind::inserted_axis || kind_ == Kind::other_axes ? 0 : 1;
}

IndexArgument TensorIndex::argument() const {
    switch (kind_) {
    case Kind::integer: return integer_;
    case Kind::whole_axis: return All{};
    case Kind::inserted_axis: return NewAxis{};
    case Kind::other_axes: return Ellipsis{};
    case Kind::slice: return range_;
    case Kind::sequence: break;
    }
    return sequence_;
}

void TensorIndex::set_list(std::span<const index_t> list) { sequence_ = copied_list(list); }

void throw_index_too_large(std::uint64_t index) {
    throw IndexError(fmt::format("indexing: index {} is out of range for any axis", index));
}

void TensorIndex::set_mask(std::span<const unsigned char> mask, Shape shape) {
    sequence_ = index_sequence_from_mask(mask);
    mask_shape_ = std::make_shared<const Shape>(std::move(shape));
}

/// For plain axes and no lists, where only strides and base change: makes the `selected` dimensions. Returns false where it
/// takes more, or an error has to be named.
bool select_plain(const Dimensions& dims, std::span<const TensorIndex> indexes,
                  Dimensions& selected) {
    using dimensions::Layer;
    if (!Layer::is_inline(dims)) return false;
    const int rank = dims.rank();
    const index_t* const extents = Layer::extents_of(dims);
    const index_t* const strides = Layer::strides_of(dims);
    index_t base = dims.base();
    int axis = 0;
    int out = 0;
    const auto append = [&](index_t extent, index_t stride) {
        Layer::extents_of(selected)[out] = extent;
        Layer::strides_of(selected)[out++] = stride;
    };
    const auto keep = [&](int count) {
        if (count < 0 || axis + count > rank || out + count > kInlineRank) return false;
        for (; count > 0; --count, ++axis) append(extents[axis], strides[axis]);
        return true;
    };
    bool shortened = false;
    for (const TensorIndex& index : indexes) {
        const bool consumes = index.axes_consumed() > 0;
        if (consumes && axis == rank) return false;
        if (!consumes && out == kInlineRank) return false;
        switch (index.kind_) {
        case TensorIndex::Kind::integer: {
            const index_t extent = extents[axis];
            const index_t i = index.integer_ + (index.integer_ < 0 ? extent : 0);
            if (i < 0 || i >= extent) return false;
            base += strides[axis++] * i;
            break;
        }
        case TensorIndex::Kind::slice: {
            if (out == kInlineRank) return false;
            const Range::Resolved r = index.range_.resolve(extents[axis]);
            if (r.count > 0) base += strides[axis] * r.first;
            append(r.count, r.count > 1 ? strides[axis] * r.step : strides[axis]);
            ++axis;
            break;
        }
        case TensorIndex::Kind::whole_axis:
            if (!keep(1)) return false;
            break;
        case TensorIndex::Kind::inserted_axis: append(1, 0); break;
        case TensorIndex::Kind::other_axes: {
            if (std::exchange(shortened, true) || !keep(rank - axes_consumed(indexes)))
                return false;
            break;
        }
        case TensorIndex::Kind::sequence: return false;
        }
    }
    if (!keep(rank - axis)) return false;
    Layer::base_of(selected) = base;
    Layer::rank_of(selected) = out;
    return true;
}

Operand select_operand(const Operand& operand, std::span<const TensorIndex> indexes) {
    Operand selected{operand.node, {}};
    if (!select_plain(operand.dims, indexes, selected.dims))
        selected.dims = select_any(operand.dims, indexes);
    return selected;
}

} // namespace purview
