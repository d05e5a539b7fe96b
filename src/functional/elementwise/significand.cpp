#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/emap.hpp>
#include <purview/functional/elementwise/significand.hpp>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <memory>

namespace purview {
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
    const auto function = [](double value) { return significand_of(value); };
    using Function = ElementFunction<decltype(function), std::int64_t, double>;
    std::array<Operand, 1> operands{cast_operand(x, float64, Op::cast)};
    return elementwise<1>(Op::map, int64, std::move(operands),
                          std::make_shared<const Function>(function));
}

} // namespace purview
