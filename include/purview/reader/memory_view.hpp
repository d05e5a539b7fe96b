#pragma once

#include <purview/base/index.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// The memory behind a reader that reveals it: element `i` lies at `data + i * stride_bytes`, for
/// 0 <= i < the reader's size. No alignment is promised, and a stride may be zero or negative.
struct MemoryView {
    const void* data = nullptr; ///< null: the reader reveals no memory
    index_t stride_bytes = 0;

    explicit operator bool() const noexcept { return data != nullptr; }
};

/// The memory behind a writer that reveals it: element `i` lies at `data + i * stride_bytes`.
struct MutableMemoryView {
    void* data = nullptr; ///< null: writes go through the writer's functions
    index_t stride_bytes = 0;

    explicit operator bool() const noexcept { return data != nullptr; }
};

/// An allocation: its address and length. Two readers over the same block have equal storage.
struct StorageId {
    const void* address = nullptr; ///< null: no storage
    index_t bytes = 0;

    friend bool operator==(const StorageId&, const StorageId&) = default;
};

/// What keeps foreign or shared memory alive: any shared pointer, whatever its deleter does.
using Owner = std::shared_ptr<const void>;

/// An owner that owns nothing: the caller promises that the memory outlives everything that reads
/// it. `borrow` and `borrow_reader` use it.
inline Owner borrowed(const void* memory) noexcept { return Owner(Owner(), memory); }

} // namespace purview
