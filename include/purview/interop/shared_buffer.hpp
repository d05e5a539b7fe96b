#pragma once

#include <purview/base/checked.hpp>
#include <purview/reader/buffer.hpp>

#include <memory>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// A block of memory that processes share.
struct SharedMemory {
    void* pointer = nullptr; ///< page-aligned
    Owner owner;
    StorageId storage;
};
/// The memory behind `shared_buffer`, of `bytes` > 0.
PURVIEW_EXPORT SharedMemory shared_memory(const std::string& name, index_t bytes);

/// `size` elements that all processes share which ask for this name (POSIX shared memory): the
/// first one makes them, all zero bytes, and the last one that lets them go, by its end too,
/// removes them. A slash in front of the name, as `shm_open` wants it, makes no difference. What a crashed process left behind nobody uses: the next one that asks for the
/// name starts anew. Nothing orders accesses: that is the processes' affair. O(size) for the first,
/// O(1) for the others. Throws `ShapeError` for a negative size and for another one than the
/// others', `FormatError` naming the system's reason for a name that is no file name, or where
/// there is not enough memory.
template <ElementType T>
    requires std::is_trivially_copyable_v<T> BufferPtr<T> shared_buffer(const std::string& name,
                                                                        index_t size) {
        const index_t bytes = checked_multiply(size, index_t{sizeof(T)}, "shared_buffer");
        if (size == 0) return allocate_buffer<T>(0);
        SharedMemory memory = shared_memory(name, bytes);
        return std::make_shared<Buffer<T>>(static_cast<T*>(memory.pointer), size,
                                           index_t{sizeof(T)}, std::move(memory.owner),
                                           memory.storage);
    }

} // namespace purview
