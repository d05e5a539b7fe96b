#include <purview/functional/elementwise/element_view.hpp>

#include "dtype/known_times.hpp"

#include <cstring>

namespace purview {

void SameBytes::apply(index_t count, void* out, const void* const* operands) const {
    std::memcpy(out, operands[0], static_cast<std::size_t>(count * size_));
}

Operand with_same_bytes(const Operand& x, DType dtype) {
    return elementwise<1>(Op::map, dtype, {x},
                          std::make_shared<const SameBytes>(dtype.size_bytes()));
}

Operand times_as_counts(const Operand& x) {
    const DType counted = x.dtype().counted_in();
    return counted == x.dtype() ? x : with_same_bytes(x, counted);
}

AnyTensor counts_as_times(AnyTensor counts, DType dtype) {
    if (counts.dtype() == dtype) return counts;
    std::optional<Operand> times;
    for_each_time([&]<typename T>(std::type_identity<T>) {
        if (dtype == kDType<T>) times = part_of_memory<T>(counts.operand(), 0);
    });
    return AnyTensor(times ? *std::move(times) : with_same_bytes(counts.operand(), dtype));
}

} // namespace purview
