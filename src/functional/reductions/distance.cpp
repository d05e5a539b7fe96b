#include <purview/functional/reductions/distance.hpp>

#include <algorithm>

namespace purview::inline v0_1 {

bool EqualsFunction::same_shape(const Operand& x, const Operand& y) {
    return std::ranges::equal(x.dims.max_shape(), y.dims.max_shape());
}

} // namespace purview
