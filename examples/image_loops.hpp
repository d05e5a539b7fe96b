#pragma once

/// What image_pipeline computes, in nested loops over the bytes of the photograph, without Purview.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

struct ImageLoops {
    std::span<const std::uint8_t> pixels;
    std::ptrdiff_t height;
    std::ptrdiff_t width;

    std::uint8_t at(std::ptrdiff_t y, std::ptrdiff_t x, std::ptrdiff_t c) const {
        return pixels[static_cast<std::size_t>((y * width + x) * 3 + c)];
    }

    std::vector<std::uint8_t> crop() const {
        std::vector<std::uint8_t> result;
        for (auto y = height / 4; y < height - height / 4; ++y)
            for (auto x = width / 4; x < width - width / 4; ++x)
                for (int c = 0; c < 3; ++c) result.push_back(at(y, x, c));
        return result;
    }

    std::vector<std::uint8_t> blue_first() const {
        std::vector<std::uint8_t> result;
        for (std::ptrdiff_t y = 0; y < height; ++y)
            for (std::ptrdiff_t x = 0; x < width; ++x)
                for (const int c : {2, 1, 0}) result.push_back(at(y, x, c));
        return result;
    }

    std::vector<std::uint8_t> turned_right() const {
        std::vector<std::uint8_t> result;
        for (std::ptrdiff_t x = 0; x < width; ++x)
            for (auto y = height - 1; y >= 0; --y)
                for (int c = 0; c < 3; ++c) result.push_back(at(y, x, c));
        return result;
    }

    float luminance(std::ptrdiff_t y, std::ptrdiff_t x) const {
        return 0.2126f * at(y, x, 0) + 0.7152f * at(y, x, 1) + 0.0722f * at(y, x, 2);
    }
    std::vector<float> luminance() const {
        std::vector<float> result;
        for (std::ptrdiff_t y = 0; y < height; ++y)
            for (std::ptrdiff_t x = 0; x < width; ++x) result.push_back(luminance(y, x));
        return result;
    }

    std::vector<std::uint8_t> edges() const {
        std::vector<std::uint8_t> result;
        for (std::ptrdiff_t y = 1; y < height - 1; ++y) {
            for (std::ptrdiff_t x = 1; x < width - 1; ++x) {
                const float dy = luminance(y + 1, x) - luminance(y - 1, x);
                const float dx = luminance(y, x + 1) - luminance(y, x - 1);
                const float steepness = std::min(3 * std::sqrt(dx * dx + dy * dy), 255.0f);
                result.push_back(static_cast<std::uint8_t>(steepness));
            }
        }
        return result;
    }

    std::vector<std::int64_t> histogram(std::ptrdiff_t bins) const {
        std::vector<std::int64_t> result(static_cast<std::size_t>(3 * bins));
        for (std::ptrdiff_t y = 0; y < height; ++y)
            for (std::ptrdiff_t x = 0; x < width; ++x)
                for (std::ptrdiff_t c = 0; c < 3; ++c)
                    ++result[static_cast<std::size_t>(c * bins + at(y, x, c) * bins / 256)];
        return result;
    }
};

/// Whether two pictures have the same size and differ nowhere by more than a tolerance.
template <typename T>
bool nearly_equal(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
    return std::ranges::equal(a, b,
                              [=](double x, double y) { return std::abs(x - y) <= tolerance; });
}
