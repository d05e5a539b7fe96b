#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/reader/memory_pool.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace purview::inline v0_1 {

/// The alignment of everything allocated here: a cache line, which is also the width of the widest
/// vector registers.
inline constexpr index_t kAllocationAlignment = 64;

/// The bytes of `count` elements. Throws `ShapeError` naming `what` when the count is negative or
/// the product overflows.
PURVIEW_EXPORT index_t checked_bytes(index_t count, index_t element_bytes, const char* what);

/// Allocates `bytes` bytes, aligned to `alignment` (a power of two). Never null, not even for 0
/// bytes; freed when its last owner is destroyed. From `kLargeBytes` on, the memory comes in huge
/// pages and is recycled. Throws `std::bad_alloc`.
PURVIEW_EXPORT std::shared_ptr<void> allocate_bytes(index_t bytes,
                                                    index_t alignment = kAllocationAlignment);

/// Allocates `bytes` zeroed bytes, otherwise as `allocate_bytes`. Large blocks that are not
/// recycled cost nothing until they are touched.
PURVIEW_EXPORT std::shared_ptr<void>
allocate_zeroed_bytes(index_t bytes, index_t alignment = kAllocationAlignment);

/// A request for bytes that follow an object within the one allocation that `std::allocate_shared`
/// makes for it.
class PURVIEW_EXPORT TrailingBytes {
public:
    /// Requires `bytes` < `kLargeBytes`; the bytes are aligned to `alignment`.
    TrailingBytes(index_t bytes, index_t alignment, bool zeroed) noexcept;

    index_t bytes() const noexcept { return bytes_; }
    /// How many more bytes than the object's own its allocation has.
    std::size_t room() const noexcept { return room_; }
    /// The address of the bytes; null until the object is allocated.
    void* data() const noexcept { return data_; }

    /// Allocates memory for the object, aligned as by `operator new`, and for the bytes behind it.
    /// Throws `std::bad_alloc`.
    void* allocate_object(std::size_t object_bytes);
    /// Frees such an allocation. `object_bytes` is the size of the object without the `room` behind
    /// it.
    static void free_object(void* object, std::size_t object_bytes, std::size_t room) noexcept;

private:
    index_t bytes_;
    index_t alignment_;
    std::size_t room_;
    bool zeroed_;
    void* data_ = nullptr;
};

/// The allocator that passes `TrailingBytes` to `std::allocate_shared`; it allocates a single
/// object.
template <typename U>
class TrailingAllocator {
public:
    using value_type = U;

    explicit TrailingAllocator(TrailingBytes& trailing) noexcept
        : trailing_(&trailing), room_(trailing.room()) {}
    template <typename V>
    TrailingAllocator(const TrailingAllocator<V>& other) noexcept
        : trailing_(other.trailing_), room_(other.room_) {}

    U* allocate(std::size_t) {
        static_assert(alignof(U) <= alignof(std::max_align_t));
        return static_cast<U*>(trailing_->allocate_object(sizeof(U)));
    }
    void deallocate(U* object, std::size_t) noexcept {
        TrailingBytes::free_object(object, sizeof(U), room_);
    }

    friend bool operator==(const TrailingAllocator&, const TrailingAllocator&) = default;

private:
    template <typename V>
    friend class TrailingAllocator;

    TrailingBytes* trailing_; ///< used only while it allocates
    std::size_t room_;
};

/// Element types whose memory needs neither initialisation nor destruction.
template <typename T>
inline constexpr bool kPlainElement =
    std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>;

template <typename T>
inline constexpr index_t kElementAlignment = alignof(T) > std::size_t{kAllocationAlignment}
                                                 ? static_cast<index_t>(alignof(T))
                                                 : kAllocationAlignment;

/// Memory for `count` elements, `bytes` bytes in all, which constructs them and destroys them with
/// its last owner. Value-initialised; with `initialized` false, elements of trivial types are left
/// indeterminate.
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
            // If constructing this shared pointer throws, it calls the deleter, which destroys the
            // elements.
            return std::shared_ptr<void>(first, [memory, count](void* elements) {
                std::destroy_n(static_cast<T*>(elements), count);
            });
        }
    }
}

} // namespace purview
