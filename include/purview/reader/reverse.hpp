#pragma once

#include <purview/reader/strided.hpp>

#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// The elements of a reader from the last to the first, without copying: reads (and, when the
/// source is writable, writes) go through to the source, which it co-owns. Memory stays visible,
/// with its stride negated. O(1).
template <ReadableSource B>
std::shared_ptr<StridedOver<B>> reverse(std::shared_ptr<B> source) {
    Source<ElementOf<B>, WritableSource<B>> shared(std::move(source), "reverse");
    const index_t size = shared.reader().size();
    return make_strided<B>(std::move(shared), size - 1, -1, size);
}

} // namespace purview
