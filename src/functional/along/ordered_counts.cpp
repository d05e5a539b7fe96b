#include "functional/along/ordered_counts.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>

#include <type_traits>

namespace purview::inline v0_1 {
namespace {

Operand moved_by_one(Op op, const Operand& counts) {
    return visit_dtype(counts.dtype(), "sort", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_integral_v<C> && std::is_signed_v<C>)
            return binary_operand(op, counts, constant_operand(C{1}), counts.dtype(),
                                  counts.dtype());
        else
            return counts;
    });
}

} // namespace

Operand ordered_counts(const Operand& x) {
    const Operand counts = times_as_counts(x);
    return counts.dtype() == x.dtype() ? counts : moved_by_one(Op::subtract, counts);
}

Operand counts_in_order(const Operand& ordered, DType times) {
    return times.counted_in() == times ? ordered : moved_by_one(Op::add, ordered);
}

} // namespace purview
