#pragma once

#include <purview/dimensions/axes.hpp>

#include <concepts>
#include <cstdint>

namespace purview::inline v0_1 {

// What may follow the tensor of a reduction: axes and dims, then options, `sum(x, {0, 1},
// keep_dims, skip_nan)`. Scans, windows, order statistics and correlations take the policies for
// NaN too: `cumsum(x, throw_nan)`. A reduction that is itself an argument carries its policy:
// `fixed_rolling_window(x, 9, mean(skip_nan))`. Only floats have NaN.

/// Option: reduced axes stay, with size 1: `sum(x, {1}, keep_dims)`. A reduced Dim goes, as without
/// it: `x / sum(x, j)` broadcasts by name.
struct KeepDims {};
inline constexpr KeepDims keep_dims;

/// Option: leaves NaN out: the result is that of the remaining elements.
struct SkipNan {};
inline constexpr SkipNan skip_nan;
/// The default: NaN propagates to the result.
struct KeepNan {};
inline constexpr KeepNan keep_nan;
/// Option: throws `ArithmeticError`, naming the function and the index of the first NaN, before
/// anything is computed.
struct ThrowNan {};
inline constexpr ThrowNan throw_nan;

template <typename A>
concept NanPolicy =
    std::same_as<A, SkipNan> || std::same_as<A, KeepNan> || std::same_as<A, ThrowNan>;

/// The policies as values.
enum class NanRule : std::uint8_t { keep, skip, refuse };
template <NanPolicy P>
inline constexpr NanRule kNanRule = std::same_as<P, SkipNan>    ? NanRule::skip
                                    : std::same_as<P, ThrowNan> ? NanRule::refuse
                                                                : NanRule::keep;
/// The policy among options; without one, another.
template <NanRule otherwise, typename... A>
inline constexpr NanRule kRuleAmong = (std::same_as<A, SkipNan> || ...)    ? NanRule::skip
                                      : (std::same_as<A, ThrowNan> || ...) ? NanRule::refuse
                                      : (std::same_as<A, KeepNan> || ...)  ? NanRule::keep
                                                                           : otherwise;

/// An option that may follow the axes.
template <typename A>
concept ReduceOption = std::same_as<A, KeepDims> || NanPolicy<A>;
template <typename A>
concept AxisOrOption = AxisLike<A> || ReduceOption<A>;

/// Whether axes are among the arguments after a tensor, or an option that is about axes; if not,
/// the result of a reduction is a number.
template <typename... A>
inline constexpr bool kNamesAxes = !(NanPolicy<A> && ...);

/// The arguments after the tensor of a reduction, as one value.
struct PURVIEW_EXPORT ChosenAxes {
    Axes axes;
    bool given = false; ///< whether axes were given; else the reduction is over everything
    bool keep = false;
    NanRule nan = NanRule::keep;

    template <AxisOrOption... A>
    static ChosenAxes of(const A&... options) {
        ChosenAxes chosen;
        (chosen.add(options), ...);
        return chosen;
    }
    template <ReduceOption... A>
    static ChosenAxes of(const Axes& axes, const A&... options) {
        ChosenAxes chosen;
        chosen.axes = axes;
        chosen.given = true;
        (chosen.add(options), ...);
        return chosen;
    }
    static ChosenAxes of(const ChosenAxes& chosen) { return chosen; }

    const Axes* axes_if_given() const { return given ? &axes : nullptr; }
    /// The axes as positions; all of a tensor of `rank` axes, if none are given. Throws `DimError`
    /// naming `what` for a Dim.
    Shape positional(const char* what, int rank) const;

    /// Adds an axis, a list of them, or an option.
    template <typename A>
    void add(const A& option) {
        if constexpr (std::same_as<A, KeepDims>) {
            keep = true;
        } else if constexpr (NanPolicy<A>) {
            nan = kNanRule<A>;
        } else {
            axes.add(option);
            given = true;
        }
    }
};

/// The arguments after a tensor that choose axes: none, axes, `keep_dims`, a NaN policy.
template <typename... A>
concept AxisArguments = requires(const A&... given) {
    ChosenAxes::of(given...);
};

} // namespace purview
