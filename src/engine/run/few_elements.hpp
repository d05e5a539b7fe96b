#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>

namespace purview::inline v0_1::engine {

/// Stores one arithmetic operation of numbers and of at most 16 elements that lie side by side:
/// looking for the program that does it takes several times as long. All is read before anything is
/// written, so that the memory at `out` may overlap with the operands. Returns false, with nothing
/// written, for anything else, and where a result is NaN: which NaN it is, is for the kernels to say.
bool store_few(const Operand& source, std::byte* out) noexcept;

} // namespace purview::engine
