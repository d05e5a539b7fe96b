#pragma once

#include "engine/ways/way.hpp"
#include "evaluation/scaled_products.hpp"

namespace purview::inline v0_1::engine {

/// Multiplies again, with exponents apart, the groups whose product at `products`, elements of the
/// source's type, may have left the range of its type: on the 32 lanes of a fold large factors may
/// have met each other, and small ones others. For types that are not floats it does nothing.
void multiply_far_groups_again(const Operand& source, index_t groups, void* products);

/// `purview::scaled_products`, by the ways that are allowed.
template <typename E>
void scaled_products_by(Ways allowed, const Operand& source, index_t groups,
                        ScaledProductOf<E>* out);

} // namespace purview::engine
