#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <memory>
#include <utility>

namespace purview::inline v0_1 {

template <ElementType T>
class Buffer;

/// A node that reads from a reader, and may write through its writer. The memory that the reader
/// reveals, if any, is looked up once, so that reading an element needs no virtual call.
class PURVIEW_EXPORT Leaf final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::leaf;
    explicit Leaf(std::shared_ptr<const AnyReader> reader);

    /// For a reader that is also the writer of the same elements.
    Leaf(std::shared_ptr<const AnyReader> reader, AnyWriter& writer);

    /// For a buffer, of which everything is known without a virtual call.
    template <ElementType T>
    Leaf(std::shared_ptr<Buffer<T>> buffer, Buffer<T>& own) noexcept
        : Node(kKind, kDType<T>, Kind::dense),
          reader_(std::move(buffer)),
          writer_(&own),
          memory_(own.memory()),
          writable_memory_(own.writable_memory()),
          size_(own.size()),
          thread_safe_(true) {}

    const AnyReader& reader() const noexcept { return *reader_; }
    const std::shared_ptr<const AnyReader>& shared_reader() const noexcept { return reader_; }
    /// Null for a leaf that is read-only.
    AnyWriter* writer() const noexcept { return writer_; }
    MemoryView memory() const noexcept { return memory_; }
    MutableMemoryView writable_memory() const noexcept { return writable_memory_; }
    index_t size() const noexcept { return size_; }
    /// False if the reader may be called from one thread at a time only.
    bool is_thread_safe() const noexcept { return thread_safe_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    std::shared_ptr<const AnyReader> reader_;
    AnyWriter* writer_ = nullptr;
    MemoryView memory_;
    MutableMemoryView writable_memory_;
    index_t size_;
    bool thread_safe_;
};

/// An operand over a buffer that is a reader and writer, with `dims` mapping coordinates to its
/// indexes. It shares the ownership of the buffer.
template <typename B, std::convertible_to<Dimensions> D>
Operand operand_over(std::shared_ptr<B> buffer, D&& dims) {
    B& writer = *buffer;
    return {make_node<Leaf>(std::move(buffer), writer), std::forward<D>(dims)};
}

/// The leaf of an operand, or null if the operand is computed.
inline const Leaf* leaf_of(const Operand& operand) noexcept { return node_as<Leaf>(*operand.node); }

} // namespace purview
