#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_pool.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace purview {

/// The alignment of everything that is allocated here: a cache line, and the widest vector.
inline constexpr index_t kAllocationAlignment = 64;

/// `count` elements in bytes. Throws `ShapeError` naming `what` when the count is negative or the
/// product overflows.
PURVIEW_EXPORT index_t checked_bytes(index_t count, index_t element_bytes, const char* what);

/// Memory of this many bytes, aligned to `alignment` (a power of two; never null, not even for 0
/// bytes), freed when its last owner goes. From `kLargeBytes` on it comes in huge pages and is
/// recycled. Throws `std::bad_alloc`.
PURVIEW_EXPORT std::shared_ptr<void> allocate_bytes(index_t bytes,
                                                    index_t alignment = kAllocationAlignment);

/// The same, zeroed. Large blocks cost nothing until they are touched, unless they are recycled.
PURVIEW_EXPORT std::shared_ptr<void>
allocate_zeroed_bytes(index_t bytes, index_t alignment = kAllocationAlignment);

/// Bytes behind an object, in the one allocation that `std::allocate_shared` makes for it.
class PURVIEW_EXPORT TrailingBytes {
public:
    /// Fewer than `kLargeBytes`, aligned to `alignment`.
    TrailingBytes(index_t bytes, index_t alignment, bool zeroed) noexcept
        : bytes_(bytes), alignment_(alignment), zeroed_(zeroed) {}

    index_t bytes() const noexcept { return bytes_; }
    /// Where they lie, as soon as the object is allocated.
    void* data() const noexcept { return data_; }

    /// Room for the object, aligned as `operator new`'s, and for the bytes. Throws `std::bad_alloc`.
    void* allocate_object(std::size_t object_bytes);
    /// Of this many bytes without what lies behind it.
    static void free_object(void* object, std::size_t object_bytes) noexcept;

private:
    index_t bytes_;
    index_t alignment_;
    bool zeroed_;
    void* data_ = nullptr;
};

/// What hands `TrailingBytes` to `std::allocate_shared`: it allocates one object.
template <typename U>
class TrailingAllocator {
public:
    using value_type = U;

    explicit TrailingAllocator(TrailingBytes& trailing) noexcept : trailing_(&trailing) {}
    template <typename V>
    TrailingAllocator(const TrailingAllocator<V>& other) noexcept : trailing_(other.trailing_) {}

    U* allocate(std::size_t) {
        static_assert(alignof(U) <= alignof(std::max_align_t));
        return static_cast<U*>(trailing_->allocate_object(sizeof(U)));
    }
    void deallocate(U* object, std::size_t) noexcept {
        TrailingBytes::free_object(object, sizeof(U));
    }

    friend bool operator==(const TrailingAllocator&, const TrailingAllocator&) = default;

private:
    template <typename V>
    friend class TrailingAllocator;

    TrailingBytes* trailing_; ///< only as long as it allocates
};

/// Elements that memory need not be initialised for, and that need no destroying.
template <typename T>
inline constexpr bool kPlainElement =
    std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>;

template <typename T>
inline constexpr index_t kElementAlignment = alignof(T) > std::size_t{kAllocationAlignment}
                                                 ? static_cast<index_t>(alignof(T))
                                                 : kAllocationAlignment;

/// Memory that holds `count` elements of `bytes` in all, constructed and destroyed with it.
/// Value-initialised; with `initialized` false, elements of trivial types are left indeterminate.
template <ElementType T>
std::shared_ptr<void> allocate_elements(index_t count, index_t bytes, bool initialized) {
    if constexpr (kPlainElement<T>) {
        return initialized ? allocate_zeroed_bytes(bytes, kElementAlignment<T>)
                           : allocate_bytes(bytes, kElementAlignment<T>);
    } else {
        std::shared_ptr<void> memory = allocate_bytes(bytes, kElementAlignment<T>);
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
