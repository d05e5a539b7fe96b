#pragma once

#include "../driver/driver.hpp"
#include "stored.hpp"

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// The text of a kernel for matrix products c = scale · a b of any strides. A group of threads computes a square of `side` (64 or 128)
/// elements, of which each thread has those 16 apart; squares of the factors go through local memory. Sums are of fused multiplications,
/// in ascending order; integers wrap. Arguments: c, a, b, scale, then, each of 64 bits, m, n, k, squares along n, squares of a product, and
/// for a, b and c the place of the first element and the strides of the batch, rows and columns.
std::string product_text(Stored type, int side, Dialect dialect);

} // namespace purview::gpu::detail
