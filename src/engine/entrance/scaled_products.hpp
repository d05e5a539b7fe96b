#pragma once

#include <purview/expression/node.hpp>

namespace purview::inline v0_1::engine {

/// Multiplies again, with exponents apart, the groups whose product at `products`, elements of the
/// source's type, may have left the range of its type: on the 32 lanes of a fold large factors may
/// have met each other, and small ones others. For types that are not floats it does nothing.
void multiply_far_groups_again(const Operand& source, index_t groups, void* products);

} // namespace purview::engine
