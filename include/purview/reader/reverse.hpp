#pragma once

#include <purview/reader/strided.hpp>

#include <memory>
#include <utility>

namespace purview {

/// A reader's elements from the last to the first, without copying: it reads (and, when the source
/// is writable, writes) through, and co-owns the source. Memory stays visible, with its stride
/// negated. O(1).
template <ReadableSource B>
std::shared_ptr<StridedOver<B>> reverse(std::shared_ptr<B> source) {
    Source<ElementOf<B>, WritableSource<B>> shared(std::move(source), "reverse");
    const index_t size = shared.reader().size();
    return make_strided<B>(std::move(shared), size - 1, -1, size);
}

} // namespace purview
