#include <purview/base/errors.hpp>
#include <purview/base/not_finite.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/elementwise/composed.hpp>
#include <purview/functional/elementwise/predicates.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/elementwise/float_signs.hpp"
#include "functional/elementwise/floor_division.hpp"
#include "functional/elementwise/integer_power.hpp"
#include "functional/elementwise/operations_in.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace purview::inline v0_1 {
namespace {

std::string_view name_of(ComposedOfTwo what) {
    switch (what) {
    case ComposedOfTwo::bit_and_not: return "bit_and_not";
    case ComposedOfTwo::bit_set: return "bit_set";
    case ComposedOfTwo::bit_clear: return "bit_clear";
    case ComposedOfTwo::bit_flip: return "bit_flip";
    case ComposedOfTwo::bit_test: return "bit_test";
    case ComposedOfTwo::unsigned_shift_right: return "unsigned_shift_right";
    case ComposedOfTwo::logaddexp: return "logaddexp";
    case ComposedOfTwo::copysign: return "copysign";
    case ComposedOfTwo::nextafter: return "nextafter";
    case ComposedOfTwo::floor_divide: return "floor_divide";
    case ComposedOfTwo::mod: return "mod";
    case ComposedOfTwo::integer_pow: return "integer_pow";
    }
    std::unreachable();
}

Operand both(Op op, const Operand& x, const Operand& y) {
    return binary_operand(op, x, y, boolean, boolean);
}

/// The quotient in the type's own precision.
double degrees_of_a_radian(DType dtype) {
    return dtype == float32 ? 180 / std::numbers::pi_v<float> : 180 / std::numbers::pi;
}
double radians_of_a_degree(DType dtype) {
    return dtype == float32 ? std::numbers::pi_v<float> / 180 : std::numbers::pi / 180;
}

Operand predicate_of_floats(Composed what, const Operand& x) {
    const OperationsIn of(x.dtype());
    switch (what) {
    case Composed::is_nan: return of.binary(Op::not_equal, x, x);
    case Composed::is_infinite:
        return of.binary(Op::equal, of.unary(Op::absolute, x), kInfiniteNumber<double>);
    case Composed::is_finite:
        return of.binary(Op::less, of.unary(Op::absolute, x), kInfiniteNumber<double>);
    case Composed::signbit: return sign_bits(x);
    case Composed::is_integral: // comparisons with NaN are false, and inf - inf is NaN
        return of.binary(Op::equal, of.binary(Op::subtract, x, of.unary(Op::trunc, x)), 0);
    default: break;
    }
    // x minus 2 trunc(x / 2): exact, because halving is exact except for denormals, whose halves
    // are rounded to denormals or zero.
    const Operand pairs = of.unary(Op::trunc, of.binary(Op::multiply, x, 0.5));
    const Operand rest = of.binary(Op::subtract, x, of.binary(Op::add, pairs, pairs));
    return what == Composed::is_even ? of.binary(Op::equal, rest, 0)
                                     : of.binary(Op::equal, of.unary(Op::absolute, rest), 1);
}

Operand composed_of_complex(Composed what, const Operand& z) {
    if (what == Composed::reciprocal)
        return complex_binary(Op::divide, OperationsIn(part_dtype(z.dtype())).number(1), z,
                              z.dtype());
    const bool is_of_both = what == Composed::is_finite || what == Composed::is_zero;
    return both(is_of_both ? Op::logical_and : Op::logical_or, composed_operand(what, real_part(z)),
                composed_operand(what, imaginary_part(z)));
}

Operand predicate_of_integers(Composed what, const Operand& x) {
    const OperationsIn of(x.dtype());
    switch (what) {
    case Composed::is_nan:
    case Composed::is_infinite: return constant_operand<bool>(false, x.dims.max_shape());
    case Composed::is_finite:
    case Composed::is_integral: return constant_operand<bool>(true, x.dims.max_shape());
    default: break;
    }
    if (what == Composed::signbit) return of.binary(Op::less, x, 0);
    const Operand lowest = of.binary(Op::bit_and, x, 1);
    return of.binary(Op::equal, lowest, what == Composed::is_odd ? 1 : 0);
}

Operand times(const Operand& x, double factor) {
    return OperationsIn(x.dtype()).binary(Op::multiply, x, factor);
}

/// The same in a traced function. Of equal numbers x is taken for the larger one, so that first and
/// second derivatives are right there too; infinite ones share the derivative, and it is 0 where both
/// are -∞.
Operand traced_log_of_sum(const Operand& x, const Operand& y, DType dtype) {
    const OperationsIn of(dtype);
    const Operand is_first = of.binary(Op::greater_equal, x, y);
    const Operand greatest = choose_operand(is_first, x, y, dtype);
    const Operand least = choose_operand(is_first, y, x, dtype);
    const Operand apart = of.binary(Op::subtract, least, greatest);
    const Operand sum = of.binary(Op::add, greatest, of.unary(Op::log1p, of.unary(Op::exp, apart)));
    // The difference of equal infinities is NaN.
    const Operand above = choose_operand(of.binary(Op::equal, least, kInfiniteNumber<double>),
                                         of.binary(Op::maximum, x, y), sum, dtype);
    return choose_operand(of.binary(Op::equal, greatest, -kInfiniteNumber<double>),
                          of.number(-kInfiniteNumber<double>), above, dtype);
}

/// The larger operand plus log1p(exp(-|x - y|)), which does not overflow.
Operand log_of_sum(const Operand& given_x, const Operand& given_y, DType dtype) {
    const OperationsIn of(dtype);
    // Cast once: each operation below would make casts of its own.
    const Operand x = cast_operand(given_x, dtype, Op::cast);
    const Operand y = cast_operand(given_y, dtype, Op::cast);
    if (x.node->reads(Below::symbol) || y.node->reads(Below::symbol))
        return traced_log_of_sum(x, y, dtype);
    const Operand below =
        of.unary(Op::negative, of.unary(Op::absolute, of.binary(Op::subtract, x, y)));
    // The difference of equal infinities is NaN.
    const Operand apart = choose_operand(of.binary(Op::equal, x, y), of.number(0), below, dtype);
    const Operand greatest = of.binary(Op::maximum, x, y);
    return of.binary(Op::add, greatest, of.unary(Op::log1p, of.unary(Op::exp, apart)));
}

Operand bit_of(const Operand& n, DType dtype) {
    return OperationsIn(dtype).binary(Op::shift_left, 1, n);
}

/// The type that functions of floats compute in. Casts scalars to it. Throws `DtypeError`.
DType computed_float(const char* what, WeakOperand& x, WeakOperand& y) {
    DType compute = computed_dtype(what, x, y);
    if (compute.is_builtin() && !compute.is_floating()) compute = float64;
    if (!compute.is_floating()) throw_dtype_unsupported(what, compute);
    return compute;
}

DType unsigned_of(DType dtype) {
    switch (dtype.id()) {
    case TypeId::int8: return uint8;
    case TypeId::int16: return uint16;
    case TypeId::int32: return uint32;
    case TypeId::int64: return uint64;
    default: return dtype;
    }
}

} // namespace

Operand composed_operand(Composed what, const Operand& operand) {
    if (is_complex(operand.dtype())) return composed_of_complex(what, operand);
    const Operand given = widened_operand(operand);
    const bool of_floats = is_of_floats(what) && !given.dtype().is_floating();
    const Operand x = of_floats ? cast_operand(given, float64, Op::cast) : given;
    const OperationsIn of(x.dtype());
    switch (what) {
    case Composed::reciprocal: return of.binary(Op::divide, 1, x);
    case Composed::to_degrees: return times(x, degrees_of_a_radian(x.dtype()));
    case Composed::to_radians: return times(x, radians_of_a_degree(x.dtype()));
    case Composed::logistic: {
        // 1 / (1 + e) or e / (1 + e) of e = exp(-|x|), which overflows nowhere, and of which the
        // derivatives cancel nowhere. |x| by a choice, as its derivative at 0 is part of them.
        const Operand is_positive = of.binary(Op::greater_equal, x, 0);
        const Operand e =
            of.unary(Op::exp, choose_operand(is_positive, of.unary(Op::negative, x), x, x.dtype()));
        return of.binary(Op::divide, choose_operand(is_positive, of.number(1), e, x.dtype()),
                         of.binary(Op::add, e, 1));
    }
    case Composed::relu:
        // In a traced function by a choice, so that the derivative at 0 is 0, and not shared.
        if (x.node->reads(Below::symbol))
            return choose_operand(of.binary(Op::less_equal, x, 0), of.number(0), x, x.dtype());
        return of.binary(Op::maximum, x, 0);
    case Composed::is_zero: return of.binary(Op::equal, x, 0);
    case Composed::is_pos: return of.binary(Op::greater, x, 0);
    case Composed::is_neg: return of.binary(Op::less, x, 0);
    default: break;
    }
    return x.dtype().is_floating() ? predicate_of_floats(what, x) : predicate_of_integers(what, x);
}

Operand composed_operand(ComposedOfTwo what, const Operand& x, const Operand& y, DType compute) {
    const OperationsIn of(compute);
    switch (what) {
    case ComposedOfTwo::bit_and_not: return of.binary(Op::bit_and, x, of.unary(Op::bit_not, y));
    case ComposedOfTwo::bit_set: return of.binary(Op::bit_or, x, bit_of(y, compute));
    case ComposedOfTwo::bit_clear:
        return of.binary(Op::bit_and, x, of.unary(Op::bit_not, bit_of(y, compute)));
    case ComposedOfTwo::bit_flip: return of.binary(Op::bit_xor, x, bit_of(y, compute));
    case ComposedOfTwo::bit_test:
        return of.binary(Op::not_equal, of.binary(Op::bit_and, x, bit_of(y, compute)), 0);
    case ComposedOfTwo::logaddexp: return log_of_sum(x, y, compute);
    case ComposedOfTwo::copysign: return with_signs(x, y, compute);
    case ComposedOfTwo::nextafter: return next_towards(x, y, compute);
    case ComposedOfTwo::floor_divide: return floor_quotient(x, y, compute);
    case ComposedOfTwo::mod: return floor_remainder(x, y, compute);
    case ComposedOfTwo::integer_pow: return integer_power(x, y, compute);
    case ComposedOfTwo::unsigned_shift_right: break;
    }
    const DType bits = unsigned_of(compute);
    const auto as_bits = [&](const Operand& operand) {
        return cast_operand(cast_operand(operand, compute, Op::cast), bits, Op::wrapping_cast);
    };
    return cast_operand(OperationsIn(bits).binary(Op::shift_right, as_bits(x), as_bits(y)), compute,
                        Op::wrapping_cast);
}

AnyTensor any_composed(Composed what, const Operand& given) {
    const Operand x = widened_operand(given);
    const bool has = x.dtype().is_integer() || x.dtype().is_floating() ||
                     (is_complex(x.dtype()) && is_of_complex(what));
    if (!has) throw_dtype_unsupported(traits_of(what).name, x.dtype());
    return AnyTensor(composed_operand(what, x));
}

AnyTensor any_composed(ComposedOfTwo what, WeakOperand x, WeakOperand y) {
    const char* const name = name_of(what).data();
    if (is_of_floats(what)) {
        const DType compute = computed_float(name, x, y);
        return AnyTensor(composed_operand(what, x.operand, y.operand, compute));
    }
    const DType compute = computed_dtype(name, x, y);
    const bool has = compute.is_integer() || (is_of_numbers(what) && compute.is_floating()) ||
                     (compute == boolean && what == ComposedOfTwo::bit_and_not);
    if (!has) throw_dtype_unsupported(name, compute);
    return AnyTensor(composed_operand(what, x.operand, y.operand, compute));
}

namespace {

bool is_wide_integer(DType dtype) { return dtype == int64 || dtype == uint64; }

/// |x - y| of integers as uint64, exact but for more than its greatest number, which is that number.
Operand integer_distance(const Operand& x, const Operand& y) {
    const OperationsIn of(uint64);
    const auto bits = [](const Operand& operand) {
        return cast_operand(operand, uint64, Op::wrapping_cast);
    };
    const auto span = [&](const Operand& a, const Operand& b, DType dtype) {
        const OperationsIn in(dtype);
        return of.binary(Op::subtract, bits(in.binary(Op::maximum, a, b)),
                         bits(in.binary(Op::minimum, a, b)));
    };
    if (x.dtype() == uint64 && y.dtype() == uint64) return span(x, y, uint64);
    const auto is_below_int64 = [](DType dtype) { return dtype != uint64; };
    if (is_below_int64(x.dtype()) && is_below_int64(y.dtype()))
        return span(cast_operand(x, int64, Op::cast), cast_operand(y, int64, Op::cast), int64);
    // What lies above 0 and what lies below.
    const bool first = x.dtype() == uint64;
    const Operand high = first ? x : y;
    const Operand other = cast_operand(first ? y : x, int64, Op::cast);
    const Operand above =
        span(high, bits(OperationsIn(int64).binary(Op::maximum, other, 0)), uint64);
    const Operand below = of.binary(Op::subtract, of.number(0),
                                    bits(OperationsIn(int64).binary(Op::minimum, other, 0)));
    return of.binary(Op::add, of.binary(Op::minimum, above, of.unary(Op::bit_not, below)), below);
}

bool is_whole(DType dtype) { return dtype.is_integer() || dtype == boolean; }

/// OperationsIn 64-bit integers, whose distance float64 would round.
Operand close_integers(const Operand& x, const Operand& y, const Tolerance& tolerance) {
    constexpr double kBeyond = 0x1p64;
    const Operand apart = integer_distance(x, y);
    const double most = std::floor(tolerance.absolute);
    Operand near;
    if (tolerance.relative != 0 || std::isnan(most)) {
        const OperationsIn of(float64);
        const Operand size = of.unary(Op::absolute, cast_operand(y, float64, Op::cast));
        near = of.binary(Op::less_equal, apart,
                         of.binary(Op::add, of.binary(Op::multiply, size, tolerance.relative),
                                   tolerance.absolute));
    } else {
        // Nothing is closer than 0, but equal numbers are close whatever is allowed.
        const std::uint64_t allowed = most >= kBeyond ? ~std::uint64_t{0}
                                      : most > 0      ? static_cast<std::uint64_t>(most)
                                                      : 0;
        near = OperationsIn(uint64).binary(Op::less_equal, apart, constant_operand(allowed));
    }
    return both(Op::logical_or, near, OperationsIn(uint64).binary(Op::equal, apart, 0));
}

} // namespace

Operand integer_differences(const Operand& x, const Operand& y) {
    const bool wide = is_wide_integer(x.dtype()) || is_wide_integer(y.dtype());
    const auto real = [](const Operand& each) { return cast_operand(each, float64, Op::cast); };
    return wide ? real(integer_distance(x, y))
                : OperationsIn(float64).binary(Op::subtract, real(x), real(y));
}

Operand any_differences(const Operand& x, const Operand& y) {
    if (is_whole(x.dtype()) && is_whole(y.dtype())) return integer_differences(x, y);
    const auto real = [](const Operand& each) {
        return cast_operand(widened_operand(each), float64, Op::cast);
    };
    return OperationsIn(float64).binary(Op::subtract, real(x), real(y));
}

Operand close_operand(const Operand& x, const Operand& y, DType compute,
                      const Tolerance& tolerance) {
    if (is_whole(x.dtype()) && is_whole(y.dtype()) &&
        (is_wide_integer(x.dtype()) || is_wide_integer(y.dtype())))
        return close_integers(x, y, tolerance);
    const OperationsIn of(compute);
    const Operand size = of.unary(Op::absolute, y);
    const Operand distance = of.unary(Op::absolute, of.binary(Op::subtract, x, y));
    const Operand allowed =
        of.binary(Op::add, of.binary(Op::multiply, size, tolerance.relative), tolerance.absolute);
    // Only the same infinity is close to an infinite y.
    const Operand near = both(Op::logical_and, of.binary(Op::less_equal, distance, allowed),
                              of.binary(Op::less, size, kInfiniteNumber<double>));
    const Operand close = both(Op::logical_or, near, of.binary(Op::equal, x, y));
    if (!tolerance.nan_equal) return close;
    return both(
        Op::logical_or, close,
        both(Op::logical_and, of.binary(Op::not_equal, x, x), of.binary(Op::not_equal, y, y)));
}

Operand close_complex(const Operand& x, const Operand& y, DType compute,
                      const Tolerance& tolerance) {
    const DType part = part_dtype(compute);
    const auto number = [&](double value) { return float_constant(part, value); };
    const auto both = [](Op op, const Operand& a, const Operand& b) {
        return binary_operand(op, a, b, boolean, boolean);
    };
    const Operand apart = complex_unary(Op::absolute, complex_binary(Op::subtract, x, y, compute));
    const Operand size = complex_unary(Op::absolute, convert_operand(y, compute, Op::cast));
    const Operand most = binary_operand(
        Op::add, binary_operand(Op::multiply, size, number(tolerance.relative), part, part),
        number(tolerance.absolute), part, part);
    const Operand is_near =
        both(Op::logical_and, binary_operand(Op::less_equal, apart, most, part, boolean),
             binary_operand(Op::less, size, number(std::numeric_limits<double>::infinity()), part,
                            boolean));
    Operand result = both(Op::logical_or, is_near, complex_binary(Op::equal, x, y, compute));
    if (!tolerance.nan_equal) return result;
    return both(Op::logical_or, result,
                both(Op::logical_and, complex_binary(Op::not_equal, x, x, compute),
                     complex_binary(Op::not_equal, y, y, compute)));
}

bool close_integers(std::int64_t x, std::int64_t y, bool x_is_wide, bool y_is_wide,
                    const Tolerance& tolerance) {
    const bool x_below = x < 0 && !x_is_wide;
    const bool y_below = y < 0 && !y_is_wide;
    const auto size_of = [](std::int64_t bits, bool below) {
        return below ? -static_cast<std::uint64_t>(bits) : static_cast<std::uint64_t>(bits);
    };
    const std::uint64_t size_x = size_of(x, x_below);
    const std::uint64_t size_y = size_of(y, y_below);
    const std::uint64_t apart = x_below != y_below ? size_x + std::min(size_y, ~size_x)
                                : size_x < size_y  ? size_y - size_x
                                                   : size_x - size_y;
    const double allowed = tolerance.absolute + tolerance.relative * static_cast<double>(size_y);
    return apart == 0 || allowed >= 0x1p64 ||
           (allowed >= 1 && apart <= static_cast<std::uint64_t>(allowed));
}

AnyTensor any_close(WeakOperand x, WeakOperand y, const Tolerance& tolerance) {
    if (is_complex(x.operand.dtype()) || is_complex(y.operand.dtype()))
        return AnyTensor(close_complex(x.operand, y.operand, computed_complex(x, y), tolerance));
    const DType compute = computed_float("close_to", x, y);
    return AnyTensor(close_operand(x.operand, y.operand, compute, tolerance));
}

} // namespace purview
