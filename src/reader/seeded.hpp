#pragma once

#include <cstdint>

namespace purview::inline v0_1 {

/// The base of readers of random numbers, so that what is printed of a computation tells of a seed
/// that is the same at each call.
struct Seeded {
    std::uint64_t seed;
};

} // namespace purview
