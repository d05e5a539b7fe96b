#pragma once

#include <purview/base/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace purview {

/// Red, green and blue of sRGB, 0 … 255.
struct Color {
    std::uint8_t red = 0;
    std::uint8_t green = 0;
    std::uint8_t blue = 0;

    friend constexpr bool operator==(const Color&, const Color&) = default;
};

/// 256 colours from the one of the least value to that of the greatest.
class Gradient {
public:
    static constexpr std::size_t kColors = 256;

    /// 0xRRGGBB each.
    explicit constexpr Gradient(std::span<const std::uint32_t, kColors> codes) {
        for (std::size_t i = 0; i < kColors; ++i)
            colors_[i] = {static_cast<std::uint8_t>(codes[i] >> 16),
                          static_cast<std::uint8_t>(codes[i] >> 8),
                          static_cast<std::uint8_t>(codes[i])};
    }
    /// Colours at equal distances, and between them a mixture of both neighbours, in sRGB. Throws `Error` of none.
    Gradient(std::initializer_list<Color> colors)
        : Gradient(std::span<const Color>(colors.begin(), colors.size())) {}
    PURVIEW_EXPORT explicit Gradient(std::span<const Color> colors);

    std::span<const Color, kColors> colors() const noexcept { return colors_; }
    /// The other way round.
    PURVIEW_EXPORT Gradient reversed() const;

private:
    Gradient() = default;

    std::array<Color, kColors> colors_;
};

/// Standard gradients. Of one direction, even to the eye: `viridis`, `magma`, `inferno`, `plasma`, `cividis` (the last also
/// to those who see no red or no green), `grey`; with many colours, `turbo`; away from a middle, `coolwarm`.
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
