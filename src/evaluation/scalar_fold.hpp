#pragma once

#include <purview/expression/reduce.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace purview::inline v0_1 {

/// A fold of elements of type `T`: how it starts, and how two partial results combine.
template <typename T, Reduction reduction>
struct ScalarFold {
    using Type = T;
    static constexpr bool kFloating = std::floating_point<T>;
    using Limits = std::numeric_limits<T>;

    static constexpr T identity() {
        switch (reduction) {
        case Reduction::sum: return T{};
        case Reduction::product: return T{1};
        case Reduction::minimum: return kFloating ? Limits::infinity() : Limits::max();
        case Reduction::maximum: return kFloating ? -Limits::infinity() : Limits::lowest();
        case Reduction::any_of: return static_cast<T>(false);
        case Reduction::all_of: return static_cast<T>(true);
        }
    }

    /// combine(start(), x) is x for every x, the negative zero included. The sum of no elements is
    /// `identity()`.
    static constexpr T start() {
        if constexpr (kFloating && reduction == Reduction::sum)
            return -T{};
        else
            return identity();
    }

    static T combine(T a, T b) {
        if constexpr (reduction == Reduction::minimum || reduction == Reduction::maximum) {
            // NaN in either operand gives NaN; of two equal operands, `a` is kept. Conditional
            // expressions, which compilers vectorise.
            const T chosen = (reduction == Reduction::minimum ? b < a : a < b) ? b : a;
            return b != b ? b : chosen;
        } else if constexpr (std::same_as<T, bool>) {
            return reduction == Reduction::any_of ? a || b : a && b;
        } else if constexpr (kFloating) {
            return reduction == Reduction::sum ? a + b : a * b;
        } else {
            const auto x = static_cast<std::uint64_t>(a);
            const auto y = static_cast<std::uint64_t>(b);
            return static_cast<T>(reduction == Reduction::sum ? x + y : x * y);
        }
    }
};

/// Calls `f(std::type_identity<Of<T, reduction>>{})`. For bools, any_of and maximum are any_of,
/// all other reductions all_of. For numbers, what is not a sum, product or minimum is a maximum;
/// `f` is not called for sums and products of types of less than 4 bytes.
template <typename T, template <typename, Reduction> typename Of = ScalarFold, typename F>
void visit_reduction(Reduction reduction, F&& f) {
    if constexpr (std::same_as<T, bool>) {
        const bool any = reduction == Reduction::any_of || reduction == Reduction::maximum;
        if (any)
            f(std::type_identity<Of<T, Reduction::any_of>>{});
        else
            f(std::type_identity<Of<T, Reduction::all_of>>{});
    } else {
        switch (reduction) {
        case Reduction::sum:
            if constexpr (sizeof(T) >= 4) f(std::type_identity<Of<T, Reduction::sum>>{});
            break;
        case Reduction::product:
            if constexpr (sizeof(T) >= 4) f(std::type_identity<Of<T, Reduction::product>>{});
            break;
        case Reduction::minimum: f(std::type_identity<Of<T, Reduction::minimum>>{}); break;
        default: f(std::type_identity<Of<T, Reduction::maximum>>{}); break;
        }
    }
}

} // namespace purview
