#include <purview/base/checked.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/named/index.hpp>
#include <purview/named/split.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The sizes of the parts: their own, or those that they are to get.
std::vector<DimSize> sizes_of_parts(std::span<const Dim> parts, index_t extent) {
    index_t known = 0;
    index_t open = 0;
    for (const Dim& part : parts) {
        if (part.has_size())
            known += part.size();
        else
            ++open;
    }
    if (open == 0 ? known != extent : known > extent)
        throw DimError(fmt::format("split: the sizes of the parts {} make {}{}, and the axis has "
                                   "size {}",
                                   to_string(parts), known,
                                   open == 0 ? "" : fmt::format(" without {} of them", open),
                                   extent));
    index_t left = extent - known;
    const index_t share = open == 0 ? 0 : (left + open - 1) / open;
    std::vector<DimSize> sizes;
    for (const Dim& part : parts) {
        index_t size = part.size_or_none();
        if (size == Dim::kNoSize) {
            size = std::min(share, left);
            left -= size;
        }
        sizes.push_back({&part, size});
    }
    return sizes;
}

} // namespace

namespace {

/// The position of the axis in the operand. A Dim is made the first positional axis.
index_t placed_axis(const char* what, const AxisOrDim& axis, DimOperand& x) {
    if (axis.dim) x = joined_first(what, x, {axis});
    return x.dim_count() + (axis.dim ? 0 : checked_axis(axis.axis, rank_of(x), what));
}

std::vector<DimOperand> parts_of(const DimOperand& x, index_t axis, ShapeSpan sizes) {
    std::vector<DimOperand> parts;
    index_t begin = 0;
    for (const index_t size : sizes) {
        DimOperand part = x;
        part.operand.dims = dimensions::select(x.operand.dims, axis, Range(begin, begin + size));
        parts.push_back(std::move(part));
        begin += size;
    }
    return parts;
}

} // namespace

std::vector<DimOperand> split_in_sizes(const DimOperand& given, const AxisOrDim& axis,
                                       ShapeSpan sizes) {
    DimOperand x = settled(given);
    const index_t at = placed_axis("split", axis, x);
    const index_t extent = x.operand.dims.max_shape()[static_cast<std::size_t>(at)];
    index_t total = 0;
    for (const index_t size : sizes) {
        if (size < 0) throw ShapeError(fmt::format("split: {} is no size", size));
        total = checked_add(total, size, "split");
    }
    if (total != extent)
        throw ShapeError(fmt::format("split: the sizes {} make {}, and {} has size {}",
                                     to_string(sizes), total,
                                     axis.dim ? fmt::format("Dim '{}'", axis.dim->name())
                                              : fmt::format("axis {}", at - x.dim_count()),
                                     extent));
    return parts_of(x, at, sizes);
}

std::vector<DimOperand> split_in_chunks(const DimOperand& given, const AxisOrDim& axis,
                                        index_t count) {
    if (count < 1) throw ShapeError(fmt::format("chunk: {} is no number of parts", count));
    DimOperand x = settled(given);
    const index_t at = placed_axis("chunk", axis, x);
    const index_t extent = x.operand.dims.max_shape()[static_cast<std::size_t>(at)];
    const index_t size = std::max(index_t{1}, extent / count + (extent % count != 0));
    Shape sizes;
    for (index_t left = extent; left > 0 || sizes.empty(); left -= sizes.back())
        sizes.push_back(std::min(size, left));
    return parts_of(x, at, sizes);
}

std::vector<DimOperand> split_operand(const DimOperand& x, const AxisOrDim& axis,
                                      std::span<const Dim> parts) {
    const DimOperand first = joined_first("split", x, {axis});
    const index_t extent = first.operand.dims.max_shape()[first.dims.size()];
    const std::vector<DimSize> sizes = sizes_of_parts(parts, extent);
    bind_sizes(sizes);
    std::vector<DimOperand> views;
    index_t begin = 0;
    for (const DimSize& part : sizes) {
        const DimIndex index = AffineIndex::sum(AffineIndex(*part.dim), AffineIndex(begin), 1);
        views.push_back(index_with_dims(first, {&index, 1}, {}, "split"));
        begin += part.size;
    }
    return views;
}

} // namespace purview
