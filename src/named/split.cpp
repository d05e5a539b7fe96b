#include <purview/named/index.hpp>
#include <purview/named/split.hpp>

#include <fmt/format.h>

namespace purview {
namespace {

/// The size that each part has, or is to get.
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
        views.push_back(index_with_dims(first, {&index, 1}));
        begin += part.size;
    }
    return views;
}

} // namespace purview
