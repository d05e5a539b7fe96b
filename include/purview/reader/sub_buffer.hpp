#pragma once

#include <purview/reader/strided.hpp>

#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// Throws `ShapeError` unless the `length` elements from `offset` on lie within `size` elements.
PURVIEW_EXPORT void check_sub_buffer(index_t offset, index_t length, index_t size);

/// The elements [offset, offset + length) of a reader, without copying: reads (and, when the source
/// is writable, writes) go through to the source, which it co-owns. Memory stays visible. O(1).
/// Throws `ShapeError: sub_buffer: offset 3 and length 9 leave a buffer of size 10`, also if either
/// is negative.
template <ReadableSource B>
std::shared_ptr<StridedOver<B>> sub_buffer(std::shared_ptr<B> source, index_t offset,
                                           index_t length) {
    Source<ElementOf<B>, WritableSource<B>> shared(std::move(source), "sub_buffer");
    check_sub_buffer(offset, length, shared.reader().size());
    return make_strided<B>(std::move(shared), offset, 1, length);
}

} // namespace purview
