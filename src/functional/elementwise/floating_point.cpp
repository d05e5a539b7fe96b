#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/functional/elementwise/floating_point.hpp>

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <limits>

namespace purview::inline v0_1 {
namespace {

constexpr int kFractionBits = 52;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << kFractionBits) - 1;
constexpr std::uint64_t kGreatestExponent = 0x7ff;

} // namespace

std::int64_t significand_of(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = bits >> kFractionBits & kGreatestExponent;
    const std::uint64_t fraction = bits & kFraction;
    if (exponent == kGreatestExponent)
        throw ArithmeticError(fmt::format("get_significand: {} has none", x));
    return static_cast<std::int64_t>(exponent == 0 ? fraction << 1
                                                   : fraction | std::uint64_t{1} << kFractionBits);
}

Operand significand_operand(const Operand& x) {
    if (!x.dtype().is_builtin()) throw_dtype_unsupported("get_significand", x.dtype());
    return map_operands<std::int64_t, double>(FunctionName("get_significand"),
                                              [](double value) { return significand_of(value); },
                                              {cast_operand(x, float64, Op::cast)});
}

Operand finite_operand(const Operand& operand, const NanToNumOptions& options) {
    const Operand x = widened_operand(operand);
    return visit_dtype(x.dtype(), "nan_to_num", [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::floating_point<T>) {
            return x;
        } else {
            using Limits = std::numeric_limits<T>;
            const auto number = [](double value) {
                return constant_operand(static_cast<T>(value));
            };
            const auto instead_of = [&](T unwanted, const std::optional<double>& given, T usual,
                                        const Operand& otherwise) {
                const Operand found =
                    binary_operand(Op::equal, x, constant_operand(unwanted), kDType<T>, boolean);
                return choose_operand(found, number(given.value_or(static_cast<double>(usual))),
                                      otherwise, kDType<T>);
            };
            const Operand from_above =
                instead_of(Limits::infinity(), options.positive_infinity, Limits::max(), x);
            const Operand bounded = instead_of(-Limits::infinity(), options.negative_infinity,
                                               Limits::lowest(), from_above);
            const Operand is_nan = binary_operand(Op::not_equal, x, x, kDType<T>, boolean);
            return choose_operand(is_nan, number(options.nan), bounded, kDType<T>);
        }
    });
}

} // namespace purview
