#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>
#include <purview/reader/buffer.hpp>

#include "functional/reductions/float_results.hpp"
#include "functional/reductions/group_scales.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

/// Memory of numbers of a floating type.
template <typename T>
Operand memory_of_numbers(std::span<const double> numbers) {
    const auto count = std::ssize(numbers);
    BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(count);
    std::ranges::transform(numbers, static_cast<T*>(buffer->writable_memory().data),
                           [](double number) { return static_cast<T>(number); });
    return operand_over(std::move(buffer), Dimensions::row_major(ShapeSpan(&count, 1)));
}

} // namespace

std::vector<double> extreme_magnitudes(const Operand& x, index_t groups, Reduction reduction) {
    const DType dtype = x.dtype();
    const Operand sizes = unary_operand(Op::absolute, x, dtype);
    std::vector<double> found(static_cast<std::size_t>(groups));
    std::vector<float> narrow(dtype == float32 ? found.size() : 0);
    if (narrow.empty())
        reduce_groups(reduction, sizes, groups, found.data());
    else
        reduce_groups(reduction, sizes, groups, narrow.data());
    std::ranges::copy(narrow, found.begin());
    return found;
}

namespace {

/// The exponents of the squares that stay within the range of a type, and those of their rounding
/// errors.
int most_ordinary_exponent(DType dtype) { return dtype == float32 ? 30 : 150; }

/// Whether the magnitude of any element is in a range.
bool any_within(const Operand& x, Op above, double from, Op below, double to) {
    if (x.dims.size() == 0) return false;
    const DType dtype = x.dtype();
    const Operand sizes = unary_operand(Op::absolute, x, dtype);
    const auto compared = [&](Op op, double bound) {
        return binary_operand(op, sizes, float_constant(dtype, bound), dtype, boolean);
    };
    bool found = false;
    reduce_groups(Reduction::any_of,
                  binary_operand(Op::logical_and, compared(above, from), compared(below, to),
                                 boolean, boolean),
                  1, &found);
    return found;
}

} // namespace

bool has_large(const Operand& x) {
    return any_within(x, Op::greater_equal, std::ldexp(1., most_ordinary_exponent(x.dtype())),
                      Op::less, std::numeric_limits<double>::infinity());
}

bool has_small(const Operand& x) {
    return any_within(x, Op::greater, 0., Op::less_equal,
                      std::ldexp(1., -most_ordinary_exponent(x.dtype())));
}

bool has_extraordinary(const Operand& x, double p) {
    const double most = x.dtype() == float32 ? 90 : 900;
    const double bound = std::ldexp(1., static_cast<int>(std::min(most, most / std::abs(p))));
    return any_within(x, Op::greater_equal, bound, Op::less,
                      std::numeric_limits<double>::infinity()) ||
           any_within(x, Op::greater, 0., Op::less_equal, 1 / bound);
}

Operand divide_by_sizes_of_sparse(ReducedView& view, Reduction reduction) {
    const DType dtype = view.operand.dtype();
    ReducedView magnitudes = view;
    magnitudes.operand = unary_operand(Op::absolute, view.operand, dtype);
    const Operand sizes =
        elements_of_pairs(fold_reduction(reduction).run_sparse(std::move(magnitudes)));
    const auto compared = [&](Op op, double bound) {
        return binary_operand(op, sizes, float_constant(dtype, bound), dtype, boolean);
    };
    const Operand ordinary = binary_operand(
        Op::logical_and, compared(Op::greater, 0.),
        compared(Op::less, std::numeric_limits<double>::infinity()), boolean, boolean);
    const Operand chosen = choose_operand(ordinary, sizes, float_constant(dtype, 1.), dtype);
    Operand divisors = elements_of_pairs(realise_sparse(chosen, "magnitude"));
    view.operand = binary_operand(
        Op::divide, view.operand,
        {divisors.node, dimensions::repeated_groups(view.operand.dims.max_shape(), view.groups)},
        dtype, dtype);
    return divisors;
}

Operand with_numbers_of_groups(Op op, const Operand& x, std::span<const double> numbers) {
    const DType dtype = x.dtype();
    const Operand held = brought_to(x, dtype == float32 ? memory_of_numbers<float>(numbers)
                                                        : memory_of_numbers<double>(numbers));
    const Operand repeated{held.node,
                           dimensions::repeated_groups(x.dims.max_shape(), std::ssize(numbers))};
    return binary_operand(op, x, repeated, dtype, dtype);
}

GroupScales::GroupScales(const Operand& x, const std::vector<bool>& lost) {
    if (x.dims.size() == 0 || std::ranges::find(lost, true) == lost.end()) return;
    // Squares of elements of ordinary size, and of their rounding, stay within the range: a sum of
    // 0 is right then. The inverse of every power up to the greatest is a normal number.
    const bool narrow = x.dtype() == float32;
    const int ordinary = most_ordinary_exponent(x.dtype());
    const int most = narrow ? 125 : 1021;
    const std::vector<double> sizes = extreme_magnitudes(x, std::ssize(lost), Reduction::maximum);
    std::vector<int> exponents(lost.size());
    bool any = false;
    for (std::size_t g = 0; g < lost.size(); ++g) {
        if (!lost[g] || !(sizes[g] > 0) || !std::isfinite(sizes[g])) continue;
        const int exponent = std::ilogb(sizes[g]);
        if (std::abs(exponent) < ordinary) continue;
        exponents[g] = std::clamp(exponent, -most, most);
        any = true;
    }
    if (any) exponents_ = std::move(exponents);
}

Operand GroupScales::scaled(const Operand& x) const {
    std::vector<double> factors;
    for (const int exponent : exponents_) factors.push_back(std::ldexp(1., -exponent));
    return with_numbers_of_groups(Op::multiply, x, factors);
}

} // namespace purview
