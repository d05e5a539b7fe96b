#include "engine/compile/rows_in_place.hpp"

#include "engine/machine_code/machine_code.hpp"

#include <algorithm>
#include <ranges>

namespace purview::inline v0_1::engine {
namespace {

bool is_translated(Op op, DType dtype, const KernelTable& kernels) {
    using enum Op; // `divide`: of floats
    if (dtype.is_integer() && dtype.size_bytes() == 8 && !has_all_of_long_integers(kernels) &&
        one_of(op, {multiply, minimum, maximum, square}))
        return false;
    return one_of(op, {add, subtract, multiply, divide, minimum, maximum, negative, absolute,
                       square, square_root});
}

} // namespace

bool are_short_rows_in_place(const Plan& plan, const Values& values,
                             std::span<const ValueId> order) {
    const index_t bytes = plan.dtype.size_bytes();
    if (plan.row < kShortestRowInPlace || (bytes != 4 && bytes != 8) || plan.divides_integers ||
        plan.space.operands[0].strides.back() != 1 || !goes_from_row_to_row(plan.kernels))
        return false;
    std::size_t operand = 0;
    return std::ranges::all_of(order, [&](ValueId id) {
        const Value& value = values[id];
        if (value.node->dtype() != plan.dtype) return false;
        if (value.operation() != nullptr)
            return is_translated(value.operation()->op(), plan.dtype, plan.kernels);
        if (value.leaf() == nullptr) return value.constant() != nullptr;
        if (!value.is_strided_memory() || value.leaf()->memory().stride_bytes != bytes)
            return false;
        const index_t stride = plan.space.operands[++operand].strides.back();
        return stride == 1 || stride == 0;
    });
}

bool has_rows_in_place(const Plan& plan) {
    if (!plan.by_rows || plan.space.rank() < 2 || plan.panel_rows > 0 || plan.steps.size() != 1 ||
        !plan.blocks.empty() || !std::holds_alternative<TileStep>(plan.steps[0]))
        return false;
    return std::ranges::all_of(plan.arrays | std::views::drop(1), [](const Array& array) {
        return !array.scratch && (array.way == LoadWay::direct || array.way == LoadWay::repeated);
    });
}

} // namespace purview::engine
