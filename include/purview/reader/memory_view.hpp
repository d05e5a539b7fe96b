#pragma once

#include <purview/base/index.hpp>

#include <memory>

namespace purview {

/// The memory behind a reader that reveals it: element `i` lies at `data + i * stride_bytes`, for
/// 0 <= i < the reader's size. No alignment is promised, and a stride may be zero or negative.
struct MemoryView {
    const void* data = nullptr; ///< null: the reader reveals no memory
    index_t stride_bytes = 0;

    explicit operator bool() const noexcept { return data != nullptr; }
};

/// The same, for memory that may be written.
struct MutableMemoryView {
    void* data = nullptr; ///< null: writes go through the writer's functions
    index_t stride_bytes = 0;

    explicit operator bool() const noexcept { return data != nullptr; }
};

/// An allocation: where it lies and how long. Two readers over the same block share storage.
struct StorageId {
    const void* address = nullptr; ///< null: no storage
    index_t bytes = 0;

    friend bool operator==(const StorageId&, const StorageId&) = default;
};

/// Whoever keeps foreign or shared memory alive: any shared pointer, whatever its deleter does.
using Owner = std::shared_ptr<const void>;

/// An owner that owns nothing: who writes this promises that the memory outlives everything that reads
/// it. What `borrow` and `borrow_reader` are made of.
inline Owner borrowed(const void* memory) noexcept { return Owner(Owner(), memory); }

} // namespace purview
