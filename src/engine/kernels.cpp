#include "engine/kernels.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/visit.hpp>

#include <cmath>
#include <string>

namespace purview::engine {
namespace {

/// Arithmetic that wraps: unsigned, and at least as wide as `unsigned`, so that no promotion to a
/// signed type can overflow.
template <typename T>
using Wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <typename T>
T divide(T x, T y) {
    if constexpr (std::floating_point<T>) {
        return x / y;
    } else {
        if (y == 0) throw ArithmeticError("divide: integer division by zero");
        // The lowest integer divided by -1 wraps back to itself.
        if constexpr (std::is_signed_v<T>)
            if (y == -1) return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(x));
        return static_cast<T>(x / y);
    }
}

template <typename T>
T remainder(T x, T y) {
    if constexpr (std::floating_point<T>) {
        return std::fmod(x, y);
    } else {
        if (y == 0) throw ArithmeticError("remainder: integer division by zero");
        if constexpr (std::is_signed_v<T>)
            if (y == -1) return 0;
        return static_cast<T>(x % y);
    }
}

/// The smaller of two by `less`; NaN if either is.
template <typename T, typename Less>
T lesser(T x, T y, Less less) {
    if constexpr (std::floating_point<T>)
        if (std::isnan(x) || std::isnan(y)) return x + y;
    return less(y, x) ? y : x;
}

template <Op op, typename T>
T arithmetic(T x, T y) {
    if constexpr (std::same_as<T, bool>) {
        if constexpr (op == Op::add || op == Op::maximum) return x || y;
        if constexpr (op == Op::multiply || op == Op::minimum) return x && y;
    } else if constexpr (op == Op::divide) {
        return divide(x, y);
    } else if constexpr (op == Op::remainder) {
        return remainder(x, y);
    } else if constexpr (op == Op::minimum) {
        return lesser(x, y, [](T a, T b) { return a < b; });
    } else if constexpr (op == Op::maximum) {
        return lesser(x, y, [](T a, T b) { return a > b; });
    } else if constexpr (std::floating_point<T>) {
        if constexpr (op == Op::add) return x + y;
        if constexpr (op == Op::subtract) return x - y;
        if constexpr (op == Op::multiply) return x * y;
    } else {
        const auto a = static_cast<Wrapping<T>>(x);
        const auto b = static_cast<Wrapping<T>>(y);
        if constexpr (op == Op::add) return static_cast<T>(a + b);
        if constexpr (op == Op::subtract) return static_cast<T>(a - b);
        if constexpr (op == Op::multiply) return static_cast<T>(a * b);
    }
}

template <Op op, typename T>
bool compare(T x, T y) {
    if constexpr (op == Op::equal) return x == y;
    if constexpr (op == Op::not_equal) return x != y;
    if constexpr (op == Op::less) return x < y;
    if constexpr (op == Op::less_equal) return x <= y;
    if constexpr (op == Op::greater) return x > y;
    if constexpr (op == Op::greater_equal) return x >= y;
}

template <Op op, typename T>
T unary(T x) {
    if constexpr (op == Op::absolute) {
        if constexpr (std::floating_point<T>) return std::fabs(x);
        if constexpr (std::is_unsigned_v<T>) return x;
        return x < 0 ? unary<Op::negative>(x) : x;
    } else if constexpr (op == Op::square_root) {
        return std::sqrt(x);
    } else if constexpr (std::floating_point<T>) {
        return op == Op::negative ? -x : x * x;
    } else {
        const auto a = static_cast<Wrapping<T>>(x);
        return static_cast<T>(op == Op::negative ? Wrapping<T>{0} - a : a * a);
    }
}

template <typename Result, typename T, typename F>
void loop_unary(index_t count, void* out, const void* const* operands, F f) {
    auto* result = static_cast<Result*>(out);
    const auto* x = static_cast<const T*>(operands[0]);
    for (index_t i = 0; i < count; ++i) result[i] = f(x[i]);
}

template <typename Result, typename T, typename F>
void loop_binary(index_t count, void* out, const void* const* operands, F f) {
    auto* result = static_cast<Result*>(out);
    const auto* x = static_cast<const T*>(operands[0]);
    const auto* y = static_cast<const T*>(operands[1]);
    for (index_t i = 0; i < count; ++i) result[i] = f(x[i], y[i]);
}

template <Op op, typename T>
constexpr bool kHasArithmetic = !std::same_as<T, bool> || op == Op::add || op == Op::multiply ||
                                op == Op::minimum || op == Op::maximum;

template <Op op>
Kernel binary_kernel(DType operand) {
    return visit_dtype(
        operand, name_of(op).data(), [&]<typename T>(std::type_identity<T>) -> Kernel {
            if constexpr (!kHasArithmetic<op, T>)
                throw_dtype_unsupported(name_of(op).data(), operand);
            else
                return [](index_t, index_t count, void* out, const void* const* operands) {
                    loop_binary<T, T>(count, out, operands, arithmetic<op, T>);
                };
        });
}

template <Op op>
Kernel comparison_kernel(DType operand) {
    return visit_dtype(
        operand, name_of(op).data(), []<typename T>(std::type_identity<T>) -> Kernel {
            return [](index_t, index_t count, void* out, const void* const* operands) {
                loop_binary<bool, T>(count, out, operands, compare<op, T>);
            };
        });
}

template <Op op>
Kernel unary_kernel(DType operand) {
    return visit_dtype(
        operand, name_of(op).data(), [&]<typename T>(std::type_identity<T>) -> Kernel {
            if constexpr (std::same_as<T, bool> ||
                          (op == Op::square_root && !std::floating_point<T>))
                throw_dtype_unsupported(name_of(op).data(), operand);
            else
                return [](index_t, index_t count, void* out, const void* const* operands) {
                    loop_unary<T, T>(count, out, operands, unary<op, T>);
                };
        });
}

Kernel cast_kernel(DType from, DType to, bool checked) {
    return visit_dtype(from, "cast", [&]<typename From>(std::type_identity<From>) {
        return visit_dtype(to, "cast", [&]<typename To>(std::type_identity<To>) -> Kernel {
            if (checked)
                return [](index_t begin, index_t count, void* out, const void* const* operands) {
                    const auto* x = static_cast<const From*>(operands[0]);
                    for (index_t i = 0; i < count; ++i)
                        static_cast<To*>(out)[i] = checked_cast<To>(x[i], begin + i);
                };
            return [](index_t, index_t count, void* out, const void* const* operands) {
                loop_unary<To, From>(count, out, operands, wrapping_cast<To, From>);
            };
        });
    });
}

void logical_not(index_t, index_t count, void* out, const void* const* operands) {
    loop_unary<bool, bool>(count, out, operands, [](bool x) { return !x; });
}

void logical_and(index_t, index_t count, void* out, const void* const* operands) {
    loop_binary<bool, bool>(count, out, operands, [](bool x, bool y) { return x && y; });
}

void logical_or(index_t, index_t count, void* out, const void* const* operands) {
    loop_binary<bool, bool>(count, out, operands, [](bool x, bool y) { return x || y; });
}

Kernel choose_kernel(DType result) {
    return visit_dtype(result, "where", []<typename T>(std::type_identity<T>) -> Kernel {
        return [](index_t, index_t count, void* out, const void* const* operands) {
            const auto* condition = static_cast<const bool*>(operands[0]);
            const auto* x = static_cast<const T*>(operands[1]);
            const auto* y = static_cast<const T*>(operands[2]);
            for (index_t i = 0; i < count; ++i)
                static_cast<T*>(out)[i] = condition[i] ? x[i] : y[i];
        };
    });
}

} // namespace

Kernel kernel_for(Op op, DType operand, DType result) {
    switch (op) {
    case Op::cast: return cast_kernel(operand, result, true);
    case Op::wrapping_cast: return cast_kernel(operand, result, false);
    case Op::negative: return unary_kernel<Op::negative>(operand);
    case Op::absolute: return unary_kernel<Op::absolute>(operand);
    case Op::square_root: return unary_kernel<Op::square_root>(operand);
    case Op::square: return unary_kernel<Op::square>(operand);
    case Op::logical_not: return logical_not;
    case Op::add: return binary_kernel<Op::add>(operand);
    case Op::subtract: return binary_kernel<Op::subtract>(operand);
    case Op::multiply: return binary_kernel<Op::multiply>(operand);
    case Op::divide: return binary_kernel<Op::divide>(operand);
    case Op::remainder: return binary_kernel<Op::remainder>(operand);
    case Op::minimum: return binary_kernel<Op::minimum>(operand);
    case Op::maximum: return binary_kernel<Op::maximum>(operand);
    case Op::equal: return comparison_kernel<Op::equal>(operand);
    case Op::not_equal: return comparison_kernel<Op::not_equal>(operand);
    case Op::less: return comparison_kernel<Op::less>(operand);
    case Op::less_equal: return comparison_kernel<Op::less_equal>(operand);
    case Op::greater: return comparison_kernel<Op::greater>(operand);
    case Op::greater_equal: return comparison_kernel<Op::greater_equal>(operand);
    case Op::logical_and: return logical_and;
    case Op::logical_or: return logical_or;
    case Op::choose: return choose_kernel(result);
    case Op::map: break;
    }
    throw_dtype_unsupported(name_of(op).data(), operand);
}

} // namespace purview::engine
