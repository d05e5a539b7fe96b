#pragma once

#include "engine/kernels/kernel_table.hpp"

#include <span>

namespace purview::engine {

/// The kernels to use: the best that this machine runs, or those that the environment variable
/// PURVIEW_TARGET names when it is first called. Throws `Error` naming the variable's value and those
/// available when it is none of them.
const KernelTable& kernels();

/// Everything that was built and that this machine runs, the best first.
std::span<const KernelTable* const> available_kernels() noexcept;

} // namespace purview::engine
