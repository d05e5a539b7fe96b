#pragma once

#include <purview/dtype/half.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/functional/along/along.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// How fast weights decrease, by exactly one of four numbers, as in pandas's `ewm`, and what they
/// are.
struct EwmaOptions {
    std::optional<double> alpha = std::nullopt; ///< the smoothing factor, 0 < alpha <= 1
    std::optional<double> span = std::nullopt;  ///< alpha = 2 / (span + 1), span >= 1
    std::optional<double> halflife =
        std::nullopt; ///< after so many elements a weight is halved, > 0
    std::optional<double> com =
        std::nullopt; ///< the centre of mass: alpha = 1 / (1 + com), com >= 0
    /// Whether sums are divided by the sum of weights, so that the first elements weigh no more than
    /// others; else y[0] = x[0], y[i] = (1 - alpha) y[i - 1] + alpha x[i].
    bool adjust = true;
    /// Whether a NaN leaves weights as they are, as if it were not there; else they decrease at it.
    bool ignore_na = false;
};

/// The averages of each part. Throws `Error` unless exactly one of the four numbers is given, and
/// for one out of its range, `DtypeError`.
PURVIEW_EXPORT Operand ewma_of(const AxisParts& parts, const EwmaOptions& options);

struct EwmaFunction : RefusedAlong {
    using RefusedAlong::operator();
    PURVIEW_REFUSED("ewma takes options: ewma(x, {.span = 20}), x | ewma({.alpha = 0.1})",
                    operator()(AnyArgument, AnyArgument) const);

    template <lanes X>
        requires kIsNumberOrVoid<Widened<ElementOrVoid<AsTensorArgument<std::remove_cvref_t<X>>>>>
    auto operator()(const X& given, const EwmaOptions& options, const ChosenAxis& axis = {}) const {
        const auto& x = tensor_for_call(given);
        using T = Widened<ElementOrVoid<std::remove_cvref_t<decltype(x)>>>;
        return along_axis<Averaged<T>>(
            "ewma", x, axis, [&](const AxisParts& parts) { return ewma_of(parts, options); },
            Segments());
    }
    auto operator()(const EwmaOptions& options, const ChosenAxis& axis = {}) const {
        return make_stage(*this, options, axis);
    }
};

/// `ewma(x, {.span = 20})`, `ewma(x, {.alpha = 0.1, .adjust = false}, axis)`, or a stage: the
/// exponentially weighted moving average along an axis or a Dim (by default the last axis), each
/// element and all before it, weighted by (1 - alpha)^distance: pandas's `x.ewm(span=20).mean()`.
/// A NaN, and, as in pandas, an infinity, repeats the average before it, and gives NaN while there is none. Memory of the shape of `x`,
/// under its dims; float32 for float32, else float64; computed in float64. Eager. O(size). Throws
/// `Error` as `ewma_of`, `IndexError`, `DimError`, `DtypeError`, `KindError` for a sparse tensor.
inline constexpr EwmaFunction ewma;

} // namespace purview
