#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/tensor/slices.hpp>

#include <boost/container/small_vector.hpp>
#include <fmt/format.h>

namespace purview::inline v0_1 {

index_t slice_count(const char* what, const Operand& x, index_t count, bool right) {
    const ShapeSpan shape = x.dims.max_shape();
    if (count < 0 || count > std::ssize(shape))
        throw IndexError(
            fmt::format("{}: {} axes of a tensor of rank {}", what, count, shape.size()));
    const auto n = static_cast<std::size_t>(count);
    return checked_size(right ? shape.last(n) : shape.first(n), what);
}

Operand slice_operand(const Operand& x, index_t count, bool right, index_t index) {
    const ShapeSpan shape = x.dims.max_shape();
    const auto n = static_cast<std::size_t>(count);
    const ShapeSpan fixed = right ? shape.last(n) : shape.first(n);
    boost::container::small_vector<IndexArgument, kInlineRank> arguments(shape.size(),
                                                                         IndexArgument(all));
    const std::size_t first = right ? shape.size() - n : 0;
    for (std::size_t a = n; a-- > 0;) {
        arguments[first + a] = index % fixed[a];
        index /= fixed[a];
    }
    return {x.node, dimensions::select(x.dims, std::span<const IndexArgument>(arguments.data(),
                                                                              arguments.size()))};
}

} // namespace purview
