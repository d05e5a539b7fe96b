#pragma once

#include <cstdint>

namespace purview::inline v0_1::gpu::detail {

/// The language that kernels are written in.
enum class Dialect : std::uint8_t { cuda, opencl };

/// An argument of a kernel: its bits, and how many of its bytes count.
struct Argument {
    std::uint64_t bits = 0;
    std::uint32_t bytes = 8;
    bool is_buffer = false;
};

} // namespace purview::gpu::detail
