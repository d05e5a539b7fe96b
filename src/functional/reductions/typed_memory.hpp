#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/tensor/create.hpp>

#include <cstddef>

namespace purview::inline v0_1 {

/// New uninitialised memory of a built-in type. Throws `DtypeError` naming `what` for others.
inline Operand empty_of(const char* what, DType dtype, ShapeSpan shape) {
    return visit_dtype(
        dtype, what, [&]<typename T>(std::type_identity<T>) { return empty<T>(shape).operand(); });
}

/// The address of the elements of such memory.
inline std::byte* memory_of(const Operand& memory) {
    return static_cast<std::byte*>(leaf_of(memory)->writable_memory().data);
}

} // namespace purview
