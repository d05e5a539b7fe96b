#pragma once

#include "lowered.hpp"

#include <purview/expression/leaf.hpp>

#include <cstdint>

namespace purview::gpu::detail {

/// Adds what is read, or written, through `dims`: a buffer whose place is to be set, or a formula.
Use& add_use(Lowered& x, Use::Source source, Stored type, const Dimensions& dims,
             std::uint16_t frame);

/// Adds the elements of a leaf of the host if they are a progression; false if not.
bool add_formula(Lowered& x, const Leaf& leaf, const Dimensions& dims, std::uint16_t frame);

/// An element as the bits of an argument. Floats of 16 bits become float32.
std::uint64_t argument_bits(Stored type, const void* element) noexcept;

/// Throws `DeviceError` naming the shapes of an operand of the host and of one on the device.
[[noreturn]] void throw_mixed_places(const char* what, const Operand& root, ShapeSpan of_host,
                                     const Places& places);

} // namespace purview::gpu::detail
