#pragma once

#include <purview/reader/allocation.hpp>
#include <purview/reader/memory_view.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// The memory of a `List`: elements are constructed one after the other, and snapshots may share
/// the first ones. Only the list that made the block changes it.
template <typename T>
class ListBlock {
public:
    explicit ListBlock(index_t capacity)
        : memory_(allocate_bytes(checked_bytes(capacity, sizeof(T), "List"), kElementAlignment<T>)),
          capacity_(capacity) {}
    ListBlock(const ListBlock&) = delete;
    ListBlock& operator=(const ListBlock&) = delete;
    ~ListBlock() { destroy_from(0); }

    T* data() const noexcept { return static_cast<T*>(memory_.get()); }
    index_t capacity() const noexcept { return capacity_; }

    /// Constructs the next element. Precondition: count < capacity.
    template <typename Value>
    void construct(Value&& value) {
        PURVIEW_ASSERT(count_ < capacity_);
        std::construct_at(data() + count_, std::forward<Value>(value));
        ++count_;
    }

    /// Destroys all elements from `count` on.
    void destroy_from(index_t count) noexcept {
        std::destroy(data() + count, data() + count_);
        count_ = count;
    }

    /// Whether a living snapshot covers any of the elements from `position` on.
    bool shares(index_t position) const noexcept {
        // Acquire: the last reads of a snapshot happen before its memory is changed.
        return snapshots_.load(std::memory_order_acquire) > 0 &&
               position < shared_.load(std::memory_order_relaxed);
    }

    /// An owner that keeps the block alive and counts as a snapshot of its first `count` elements.
    static Owner share(const std::shared_ptr<ListBlock>& block, index_t count) {
        block->snapshots_.fetch_add(1, std::memory_order_relaxed);
        index_t shared = block->shared_.load(std::memory_order_relaxed);
        while (shared < count && !block->shared_.compare_exchange_weak(shared, count)) {}
        // If constructing this owner throws, it calls the deleter, which decrements the count
        // again.
        return Owner(block->data(), [block](const void*) {
            block->snapshots_.fetch_sub(1, std::memory_order_release);
        });
    }

private:
    std::shared_ptr<void> memory_;
    index_t capacity_;
    index_t count_ = 0;
    std::atomic<index_t> snapshots_ = 0; ///< living ones
    std::atomic<index_t> shared_ = 0;    ///< the longest snapshot ever taken of this block
};

} // namespace purview
