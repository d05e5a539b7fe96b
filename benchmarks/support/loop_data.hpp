#pragma once

/// Sizes and coefficients of loops of many steps, the same in every program (driver/loop_cases.py lists them).

#include <cstddef>
#include <string>

namespace bench {

/// So many steps of a square of `side`, or of a cube.
struct LoopSize {
    std::size_t steps;
    std::size_t side;

    std::string of_square() const { return name(2); }
    std::string of_cube() const { return name(3); }

private:
    std::string name(int rank) const {
        const std::string text = std::to_string(side);
        std::string all = std::to_string(steps) + "_of_" + text;
        for (int axis = 1; axis < rank; ++axis) all += "x" + text;
        return all;
    }
};

/// Those of a quick run are small.
inline constexpr LoopSize kHeatOfDoubles[] = {{32, 2048}, {100, 4096}};
inline constexpr LoopSize kHeatOfFloats[] = {{50, 8192}};
inline constexpr LoopSize kWaves[] = {{16, 256}, {20, 512}};
inline constexpr LoopSize kBoxes[] = {{16, 2048}, {20, 4096}};

inline constexpr double kDiffusivity = 0.2; ///< of a square
inline constexpr double kSpeed = 0.1;       ///< of a wave, squared

/// The factor of what lies (i, j) from an element of a box of this radius: they add up to 1, and are no product of
/// one along rows and one along columns.
constexpr double box_factor(int radius, int i, int j) {
    const auto part = [](int a, int b) { return 1 / (1.0 + a * a + b * b); };
    double all = 0;
    for (int a = -radius; a <= radius; ++a)
        for (int b = -radius; b <= radius; ++b) all += part(a, b);
    return part(i, j) / all;
}

/// A ring of points that conducts heat, and its steps.
inline constexpr std::size_t kRingPoints = 1000;
inline constexpr std::size_t kRingSteps = 200;
inline constexpr std::size_t kLongRingSteps = 1000; ///< of gradients by the start, too
inline constexpr double kRingDiffusivity = 0.1;

/// A recurrent network, by the axes of its weights.
inline constexpr long kCellSteps = 1000, kCellUnits = 64, kCellInputs = 64, kCellGates = 4 * 64;

} // namespace bench
