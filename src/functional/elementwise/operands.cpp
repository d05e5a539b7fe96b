#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/elementwise/where.hpp>

#include "expression/comparisons.hpp"

#include <fmt/format.h>

#include <complex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The value of a scalar that has become a constant.
template <typename T>
T value_of(const Operand& scalar) {
    return *static_cast<const T*>(static_cast<const Constant&>(*scalar.node).value());
}

/// The type of an operation between a tensor and a scalar. Casts the scalar to it.
DType adapt_scalar(const char* what, DType tensor, Operand& scalar) {
    return visit_dtype(tensor, what, [&]<typename T>(std::type_identity<T>) {
        return visit_dtype(scalar.dtype(), what, [&]<typename S>(std::type_identity<S>) {
            using C = WeaklyPromoted<T, S>;
            scalar = constant_operand<C>(checked_cast<C>(value_of<S>(scalar)));
            return kDType<C>;
        });
    });
}

} // namespace

Operand widened_operand(Operand x) {
    return is_float16(x.dtype()) ? cast_operand(std::move(x), float32, Op::cast) : x;
}

DType computed_dtype(const char* what, WeakOperand& x, WeakOperand& y) {
    if (is_complex(x.operand.dtype()) || is_complex(y.operand.dtype()))
        return computed_complex(x, y);
    for (WeakOperand* const each : {&x, &y})
        each->operand = widened_operand(std::move(each->operand));
    if (x.weak && !y.weak) return adapt_scalar(what, y.operand.dtype(), x.operand);
    if (y.weak && !x.weak) return adapt_scalar(what, x.operand.dtype(), y.operand);
    return promote(x.operand.dtype(), y.operand.dtype(), what);
}

bool supports(Op op, DType dtype) noexcept {
    switch (traits_of(op).operands) {
    case OperandTypes::built_in: return dtype.is_builtin();
    case OperandTypes::bools: return dtype == boolean;
    case OperandTypes::integers: return dtype.is_integer();
    case OperandTypes::integers_and_bools: return dtype == boolean || dtype.is_integer();
    case OperandTypes::numbers:
    case OperandTypes::floats: return dtype.is_builtin() && dtype != boolean;
    }
    std::unreachable();
}

namespace {

/// The type to which operands of type `dtype` are converted for `op`.
DType computed_in(Op op, DType dtype) {
    const bool of_integers = is_of_floats(op) && dtype.is_builtin() && !dtype.is_floating();
    return of_integers ? float64 : dtype;
}

} // namespace

DType computed_complex(const WeakOperand& x, const WeakOperand& y) {
    const auto part_of = [](DType dtype) -> std::optional<DType> {
        if (is_complex(dtype)) return part_dtype(dtype);
        if (dtype.is_floating()) return dtype;
        return {};
    };
    const std::optional<DType> a = part_of(x.operand.dtype());
    const std::optional<DType> b = part_of(y.operand.dtype());
    if (!b || (a && !x.weak && y.weak)) return complex_dtype(*a);
    if (!a || (!y.weak && x.weak) || *b == float64) return complex_dtype(*b);
    return complex_dtype(*a);
}

namespace {

template <typename X, typename Y>
AnyTensor compared(Op op, const X& x, const Y& y) {
    return visit_comparison(op, [&](auto each) { return AnyTensor(apply_binary<each()>(x, y)); });
}

/// A text beside strings is a string, too.
void make_string(WeakOperand& text) {
    if (text.weak && text.operand.dtype() == kDType<std::string_view>)
        text.operand = constant_operand(std::string(value_of<std::string_view>(text.operand)));
}

AnyTensor compare_strings(Op op, const WeakOperand& x, const WeakOperand& y) {
    const Tensor<std::string> a(x.operand);
    const Tensor<std::string> b(y.operand);
    if (x.weak) return compared(op, value_of<std::string>(x.operand), b);
    if (y.weak) return compared(op, a, value_of<std::string>(y.operand));
    return compared(op, a, b);
}

} // namespace

namespace {

/// The lesser or the greater of strings, or of times as their counts, of which NaT is to win.
AnyTensor other_extremes(Op op, const Operand& x, const Operand& y) {
    const DType dtype = x.dtype();
    if (dtype == kDType<std::string>) {
        const Tensor<std::string> a(x);
        const Tensor<std::string> b(y);
        return op == Op::minimum ? AnyTensor(minimum(a, b)) : AnyTensor(maximum(a, b));
    }
    if (dtype.counted_in() == dtype) throw_dtype_unsupported(name_of(op).data(), dtype);
    const DType counted = dtype.counted_in();
    const Operand p = times_as_counts(x);
    const Operand q = times_as_counts(y);
    const Operand result =
        op == Op::minimum
            ? binary_operand(op, p, q, counted, counted)
            : nat_lowest(binary_operand(op, nat_greatest(p), nat_greatest(q), counted, counted));
    return counts_as_times(AnyTensor(result), dtype);
}

} // namespace

namespace {

/// Whether one of the counts may be the lowest of its type, NaT: in constants it is seen.
bool may_be_nat(const Operand& counts) {
    return visit_dtype(counts.dtype(), "comparison", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_integral_v<C> && std::is_signed_v<C>)
            return counts.node->kind() != NodeKind::constant || is_nat_count(value_of<C>(counts));
        else
            return false;
    });
}

/// Times of one type, compared as their counts. NaT, the lowest count of a signed integer, is less than no time and equals none:
/// of two counts one alone may have passed for the lesser, or for as large. (NaN is right as a number.)
AnyTensor compare_times(Op op, const Operand& x, const Operand& y) {
    const DType counted = x.dtype().counted_in();
    const Operand p = tick_counts(x);
    const Operand q = tick_counts(y);
    Operand result = counted.is_integer() ? compare_integers(op, p, q)
                                          : binary_operand(op, p, q, counted, boolean);
    const bool of_second = op == Op::greater || op == Op::greater_equal;
    if (!may_be_nat(of_second ? q : p)) return AnyTensor(std::move(result));
    const Operand nat = nat_mask(of_second ? y : x);
    if (op == Op::not_equal)
        return AnyTensor(binary_operand(Op::logical_or, std::move(result), nat, boolean, boolean));
    return AnyTensor(binary_operand(Op::logical_and, std::move(result),
                                    unary_operand(Op::logical_not, nat, boolean), boolean,
                                    boolean));
}

} // namespace

AnyTensor any_binary(Op op, WeakOperand x, WeakOperand y) {
    const char* const what = name_of(op).data();
    for (WeakOperand* const each : {&x, &y})
        each->operand = widened_operand(std::move(each->operand));
    make_string(x);
    make_string(y);
    if (is_complex(x.operand.dtype()) || is_complex(y.operand.dtype()))
        return AnyTensor(complex_binary(op, x.operand, y.operand, computed_complex(x, y)));
    const DType dtype = x.operand.dtype();
    if (is_comparison(op) && dtype == y.operand.dtype() && !dtype.is_builtin()) {
        if (dtype == kDType<std::string>) return compare_strings(op, x, y);
        if (dtype.counted_in() != dtype) return compare_times(op, x.operand, y.operand);
    }
    if ((op == Op::minimum || op == Op::maximum) && dtype == y.operand.dtype() &&
        !dtype.is_builtin())
        return other_extremes(op, x.operand, y.operand);
    if (is_comparison(op) && x.operand.dtype().is_integer() && y.operand.dtype().is_integer())
        return AnyTensor(compare_integers(op, x.operand, y.operand));
    const DType compute = computed_in(op, computed_dtype(what, x, y));
    if (!supports(op, compute)) throw_dtype_unsupported(what, compute);
    const DType result = is_comparison(op) ? boolean : compute;
    return AnyTensor(
        binary_operand(op, std::move(x.operand), std::move(y.operand), compute, result));
}

AnyTensor any_unary(Op op, const Operand& given) {
    const Operand x = widened_operand(given);
    if (is_complex(x.dtype())) return AnyTensor(complex_unary(op, x));
    const DType compute = computed_in(op, x.dtype());
    if (!supports(op, compute)) throw_dtype_unsupported(name_of(op).data(), compute);
    return AnyTensor(unary_operand(op, x, compute));
}

namespace {

/// A choice between elements of a type that is not built-in.
template <typename T>
AnyTensor chosen_elements(const Operand& condition, const Operand& x, const Operand& y) {
    return AnyTensor(where(Tensor<bool>(condition), Tensor<T>(x), Tensor<T>(y)));
}

} // namespace

// In one pass: one for each part takes up to 2.5 times as long.
Operand choose_complex(const Operand& condition, const Operand& x, const Operand& y,
                       DType complex) {
    for (const Operand* const each : {&x, &y})
        if (!is_complex(each->dtype()) && !each->dtype().is_builtin() && !is_float16(each->dtype()))
            throw_dtype_unsupported("where", each->dtype());
    if (condition.node->reads(Below::symbol) || x.node->reads(Below::symbol) ||
        y.node->reads(Below::symbol)) { // of parts, which have derivatives
        const DType part = part_dtype(complex);
        const Operand a = convert_operand(x, complex, Op::cast),
                      b = convert_operand(y, complex, Op::cast);
        return complex_from_parts(
            choose_operand(condition, real_part(a), real_part(b), part),
            choose_operand(condition, imaginary_part(a), imaginary_part(b), part));
    }
    const auto of = [&]<typename C>(std::type_identity<C>) {
        return map_operands<C, bool, C, C>(FunctionName("where"),
                                           [](bool c, const C& a, const C& b) { return c ? a : b; },
                                           {condition, convert_operand(x, complex, Op::cast),
                                            convert_operand(y, complex, Op::cast)});
    };
    return part_dtype(complex) == float32 ? of(std::type_identity<std::complex<float>>())
                                          : of(std::type_identity<std::complex<double>>());
}

AnyTensor any_where(const Operand& condition, WeakOperand x, WeakOperand y) {
    if (condition.dtype() != boolean) throw_dtype_mismatch("where", boolean, condition.dtype());
    make_string(x);
    make_string(y);
    const DType given = x.operand.dtype();
    if (given == y.operand.dtype() && given == kDType<std::string>)
        return chosen_elements<std::string>(condition, x.operand, y.operand);
    if (given == y.operand.dtype() && given.counted_in() != given)
        return counts_as_times(
            AnyTensor(choose_operand(condition, times_as_counts(x.operand),
                                     times_as_counts(y.operand), given.counted_in())),
            given);
    const DType result = computed_dtype("where", x, y);
    if (is_complex(result))
        return AnyTensor(choose_complex(condition, x.operand, y.operand, result));
    if (!result.is_builtin()) throw_dtype_unsupported("where", result);
    return AnyTensor(choose_operand(condition, std::move(x.operand), std::move(y.operand), result));
}

} // namespace purview
