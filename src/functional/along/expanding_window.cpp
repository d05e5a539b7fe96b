// Defines purview/functional/along/rolling_window.hpp.

#include <purview/expression/elementwise.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/tensor/copy.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/along/rolled_fold.hpp"

#include <optional>

namespace purview::inline v0_1 {

LaneWindows expanding_windows(const AxisParts& parts) {
    return {parts.operand,
            parts.groups,
            parts.length,
            to_shape(parts.operand.dims.max_shape()),
            {},
            {parts.length, {}, {}, 0, 1, 1}};
}

namespace {

Operand cumulative_means_of_non_nan(const AxisParts& parts, DType dtype) {
    AxisParts numbers = parts;
    numbers.operand = cast_operand(is_not_nan(parts.operand), int64, Op::cast);
    numbers.carried = parts.carried_at(0);
    AxisParts elements = parts;
    elements.carried = parts.carried_at(1);
    const Operand counts = scanned("mean", Reduction::sum, numbers, NanRule::keep);
    const Operand sums = scanned("mean", Reduction::sum, elements, NanRule::skip);
    return clone(AnyTensor(results_of_numbers(sums, counts, true, dtype))).operand();
}

} // namespace

Operand cumulative_means(const char* what, const AxisParts& given, NanRule nan) {
    const DType dtype = reduced_dtype<MeanOperation>(what, given.operand.dtype());
    if (nan == NanRule::skip && given.operand.dtype().is_floating())
        return cumulative_means_of_non_nan(given, dtype);
    AxisParts parts = given;
    parts.operand = cast_operand(given.operand, dtype, Op::cast);
    const Operand sums = scanned(what, Reduction::sum, parts, NanRule::keep);
    const auto divide = [&]<typename R>(std::type_identity<R>) {
        // Along an axis that is not the last one, the sums may be in another memory order.
        const MutableTensor<R> means = sums.dims.rank() > 1 || parts.carried != nullptr
                                           ? clone(Tensor<R>(sums))
                                           : MutableTensor<R>(sums);
        if (means.empty()) return means.operand();
        R* out = as_span(means).data();
        const index_t first = parts.first();
        for (index_t group = 0; group < parts.groups; ++group)
            for (index_t i = 1; i <= parts.length; ++i) *out++ /= static_cast<R>(first + i);
        return means.operand();
    };
    return dtype == float32 ? divide(std::type_identity<float>{})
                            : divide(std::type_identity<double>{});
}

Operand expanded(const char* what, const AxisParts& parts, const ChosenReducer& by) {
    const std::optional<PlainFold> fold = rolled_fold(*by.built_in);
    if (fold && fold->averages) return cumulative_means(what, parts, by.nan);
    if (fold) return scanned(what, fold->reduction, parts, by.nan);
    return each_window(what, expanding_windows(parts), by);
}

} // namespace purview
