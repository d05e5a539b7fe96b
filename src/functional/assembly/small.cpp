#include <purview/functional/assembly/small.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1 {

std::optional<Dimensions> grouped_dimensions(const Operand& x, index_t count) {
    const ShapeSpan shape = x.dims.max_shape();
    if (shape.empty() || shape.back() != count)
        throw ShapeError(
            fmt::format("small_vectors: the last axis of shape {} does not have {} elements",
                        to_string(shape), count));
    const Leaf* const leaf = leaf_of(x);
    if (leaf == nullptr || !leaf->memory() ||
        leaf->memory().stride_bytes != x.dtype().size_bytes() || !x.dims.is_strided() ||
        (count > 1 && x.dims.strides().back() != 1))
        return std::nullopt;
    Shape strides = to_shape(x.dims.strides().first(shape.size() - 1));
    for (std::size_t a = 0; a < strides.size(); ++a) {
        if (shape[a] > 1 && strides[a] % count != 0) return std::nullopt;
        strides[a] /= count;
    }
    return Dimensions::strided(shape.first(shape.size() - 1), strides, x.dims.base() / count);
}

std::optional<Dimensions> ungrouped_dimensions(const Operand& x, index_t bytes, index_t count) {
    const Leaf* const leaf = leaf_of(x);
    if (leaf == nullptr || !leaf->memory() || !x.dims.is_strided()) return std::nullopt;
    const index_t step = leaf->memory().stride_bytes / bytes;
    if (step < count || leaf->memory().stride_bytes % bytes != 0) return std::nullopt;
    Shape shape = to_shape(x.dims.max_shape());
    Shape strides = to_shape(x.dims.strides());
    for (index_t& stride : strides) stride *= step;
    shape.push_back(count);
    strides.push_back(1);
    return Dimensions::strided(shape, strides, x.dims.base() * step);
}

Operand component_operand(const Operand& x, std::size_t i) {
    return {x.node, dimensions::select(x.dims, x.dims.rank() - 1, static_cast<index_t>(i))};
}

void throw_not_side_by_side(const Operand& x, index_t count) {
    throw ShapeError(fmt::format(
        "the {} components of each vector of shape {} do not lie side by side in memory, so that "
        "they cannot be written: take a copy, or a read-only tensor",
        count, to_string(x.dims.max_shape())));
}

} // namespace purview
