#pragma once

#include "large_fft.hpp"

namespace purview::inline v0_1 {

/// The transform of an operand over symbols, as a node. The work's axes are those of the operand.
Operand staged_transform(const FourierWork& work, const Operand& x);

} // namespace purview
