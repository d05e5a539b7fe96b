#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// What `assign` does where no other backend does it. Rooms below the entrance call this.
void assign_on_cpu(const Operand& source, const Operand& destination);

} // namespace purview::engine
