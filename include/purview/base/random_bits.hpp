#pragma once

#include <purview/base/index.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// Word `i` of the sequence that a seed stands for: SplitMix64 (Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014), the same on every machine. Any word can be
/// had without those before it. Not for secrets.
constexpr std::uint64_t random_word(std::uint64_t seed, std::uint64_t i) noexcept {
    std::uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/// The 128 bits of a product.
struct WideProduct {
    std::uint64_t high;
    std::uint64_t low;
};
constexpr WideProduct wide_multiply(std::uint64_t a, std::uint64_t b) noexcept {
    const std::uint64_t a0 = a & 0xffffffff;
    const std::uint64_t a1 = a >> 32;
    const std::uint64_t b0 = b & 0xffffffff;
    const std::uint64_t b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const std::uint64_t cross = a0 * b1 + (middle & 0xffffffff);
    return {a1 * b1 + (middle >> 32) + (cross >> 32), a * b};
}

/// The words of a seed, one after the other.
class RandomBits {
public:
    explicit constexpr RandomBits(std::uint64_t seed) noexcept : seed_(seed) {}

    constexpr std::uint64_t word() noexcept { return random_word(seed_, next_++); }

    /// A number in [0, bound), each as likely (Lemire, "Fast random integer generation in an
    /// interval", 2019). Precondition: bound > 0.
    constexpr index_t below(index_t bound) noexcept {
        const auto limit = static_cast<std::uint64_t>(bound);
        for (;;) {
            const WideProduct scaled = wide_multiply(word(), limit);
            if (scaled.low >= limit || scaled.low >= (0 - limit) % limit)
                return static_cast<index_t>(scaled.high);
        }
    }

private:
    std::uint64_t seed_;
    std::uint64_t next_ = 0;
};

} // namespace purview
