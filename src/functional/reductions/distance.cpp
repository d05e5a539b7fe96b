#include <purview/functional/reductions/distance.hpp>

#include <algorithm>

namespace purview {

template <>
AnyTensor MagnitudeOperation<false>::run_any(const ReducedView& view) {
    return run_erased<MagnitudeOperation<false>>(view);
}
template <>
AnyTensor MagnitudeOperation<true>::run_any(const ReducedView& view) {
    return run_erased<MagnitudeOperation<true>>(view);
}

bool EqualsFunction::same_shape(const Operand& x, const Operand& y) {
    return std::ranges::equal(x.dims.max_shape(), y.dims.max_shape());
}

} // namespace purview
