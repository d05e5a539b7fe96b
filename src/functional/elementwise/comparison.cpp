#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/elementwise/comparison.hpp>

#include "expression/comparisons.hpp"
#include "expression/constants.hpp"

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

bool is_one_constant(const Operand& x) { return x.dims.rank() == 0 && is_constant(x); }

/// Calls `f` with one of the integer types.
template <typename F>
auto visit_integer_dtype(DType dtype, F f) {
    return visit_dtype(dtype, "comparison", [&]<typename T>(std::type_identity<T> type) {
        if constexpr (std::integral<T> && !std::same_as<T, bool>)
            return f(type);
        else
            return throw_dtype_unsupported("comparison", kDType<T>),
                   f(std::type_identity<std::int64_t>{});
    });
}

/// What `x op number` is of every `x` of type `T`, where the number is no `T`: less than all of them,
/// or greater.
bool outcome(Op op, bool number_is_less) noexcept { return holds(op, number_is_less ? 1 : -1); }

/// `x op number`.
Operand compare_with_number(Op op, const Operand& x, const Operand& number) {
    std::uint64_t bits = 0;
    bool is_negative = false;
    visit_integer_dtype(number.dtype(), [&]<typename N>(std::type_identity<N>) {
        const N value = *static_cast<const N*>(static_cast<const Constant&>(*number.node).value());
        bits = static_cast<std::uint64_t>(value);
        is_negative = std::cmp_less(value, 0);
    });
    return visit_integer_dtype(x.dtype(), [&]<typename T>(std::type_identity<T>) {
        const bool fits = is_negative ? std::in_range<T>(static_cast<std::int64_t>(bits))
                                      : std::in_range<T>(bits);
        if (!fits) return constant_operand(outcome(op, is_negative), x.dims.max_shape());
        return binary_operand(op, x, constant_operand(static_cast<T>(bits)), kDType<T>, boolean);
    });
}

} // namespace

Operand compare_integers(Op op, const Operand& x, const Operand& y) {
    if (is_one_constant(y)) return compare_with_number(op, x, y);
    if (is_one_constant(x)) return compare_with_number(mirrored(op), y, x);
    const bool x_is_wide = x.dtype() == uint64 && y.dtype() != uint64;
    const bool y_is_wide = y.dtype() == uint64 && x.dtype() != uint64;
    const auto is_signed = [](DType t) {
        return t == int8 || t == int16 || t == int32 || t == int64;
    };
    if (y_is_wide && is_signed(x.dtype())) return compare_integers(mirrored(op), y, x);
    if (!x_is_wide || !is_signed(y.dtype())) {
        const DType common = promote(x.dtype(), y.dtype(), name_of(op).data());
        return binary_operand(op, x, y, common, boolean);
    }
    // What is negative is less than all elements of x; all else is one of uint64, too.
    const Operand zero = constant_operand(std::int64_t{0});
    Operand as_unsigned = cast_operand(y, uint64, Op::wrapping_cast);
    Operand compared = binary_operand(op, x, std::move(as_unsigned), uint64, boolean);
    const bool of_negative = outcome(op, true);
    Operand sign =
        binary_operand(of_negative ? Op::less : Op::greater_equal, y, zero, int64, boolean);
    return binary_operand(of_negative ? Op::logical_or : Op::logical_and, std::move(compared),
                          std::move(sign), boolean, boolean);
}

} // namespace purview
