#include <purview/expression/leaf.hpp>

namespace purview {

Leaf::Leaf(std::shared_ptr<const AnyReader> reader)
    : Node(NodeKind::leaf, reader->dtype()),
      reader_(std::move(reader)),
      memory_(reader_->memory()),
      size_(reader_->size()),
      thread_safe_(reader_->is_thread_safe()) {
    Kind kind = reader_->kind();
    if (kind == Kind::sparse && !reader_->pairs()) kind = Kind::computed;
    if (kind == Kind::constant && size_ == 0)
        kind = Kind::computed; // there is no element to ask for
    set_storage_kind(kind, kind == Kind::sparse);
}

Leaf::Leaf(std::shared_ptr<const AnyReader> reader, AnyWriter& writer) : Leaf(std::move(reader)) {
    writer_ = &writer;
    writable_memory_ = writer.writable_memory();
}

} // namespace purview
