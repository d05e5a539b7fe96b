#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_view.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace purview {

/// The alignment of everything that is allocated here: a cache line, and the widest vector.
inline constexpr index_t kAllocationAlignment = 64;

/// `count` elements in bytes. Throws `ShapeError` naming `what` when the count is negative or the
/// product overflows.
PURVIEW_EXPORT index_t checked_bytes(index_t count, index_t element_bytes, const char* what);

/// Memory of this many bytes, aligned to `alignment` (a power of two; never null, not even for 0
/// bytes), freed when its last owner goes. Throws `std::bad_alloc`.
PURVIEW_EXPORT std::shared_ptr<void> allocate_bytes(index_t bytes,
                                                    index_t alignment = kAllocationAlignment);

/// The same, zeroed. Large blocks cost nothing until they are touched.
PURVIEW_EXPORT std::shared_ptr<void>
allocate_zeroed_bytes(index_t bytes, index_t alignment = kAllocationAlignment);

/// Memory that holds `count` elements, constructed and destroyed with it. Value-initialised; with
/// `initialized` false, elements of trivial types are left indeterminate instead.
template <ElementType T>
std::shared_ptr<void> allocate_elements(index_t count, bool initialized, const char* what) {
    const index_t bytes = checked_bytes(count, sizeof(T), what);
    constexpr index_t kAlignment = std::max(kAllocationAlignment, static_cast<index_t>(alignof(T)));
    if constexpr (std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>) {
        return initialized ? allocate_zeroed_bytes(bytes, kAlignment)
                           : allocate_bytes(bytes, kAlignment);
    } else {
        std::shared_ptr<void> memory = allocate_bytes(bytes, kAlignment);
        T* const first = static_cast<T*>(memory.get());
        if (initialized)
            std::uninitialized_value_construct_n(first, count);
        else
            std::uninitialized_default_construct_n(first, count);
        if constexpr (std::is_trivially_destructible_v<T>) {
            return memory;
        } else {
            // If this shared pointer cannot be made, it destroys the elements itself.
            return std::shared_ptr<void>(first, [memory, count](void* elements) {
                std::destroy_n(static_cast<T*>(elements), count);
            });
        }
    }
}

} // namespace purview
