#include "reader/written_chunk.hpp"

#include "dtype/element_block.hpp"
#include "reader/cached_chunk.hpp"
#include "reader/element_memory.hpp"
#include "reader/strided_elements.hpp"

#include <purview/reader/allocation.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace purview::inline v0_1 {

namespace {

/// Whether all elements are the fill: the same bits, where elements are nothing else, as -0. is not 0. then.
bool all_are(DType dtype, const std::byte* elements, index_t count, const std::byte* fill) {
    const TypeDescriptor& type = dtype.descriptor();
    const auto size = static_cast<std::size_t>(dtype.size_bytes());
    const auto is_fill = [&](index_t i) {
        const std::byte* const element = elements + i * dtype.size_bytes();
        return type.trivial ? std::memcmp(element, fill, size) == 0 : type.same(element, fill);
    };
    // Of bits, all are the first one if each is the next one.
    if (type.trivial)
        return is_fill(0) && std::memcmp(elements, elements + size,
                                         static_cast<std::size_t>(count - 1) * size) == 0;
    for (index_t i = 0; i < count; ++i)
        if (!is_fill(i)) return false;
    return true;
}

/// An element that is the fill.
class FillElement {
public:
    explicit FillElement(const Chunks& chunks) : block_(chunks.element_type(), 1) {
        const TypeDescriptor& type = chunks.element_type().descriptor();
        if (type.trivial) type.construct(block_.data(), 1);
        chunks.fill_into(block_.data());
    }
    const std::byte* data() const noexcept { return block_.at(0); }

private:
    ElementBlock block_;
};

} // namespace

index_t elements_to_replace(const Chunks& chunks, index_t number) {
    const ChunkGrid& grid = chunks.grid();
    const Shape at = chunk_place(chunks, number);
    index_t inside = 1;
    for (std::size_t axis = 0; axis < at.size(); ++axis)
        inside *= std::min(grid.chunk[axis], grid.shape[axis] - at[axis] * grid.chunk[axis]);
    return chunks.keeps_beyond_shape() ? chunks.elements_per_chunk() : inside;
}

WrittenChunk::WrittenChunk(Chunks& whole, index_t number)
    : whole_(whole),
      chunks_(whole.written_chunks()),
      number_(number),
      lock_(ChunkCache::instance().write_lock(*chunks_.store(), number)),
      counted_(checked_bytes(chunks_.elements_per_chunk(), chunks_.element_type().size_bytes(),
                             "write_chunk"),
               "write_chunk"),
      memory_(allocate_elements(chunks_.element_type(), chunks_.elements_per_chunk())) {}

void WrittenChunk::start_from_fill() {
    const DType dtype = chunks_.element_type();
    copy_elements(dtype, chunks_.elements_per_chunk(), {FillElement(chunks_).data(), 0},
                  {data(), dtype.size_bytes()});
}

void WrittenChunk::start_from_stored() {
    const DType dtype = chunks_.element_type();
    const PinnedChunk old = pinned_chunk(chunks_, number_, PinFor::copying);
    copy_elements(dtype, chunks_.elements_per_chunk(),
                  {old.data(), old.is_fill() ? 0 : dtype.size_bytes()},
                  {data(), dtype.size_bytes()});
}

void WrittenChunk::store() {
    const index_t count = chunks_.elements_per_chunk();
    const Shape at = chunk_place(chunks_, number_);
    if (all_are(chunks_.element_type(), data(), count, FillElement(chunks_).data())) {
        chunks_.erase_chunk_at(at);
        forget(at);
    } else {
        chunks_.write_chunk_from(at, data());
        // First of all, so that nobody finds the old elements, whatever happens then.
        forget(at);
        ChunkCache::instance().put(*chunks_.store(), number_, std::move(memory_),
                                   std::move(counted_));
    }
    count_written_chunk();
}

void WrittenChunk::forget(ShapeSpan at) const {
    forget_chunk(*chunks_.store(), number_);
    if (&chunks_ == &whole_) return;
    Shape first(at.size());
    Shape last(at.size());
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        const index_t parts = chunks_.grid().chunk[axis] / whole_.grid().chunk[axis];
        first[axis] = at[axis] * parts;
        last[axis] = std::min(first[axis] + parts, whole_.counts()[axis]);
    }
    for (Shape part = first;;) {
        forget_chunk(*whole_.store(), chunk_number(whole_, part));
        std::size_t axis = at.size();
        for (; axis > 0 && ++part[axis - 1] == last[axis - 1]; --axis)
            part[axis - 1] = first[axis - 1];
        if (axis == 0) return;
    }
}

} // namespace purview
