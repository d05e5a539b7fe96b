#pragma once

#include "engine/kernels/table/kernel_table.hpp"

#include <span>
#include <string_view>

namespace purview::inline v0_1::engine {

/// The kernels to use: the best that this machine runs, or those that the environment variable
/// PURVIEW_TARGET names at the first call. Throws an `Error` with the value of the variable and the
/// names of the available kernels if it names none of them, be it that they were not built.
const KernelTable& kernels();

/// The kernels of this name, the best for an empty one. Throws `Error` as above.
const KernelTable& kernels_named(std::string_view name);

/// Everything that was built and that this machine runs, the best first.
std::span<const KernelTable* const> available_kernels() noexcept;

} // namespace purview::engine
