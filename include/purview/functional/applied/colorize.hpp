#pragma once

#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <optional>

namespace purview {

/// How values are mapped to colours of a gradient.
struct ColorRange {
    std::optional<double> low =
        {}; ///< gets the first colour, as everything below it; by default the least finite value
    std::optional<double> high =
        {};                ///< gets the last colour, as everything above it; by default the
                           ///< greatest finite value
    Color nan = {0, 0, 0}; ///< the colour of NaN
};

/// The colours of a tensor of numbers, along a new last axis. Lazy except for limits that are not
/// given: these are found now, for each index of the first `batch` axes.
PURVIEW_EXPORT Operand colorize_operand(const Operand& x, const Gradient& gradient,
                                        const ColorRange& range, int batch = 0);

/// `colorize(x, gradient, {low, high, nan})`, `x | colorize(gradient)`: `[…]` → uint8 `[…, 3]`,
/// red, green, blue. The values from `low` to `high` are divided into 256 equal intervals, one for
/// each colour of the gradient; infinities get the colours at its ends; if low equals high, that
/// value gets the first colour. Lazy; limits that are not given are the least and the greatest
/// finite value, for each combination of dims, which are found now, in O(size). Throws `Error` for
/// limits that are not finite, or in the wrong order, `DtypeError` for elements that are not
/// numbers, `DimError`.
struct ColorizeFunction {
    using Options = ColorRange;
    static constexpr std::size_t kBeforeOptions = 2;

    template <TensorLike X>
    ResultHandle<std::uint8_t, X> operator()(const X& x, const Gradient& gradient,
                                             const ColorRange& range = {}) const {
        static_assert(!TypedTensor<X> || BuiltinType<OperandElement<X>>,
                      "colorize is defined for tensors of numbers");
        using Handle = ResultHandle<std::uint8_t, X>;
        if constexpr (HasDims<X>) {
            auto bound = settled(dim_operand(x));
            bound.operand = colorize_operand(bound.operand, gradient, range, bound.dim_count());
            return Handle(std::move(bound));
        } else {
            return Handle(colorize_operand(x.operand(), gradient, range));
        }
    }
    auto operator()(const Gradient& gradient, const ColorRange& range = {}) const {
        return make_stage(*this, gradient, range);
    }
};
inline constexpr AcceptingArrays<ColorizeFunction> colorize;

} // namespace purview
