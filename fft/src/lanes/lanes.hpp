#pragma once

#include <purview/dimensions/affine_index.hpp>

#include <cstdint>

namespace purview::inline v0_1::lane_transforms {

/// From complex numbers to complex ones; from real ones to the first half of their transform, or, where that is as long as
/// there are points, to all of it; from that half to real ones.
enum class LaneKind : std::uint8_t { complex, of_real, to_real };

/// Transforms along an axis of row-major memory.
struct LaneWork {
    LaneKind kind;
    index_t lanes; ///< of all other axes
    index_t inner; ///< of the axes behind it: elements of a lane are so far apart
    index_t points;
    index_t in_length,
        out_length; ///< of the axis; elements of `in` beyond the points are not read, and missing ones 0
    bool forward; ///< the sign of the exponent is negative; of `to_real` it is not asked
    double factor;
};

/// Transforms `in` into `out`, which may be the same memory where both have the same lengths; a complex number is two
/// of T. On all threads; the bits of a lane are the same beside any others.
template <typename T>
void transform_lanes(const LaneWork& work, const T* in, T* out);

} // namespace purview::lane_transforms
