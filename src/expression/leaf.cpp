#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/leaf.hpp>

namespace purview::inline v0_1 {

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
    set_storage_kind(kind, (kind == Kind::sparse ? Below::sparse : Below::nothing) |
                               (reader_->backend() != nullptr ? Below::device : Below::nothing) |
                               (reader_->chunks() != nullptr ? Below::blocks : Below::nothing));
}

Leaf::Leaf(std::shared_ptr<const AnyReader> reader, AnyWriter& writer) : Leaf(std::move(reader)) {
    writer_ = &writer;
    writable_memory_ = writer.writable_memory();
}

void Leaf::read(const Dimensions& view, index_t begin, index_t count, void* out) const {
    auto* to = static_cast<std::byte*>(out);
    const index_t size = dtype().size_bytes();
    dimensions::AddressStream(view).runs(begin, count,
                                         [&](index_t address, index_t step, index_t length) {
                                             reader_->read_into(address, step, length, to);
                                             to += length * size;
                                         });
}

} // namespace purview
