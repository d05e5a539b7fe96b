#include <purview/base/errors.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/element_function.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/not_a_time.hpp>
#include <purview/functional/elementwise/time_ticks.hpp>

#include "functional/elementwise/time_counts.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <sstream>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::int64_t kNat = kNatCount<std::int64_t>;

std::optional<std::int64_t> known_count(const Operand& counts) {
    if (counts.node->kind() != NodeKind::constant || counts.dtype() != int64) return std::nullopt;
    return load_element<std::int64_t>(static_cast<const Constant&>(*counts.node).value());
}
Operand constant_like(const Operand& x, std::int64_t value) {
    return {make_node<ConstantOf<std::int64_t>>(value), x.dims};
}

Operand equals(const Operand& counts, const Operand& value) {
    return binary_operand(Op::equal, counts, value, counts.dtype(), boolean);
}

[[noreturn]] void throw_too_far(std::int64_t count, std::int64_t factor, DType times,
                                std::optional<DType> to) {
    std::ostringstream time;
    const auto print = times.descriptor().print;
    if (print != nullptr && times.counted_in() == int64)
        print(time, &count);
    else
        time << "a count of " << count;
    throw CastError(
        to ? fmt::format("{} does not fit {}", time.str(), to->name())
           : fmt::format("{} does not fit int64 in a unit {} times finer", time.str(), factor));
}

Operand shifted(Op op, const Operand& counts) {
    return visit_dtype(counts.dtype(), "times", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_integral_v<C> && std::is_signed_v<C>)
            return binary_operand(op, counts, constant_operand<C>(1), counts.dtype(),
                                  counts.dtype());
        else
            return counts;
    });
}

} // namespace

Operand nat_greatest(const Operand& counts) { return shifted(Op::subtract, counts); }
Operand nat_lowest(const Operand& counts) { return shifted(Op::add, counts); }

void throw_nat_as_number() {
    throw CastError("times: the number that an operation on NaT gives has no value that says so: "
                    "where(is_nat(t), another, t) first");
}

Operand nat_mask(const Operand& times) {
    const DType counted = times.dtype().counted_in();
    if (counted == times.dtype()) throw_dtype_unsupported("is_nat", times.dtype());
    const Operand counts = tick_counts(times);
    return visit_dtype(counted, "is_nat", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_floating_point_v<C>)
            return binary_operand(Op::not_equal, counts, counts, counted, boolean);
        else
            return binary_operand(std::is_signed_v<C> ? Op::equal : Op::less, counts,
                                  constant_operand<C>(kNatCount<C>), counted, boolean);
    });
}

Operand keeping_nat(const Operand& counts, Operand result) {
    return choose_operand(equals(counts, constant_operand(kNat)), constant_operand(kNat),
                          std::move(result), int64);
}

Operand combined_counts(Op op, const Operand& x, const Operand& y) {
    Operand result = binary_operand(op, x, y, int64, int64);
    const auto first = known_count(x);
    const auto second = known_count(y);
    // NaT is the lowest count: the lesser of two is NaT where one of them is.
    Operand nat = second && *second != kNat ? x
                  : first && *first != kNat ? y
                                            : binary_operand(Op::minimum, x, y, int64, int64);
    return keeping_nat(nat, std::move(result));
}

Operand integer_counts(const Operand& times) {
    const Operand counts = tick_counts(times);
    Operand cast = cast_operand(counts, int64, Op::cast);
    return visit_dtype(counts.dtype(), "ticks", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_signed_v<C> && std::is_integral_v<C> && sizeof(C) < 8)
            return choose_operand(equals(counts, constant_operand<C>(kNatCount<C>)),
                                  constant_operand(kNat), std::move(cast), int64);
        else
            return std::move(cast);
    });
}

Operand counts_cast_back(const Operand& counts, DType counted, Op by) {
    return visit_dtype(counted, "times", [&]<typename C>(std::type_identity<C>) {
        if constexpr (std::is_signed_v<C> && std::is_integral_v<C> && sizeof(C) < 8) {
            if (counts.dtype() != int64) return cast_operand(counts, counted, by);
            const Operand nat = equals(counts, constant_operand(kNat));
            const Operand others =
                choose_operand(nat, constant_operand(std::int64_t{0}), counts, int64);
            return choose_operand(nat, constant_operand<C>(kNatCount<C>),
                                  cast_operand(others, counted, by), counted);
        } else {
            return cast_operand(counts, counted, by);
        }
    });
}

Operand times_of(const Operand& counts, DType dtype) {
    return counts_as_times(
               AnyTensor(counts_cast_back(counts, dtype.counted_in(), Op::wrapping_cast)), dtype)
        .operand();
}

Operand scaled_counts(const Operand& times, std::int64_t factor, std::optional<DType> to) {
    const Operand counts = integer_counts(times);
    if (factor == 1) return counts;
    // NaT stays, and what int64 does not hold is refused.
    const auto scaled = [factor, from = times.dtype(), to](std::int64_t count) {
        std::int64_t result = 0;
        if (count == kNat) return kNat;
        if (__builtin_mul_overflow(count, factor, &result) || result == kNat)
            throw_too_far(count, factor, from, to);
        return result;
    };
    if (const auto count = known_count(counts)) return constant_like(counts, scaled(*count));
    return map_operands<std::int64_t, std::int64_t>(FunctionName("scaled_ticks", factor), scaled,
                                                    {counts});
}

} // namespace purview
