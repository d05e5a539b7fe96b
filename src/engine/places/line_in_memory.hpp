#pragma once

#include <purview/expression/leaf.hpp>

#include "engine/places/load.hpp"

#include <cstdint>

namespace purview::inline v0_1::engine {

/// Whether bools may be read where they lie: in foreign memory their bytes may be neither 0 nor 1.
enum class BoolBytes : bool { rejected, accepted };
enum class Alignment : bool { any, natural };

/// The address of the first element of an operand whose elements are contiguous in memory, in
/// row-major order of the operand. Null if they are not, if the type is not built in, or if `bools`
/// or `alignment` excludes it.
inline const std::byte* line_in_memory(const Operand& operand, BoolBytes bools,
                                       Alignment alignment) noexcept {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr || !leaf->memory()) return nullptr;
    const DType dtype = leaf->dtype();
    if (!dtype.is_builtin() || (dtype == boolean && bools == BoolBytes::rejected) ||
        leaf->memory().stride_bytes != dtype.size_bytes() || !operand.dims.is_contiguous())
        return nullptr;
    const std::byte* const first = element_of(*leaf, operand.dims.base());
    const bool aligned = alignment == Alignment::any ||
                         reinterpret_cast<std::uintptr_t>(first) %
                                 static_cast<std::uintptr_t>(dtype.descriptor().alignment) ==
                             0;
    return aligned ? first : nullptr;
}

} // namespace purview::engine
