#pragma once

#include <purview/base/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace purview {

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

} // namespace purview
