#include <purview/base/errors.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/statistics/group_by.hpp>

#include <fmt/format.h>

#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

void check_rows(const Operand& keys, const Operand& values) {
    if (to_shape(keys.dims.max_shape()) != to_shape(values.dims.max_shape()))
        throw ShapeError(fmt::format("group_by_reduce: keys of shape {} and values of shape {}",
                                     to_string(keys.dims.max_shape()),
                                     to_string(values.dims.max_shape())));
}

Operand arranged_values(const RowGroups& groups, const Operand& values,
                        std::vector<index_t>& begins) {
    const MutableTensor<std::int64_t> order = empty<std::int64_t>({groups.rows()});
    groups.sort(as_span(order).data(), begins);
    return take_operand(values, order.operand());
}

Operand fold_non_nan(const RowGroups& groups, GroupFold fold, const Operand& values) {
    const DType dtype = values.dtype();
    if (!dtype.is_floating()) return groups.fold(fold, values);
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double neutral = fold == GroupFold::of_product   ? 1
                           : fold == GroupFold::of_minimum ? kInfinity
                           : fold == GroupFold::of_maximum ? -kInfinity
                                                           : 0;
    const Operand numbers = without_nan(values, neutral);
    if (fold == GroupFold::of_sum || fold == GroupFold::of_product)
        return groups.fold(fold, numbers);
    const bool averages = fold == GroupFold::of_mean;
    const Operand counts =
        groups.fold(GroupFold::of_sum, cast_operand(is_not_nan(values), int64, Op::cast));
    const Operand folded =
        groups.fold(averages ? GroupFold::of_sum : fold,
                    averages ? cast_operand(numbers, float64, Op::cast) : numbers);
    const Operand any =
        binary_operand(Op::greater, counts, constant_operand(std::int64_t{0}), int64, boolean);
    const Operand divisor =
        binary_operand(Op::maximum, counts, constant_operand(std::int64_t{1}), int64, int64);
    const Operand results =
        averages ? binary_operand(Op::divide, folded, divisor, float64, float64) : folded;
    const auto of = [&]<typename R>(std::type_identity<R>) {
        return clone(Tensor<R>(choose_operand(any, results,
                                              constant_operand(std::numeric_limits<R>::quiet_NaN()),
                                              dtype)))
            .operand();
    };
    return dtype == float32 ? of(std::type_identity<float>{}) : of(std::type_identity<double>{});
}

} // namespace purview
