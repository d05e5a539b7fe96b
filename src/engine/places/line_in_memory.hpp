#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/places/load.hpp"

#include <cstdint>

namespace purview::inline v0_1::engine {

/// Whether bools may be read where they lie: in foreign memory their bytes may be neither 0 nor 1.
enum class BoolBytes : bool { rejected, accepted };
enum class Alignment : bool { any, natural };

/// Whether the elements of a leaf, whose memory this is, to be read or to be written, lie side by
/// side in it.
template <typename Memory>
bool has_elements_side_by_side(const Memory& memory, DType dtype) noexcept {
    return memory && memory.stride_bytes == dtype.size_bytes();
}
/// Whether the elements that `dims` shows, of any type, do so in row-major order of `dims`.
template <typename Memory>
bool is_line(const Memory& memory, DType dtype, const Dimensions& dims) noexcept {
    return has_elements_side_by_side(memory, dtype) && dims.is_contiguous();
}
inline bool is_aligned(const void* place, DType dtype) noexcept {
    return reinterpret_cast<std::uintptr_t>(place) %
               static_cast<std::uintptr_t>(dtype.descriptor().alignment) ==
           0;
}

/// The address of the first element of an operand whose elements are contiguous in memory, in
/// row-major order of the operand. Null if they are not, if the type is not built in, or if `bools`
/// or `alignment` excludes it.
inline const std::byte* line_in_memory(const Operand& operand, BoolBytes bools,
                                       Alignment alignment) noexcept {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr || !leaf->dtype().is_builtin() ||
        (leaf->dtype() == boolean && bools == BoolBytes::rejected) ||
        !is_line(leaf->memory(), leaf->dtype(), operand.dims))
        return nullptr;
    const std::byte* const first = element_of(*leaf, operand.dims.base());
    return alignment == Alignment::any || is_aligned(first, leaf->dtype()) ? first : nullptr;
}

} // namespace purview::engine
