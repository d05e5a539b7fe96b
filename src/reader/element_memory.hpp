#pragma once

#include <purview/dtype/dtype.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// Memory for elements of a run-time type, aligned for SIMD, which are constructed unless that is trivial, and destroyed
/// with it. Throws `ShapeError` where the bytes overflow, `std::bad_alloc`.
std::shared_ptr<void> allocate_elements(DType dtype, index_t count);

} // namespace purview
