#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/writer.hpp>

#include <memory>

namespace purview {

/// A node that is a reader, and perhaps a writer. Its memory, if it reveals any, is looked up once,
/// so that reading an element costs no virtual call.
class PURVIEW_EXPORT Leaf final : public Node {
public:
    explicit Leaf(std::shared_ptr<const AnyReader> reader);

    /// For a reader that is also the writer of the same elements.
    Leaf(std::shared_ptr<const AnyReader> reader, AnyWriter& writer);

    const AnyReader& reader() const noexcept { return *reader_; }
    const std::shared_ptr<const AnyReader>& shared_reader() const noexcept { return reader_; }
    /// Null for what can only be read.
    AnyWriter* writer() const noexcept { return writer_; }
    MemoryView memory() const noexcept { return memory_; }
    MutableMemoryView writable_memory() const noexcept { return writable_memory_; }
    index_t size() const noexcept { return size_; }
    /// False if the reader has to be read from one thread at a time.
    bool is_thread_safe() const noexcept { return thread_safe_; }

private:
    std::shared_ptr<const AnyReader> reader_;
    AnyWriter* writer_ = nullptr;
    MemoryView memory_;
    MutableMemoryView writable_memory_;
    index_t size_;
    bool thread_safe_;
};

/// The leaf an operand looks at, or null if it looks at something computed.
inline const Leaf* leaf_of(const Operand& operand) noexcept {
    return operand.node->kind() == NodeKind::leaf ? static_cast<const Leaf*>(operand.node.get())
                                                  : nullptr;
}

} // namespace purview
