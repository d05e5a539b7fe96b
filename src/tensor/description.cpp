#include <purview/tensor/description.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

namespace purview::inline v0_1 {
namespace {

constexpr std::uintptr_t kLargestAlignment = 4096;

/// The allocated extent of each axis: the ratio of the next larger stride to its own. The axis with
/// the largest stride has the extent of the shape.
Shape padded_size(ShapeSpan shape, ShapeSpan strides) {
    Shape size = to_shape(shape);
    std::vector<std::size_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::erase_if(axes, [&](std::size_t axis) { return strides[axis] == 0 || shape[axis] <= 1; });
    const auto magnitude = [&](std::size_t axis) {
        return strides[axis] < 0 ? -strides[axis] : strides[axis];
    };
    std::ranges::sort(axes, {}, magnitude);
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
        size[axes[i]] = std::max(shape[axes[i]], magnitude(axes[i + 1]) / magnitude(axes[i]));
    return size;
}

index_t alignment_of(const Leaf& leaf, const Dimensions& dims) {
    if (!leaf.memory()) return 1;
    const auto address = reinterpret_cast<std::uintptr_t>(leaf.memory().data) +
                         static_cast<std::uintptr_t>(dims.base() * leaf.memory().stride_bytes);
    return static_cast<index_t>(std::min(
        kLargestAlignment, std::uintptr_t{1} << std::countr_zero(address | kLargestAlignment)));
}

} // namespace

TensorDescription AnyTensor::description() const {
    return TensorHandle::description(is_read_only());
}

TensorDescription TensorHandle::description() const { return description(true); }

TensorDescription TensorHandle::description(bool read_only) const {
    TensorDescription description{dtype(), rank(), shape(), read_only, std::nullopt, {}};
    const Leaf* const leaf = leaf_of(operand_);
    if (leaf == nullptr || (!leaf->memory() && leaf->writer() == nullptr)) return description;
    description.storage = leaf->reader().storage();
    const Dimensions& dims = operand_.dims;
    if (dims.is_strided())
        description.layout =
            TensorLayout{to_shape(dims.strides()), dims.base(),
                         padded_size(dims.max_shape(), dims.strides()), alignment_of(*leaf, dims)};
    return description;
}

std::ostream& operator<<(std::ostream& out, const TensorDescription& description) {
    // By fmt, so that numbers do not depend on the stream's base and locale.
    std::string text = fmt::format("{}{} {}-tensor", description.dtype.name(),
                                   to_string(description.shape), description.read_only ? 'r' : 'l');
    if (description.layout) {
        const TensorLayout& layout = *description.layout;
        text += fmt::format(" strides {} offset {} size {} alignment {}", to_string(layout.strides),
                            layout.offset, to_string(layout.size), layout.alignment);
    }
    if (description.storage.address != nullptr)
        text += fmt::format(" storage {} ({} bytes)", description.storage.address,
                            description.storage.bytes);
    return out << text;
}

} // namespace purview
