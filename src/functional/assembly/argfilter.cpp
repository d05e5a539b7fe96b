#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Calls `place(axis, coordinate)` for each axis, the last one first. Precondition: `index` is in
/// range.
template <typename Place>
void for_each_coordinate(index_t index, ShapeSpan shape, Place place) {
    for (std::size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
        place(axis, index % shape[axis]);
}

/// The index counted from the front. Throws `IndexError`.
index_t index_in(ShapeSpan shape, index_t size, index_t index) {
    if (index < -size || index >= size)
        throw IndexError(fmt::format("unravel_index: index {} is out of range for shape {}", index,
                                     to_string(shape)));
    return index < 0 ? index + size : index;
}

/// In this process's memory.
MutableTensor<std::int64_t> found_indexes(const char* what, const Operand& mask) {
    require_host_reads(what, mask);
    BufferPtr<std::int64_t> found = true_positions(cast_operand(mask, boolean, Op::cast));
    const index_t count = found->size();
    return over<std::int64_t>(std::move(found), Dimensions::row_major(ShapeSpan(&count, 1)));
}

} // namespace

MutableTensor<std::int64_t> true_indexes(const Operand& mask) {
    return brought_to(mask, found_indexes("argfilter", mask));
}

MutableTensor<std::int64_t> true_coordinates(const Operand& mask) {
    const ShapeSpan shape = mask.dims.max_shape();
    const MutableTensor<std::int64_t> found = found_indexes("argwhere", mask);
    MutableTensor<std::int64_t> result =
        empty<std::int64_t>({found.size(), static_cast<index_t>(shape.size())});
    std::int64_t* row = as_span(result).data();
    for (const index_t index : as_span(found)) {
        for_each_coordinate(index, shape, [&](std::size_t axis, index_t at) { row[axis] = at; });
        row += shape.size();
    }
    return brought_to(mask, result);
}

Shape unravel_index(index_t index, AxisValues shape) {
    Shape result(shape.size());
    for_each_coordinate(index_in(shape, checked_size(shape, "unravel_index"), index), shape,
                        [&](std::size_t axis, index_t at) { result[axis] = at; });
    return result;
}

std::vector<MutableTensor<std::int64_t>> unravel_index(const AnyTensor& indexes, AxisValues shape) {
    if (!indexes.dtype().is_integer()) throw_dtype_unsupported("unravel_index", indexes.dtype());
    const index_t size = checked_size(shape, "unravel_index");
    const Tensor<std::int64_t> held = in_memory<std::int64_t>("unravel_index", indexes.operand());
    std::vector<MutableTensor<std::int64_t>> result;
    std::vector<std::span<std::int64_t>> places;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        places.push_back(as_span(result.emplace_back(empty<std::int64_t>(indexes.shape()))));
    std::size_t i = 0;
    for (const index_t given : as_span(held)) {
        const index_t index = index_in(shape, size, given);
        for_each_coordinate(index, shape,
                            [&](std::size_t axis, index_t at) { places[axis][i] = at; });
        ++i;
    }
    for (MutableTensor<std::int64_t>& axis : result) axis = brought_to(indexes.operand(), axis);
    return result;
}

void require_an_element(const char* what, const AnyTensor& x) {
    if (x.empty())
        throw ShapeError(
            fmt::format("{}: a tensor of shape {} has no element", what, to_string(x.shape())));
}

} // namespace purview
