#include "reader/element_memory.hpp"

#include <purview/reader/allocation.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {

std::shared_ptr<void> allocate_elements(DType dtype, index_t count) {
    const TypeDescriptor& type = dtype.descriptor();
    std::shared_ptr<void> memory =
        allocate_bytes(checked_bytes(count, dtype.size_bytes(), "allocate_elements"),
                       std::max(kAllocationAlignment, static_cast<index_t>(type.alignment)));
    if (type.trivial) return memory;
    void* const first = memory.get();
    type.construct(first, count);
    return {first, [memory = std::move(memory), count, &type](void* elements) {
                type.destroy(elements, count);
            }};
}

} // namespace purview
