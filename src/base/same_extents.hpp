#pragma once

#include <purview/base/index.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

/// Whether two shapes, or lists of strides, are equal. For two or three a loop takes less time than
/// the call that a comparison of spans compiles to.
inline bool same_extents(ShapeSpan a, ShapeSpan b) noexcept {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i]) return false;
    return true;
}

} // namespace purview
