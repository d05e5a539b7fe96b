#pragma once

#include <purview/base/hidden.hpp>
#include <purview/base/intrusive_pointer.hpp>
#include <purview/base/reference_count.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace purview::inline v0_1 {

class ElementBlock; // src/dtype/element_block.hpp

/// The elements of an operand, if they lie in memory at one stride, and, with `writable`, can be written there; else null.
PURVIEW_EXPORT MemoryView memory_at_one_stride(const Operand& operand, bool writable);

/// What the iterators over one tensor share: the tensor, and its expression, compiled once.
class PURVIEW_EXPORT TensorCursor {
public:
    /// Makes a reader of an operand's elements.
    using MakeReader = std::shared_ptr<const AnyReader>(const Operand&);

    /// With `make_reader`, iterators give references (`Element`), else values.
    TensorCursor(const Operand& operand, MakeReader* make_reader);
    TensorCursor(const TensorCursor&) = delete;
    TensorCursor& operator=(const TensorCursor&) = delete;
    ~TensorCursor();

    bool is_computed() const noexcept { return leaf_ == nullptr; }
    DType dtype() const noexcept { return operand_.dtype(); }
    index_t size() const noexcept { return operand_.dims.size(); }
    /// Assigns the elements [begin, begin + count) of a computed tensor to constructed elements at
    /// `out`.
    void read(index_t begin, index_t count, void* out) const;
    /// Reads the elements of a computed tensor that references are given to.
    const std::shared_ptr<const AnyReader>& reader() const noexcept { return reader_; }

    // Of a leaf:

    const Leaf& leaf() const noexcept { return *leaf_; }
    /// Whether references can be written; values never can.
    bool is_writable() const noexcept { return writable_; }
    index_t address(index_t position) const { return operand_.dims.global_to_local(position); }
    /// The element in memory; null if the leaf has no memory.
    const void* memory_at(index_t position) const {
        if (!leaf_->memory()) return nullptr;
        return static_cast<const std::byte*>(leaf_->memory().data) +
               address(position) * leaf_->memory().stride_bytes;
    }

private:
    // Not inlined: most iterators have no cursor, and algorithms copy iterators all the time.
    PURVIEW_EXPORT friend void intrusive_ptr_add_ref(const TensorCursor* cursor) noexcept;
    PURVIEW_EXPORT friend void intrusive_ptr_release(const TensorCursor* cursor) noexcept;

    mutable ReferenceCount references_;
    Operand operand_;
    const Leaf* leaf_;
    bool writable_ = false;
    std::optional<Evaluation> evaluation_;
    std::shared_ptr<const AnyReader> reader_;
};

/// The block of elements that a read-only iterator over a computed tensor reads from. All are
/// computed when the first of them is read. Copies of an iterator share the block: it is filled
/// once, by the first reader, and reused for other positions only by a sole owner.
class PURVIEW_EXPORT ElementsAhead {
public:
    /// The block of a new iterator: its first element only.
    static const ElementsAhead* at(const Operand& operand, index_t position);
    ElementsAhead(const ElementsAhead&) = delete;
    ElementsAhead& operator=(const ElementsAhead&) = delete;

    /// The element, which is of type T, if it has been computed; else null.
    template <ElementType T>
    const void* find(index_t position) const noexcept {
        if (!is_among(position, computed_.load(std::memory_order_acquire))) return nullptr;
        return values_ + (position - begin_) * static_cast<index_t>(sizeof(T));
    }
    const TensorCursor& cursor() const noexcept { return *cursor_; }
    /// Assigns an element of a computed tensor to a constructed one, and computes the block first
    /// where it can.
    void read(index_t position, void* out) const;

    /// Whether an iterator that has arrived at `position` by a step needs another block.
    bool is_behind(index_t position) const noexcept { return !is_among(position, count_); }
    /// The block that such an iterator needs. Blocks grow as long as all elements before were read,
    /// so that a walk that ends early has computed little in vain. Takes over the caller's
    /// reference to `now`.
    [[gnu::cold]] static const ElementsAhead* after(const ElementsAhead* now,
                                                    index_t position) noexcept;

private:
    ElementsAhead(IntrusivePointer<const TensorCursor> cursor, index_t begin, index_t count,
                  index_t room);
    ~ElementsAhead();

    /// Whether it is one of the first `count` elements of the block.
    bool is_among(index_t position, index_t count) const noexcept {
        return static_cast<std::uint64_t>(position) - static_cast<std::uint64_t>(begin_) <
               static_cast<std::uint64_t>(count);
    }

    PURVIEW_EXPORT friend void intrusive_ptr_add_ref(const ElementsAhead* ahead) noexcept;
    PURVIEW_EXPORT friend void intrusive_ptr_release(const ElementsAhead* ahead) noexcept;

    mutable ReferenceCount references_;
    mutable std::atomic<bool> begun_{false};   ///< a reader computes the block, or has tried to
    mutable std::atomic<index_t> computed_{0}; ///< none or all of its elements
    IntrusivePointer<const TensorCursor> cursor_;
    Hidden<ElementBlock> block_;
    const std::byte* values_;
    index_t begin_;
    index_t count_; ///< of a tensor that is not computed: all, of which the block holds none
    index_t room_;
};

} // namespace purview
