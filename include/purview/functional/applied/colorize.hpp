#pragma once

#include <purview/base/config.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/stage.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// An sRGB colour; each component is 0 … 255.
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;

    friend constexpr bool operator==(const Color&, const Color&) = default;
};

/// A gradient of 256 colours, from the colour of the least value to that of the greatest.
class Gradient {
public:
    static constexpr std::size_t kColors = 256;

    /// From colours given as 0xRRGGBB.
    explicit constexpr Gradient(std::span<const std::uint32_t, kColors> codes) {
        for (std::size_t i = 0; i < kColors; ++i)
            colors_[i] = {static_cast<std::uint8_t>(codes[i] >> 16),
                          static_cast<std::uint8_t>(codes[i] >> 8),
                          static_cast<std::uint8_t>(codes[i])};
    }
    /// From colours at equal distances; those between are mixed linearly, in sRGB. Throws `Error`
    /// for an empty list.
    Gradient(std::initializer_list<Color> colors)
        : Gradient(std::span<const Color>(colors.begin(), colors.size())) {}
    PURVIEW_EXPORT explicit Gradient(std::span<const Color> colors);

    std::span<const Color, kColors> colors() const noexcept { return colors_; }
    /// The gradient with its colours in reverse order.
    PURVIEW_EXPORT Gradient reversed() const;

private:
    Gradient() = default;

    std::array<Color, kColors> colors_;
};

/// Standard gradients. Sequential and perceptually uniform: `viridis`, `magma`, `inferno`,
/// `plasma`, `cividis` (also for colour-blind people who see no red or no green), `grey`; with many
/// colours: `turbo`; diverging from a middle: `coolwarm`.
namespace gradients {
PURVIEW_EXPORT extern const Gradient viridis;
PURVIEW_EXPORT extern const Gradient magma;
PURVIEW_EXPORT extern const Gradient inferno;
PURVIEW_EXPORT extern const Gradient plasma;
PURVIEW_EXPORT extern const Gradient cividis;
PURVIEW_EXPORT extern const Gradient turbo;
PURVIEW_EXPORT extern const Gradient coolwarm;
PURVIEW_EXPORT extern const Gradient grey;
} // namespace gradients

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
    template <array_like X>
        requires kIsNumberOrVoid<ElementOrVoid<std::remove_cvref_t<X>>>
    auto operator()(X&& given, const Gradient& gradient, const ColorRange& range = {}) const {
        const auto x = as_tensor(std::forward<X>(given));
        using Handle = ResultHandle<std::uint8_t, std::remove_const_t<decltype(x)>>;
        if constexpr (HasDims<decltype(x)>) {
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

    template <typename... A>
    requires HasRefused<A...> Refusal operator()(const A&...) const { return {}; }
    PURVIEW_REFUSED("a tensor of numbers comes first, then a gradient: colorize(x, "
                    "gradients::viridis, {.low = 0})",
                    operator()(AnyArgument, AnyArgument, AnyArgument = {}) const);
};
inline constexpr ColorizeFunction colorize;

} // namespace purview
