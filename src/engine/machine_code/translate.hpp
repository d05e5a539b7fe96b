#pragma once

#include "engine/machine_code/threaded_code.hpp"

namespace purview::inline v0_1::engine {

/// Code that does what the program does, to the bit. Empty where there is none: on
/// other targets than avx512 and avx2, and for instructions that are called or work on memory.
Translated translate(const KernelTable& kernels, const ThreadedCode& program) noexcept;

} // namespace purview::engine
