#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// `softmax_elements` by this process's processors, into constructed elements.
void softmax_on_cpu(const Operand& source, index_t groups, void* out);

} // namespace purview::engine
