#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
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
    const bool of_others = is_of_floats(op) && dtype.is_builtin() && !dtype.is_floating();
    return of_others ? float64 : dtype;
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
    switch (op) {
    case Op::equal: return AnyTensor(x == y);
    case Op::not_equal: return AnyTensor(x != y);
    case Op::less: return AnyTensor(x < y);
    case Op::less_equal: return AnyTensor(x <= y);
    case Op::greater: return AnyTensor(x > y);
    default: return AnyTensor(x >= y);
    }
}

AnyTensor compare_strings(Op op, const WeakOperand& x, const WeakOperand& y) {
    const Tensor<std::string> a(x.operand);
    const Tensor<std::string> b(y.operand);
    if (x.weak) return compared(op, value_of<std::string>(x.operand), b);
    if (y.weak) return compared(op, a, value_of<std::string>(y.operand));
    return compared(op, a, b);
}

} // namespace

AnyTensor any_binary(Op op, WeakOperand x, WeakOperand y) {
    const char* const what = name_of(op).data();
    for (WeakOperand* const each : {&x, &y})
        each->operand = widened_operand(std::move(each->operand));
    for (WeakOperand* const text : {&x, &y})
        if (text->weak && text->operand.dtype() == kDType<std::string_view>)
            text->operand =
                constant_operand(std::string(value_of<std::string_view>(text->operand)));
    if (is_complex(x.operand.dtype()) || is_complex(y.operand.dtype()))
        return AnyTensor(complex_binary(op, x.operand, y.operand, computed_complex(x, y)));
    const DType dtype = x.operand.dtype();
    if (is_comparison(op) && dtype == y.operand.dtype() && !dtype.is_builtin()) {
        if (dtype == kDType<std::string>) return compare_strings(op, x, y);
        x = {times_as_counts(x.operand)};
        y = {times_as_counts(y.operand)};
    }
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

AnyTensor any_where(const Operand& condition, WeakOperand x, WeakOperand y) {
    if (condition.dtype() != boolean) throw_dtype_mismatch("where", boolean, condition.dtype());
    const DType result = computed_dtype("where", x, y);
    if (!result.is_builtin()) throw_dtype_unsupported("where", result);
    return AnyTensor(choose_operand(condition, std::move(x.operand), std::move(y.operand), result));
}

} // namespace purview
