#include "engine/places/memory_leaf.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include <memory>

namespace purview::inline v0_1::engine {

NodePtr memory_leaf(DType dtype, void* memory, index_t count) {
    return visit_dtype(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        const auto buffer = std::make_shared<Buffer<T>>(
            static_cast<T*>(memory), count, static_cast<index_t>(sizeof(T)), borrowed(memory));
        return make_node<Leaf>(buffer, *buffer);
    });
}

NodePtr new_memory_leaf(DType dtype, index_t count, void*& place) {
    return visit_dtype(dtype, "sum", [&]<typename T>(std::type_identity<T>) {
        const BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(count);
        place = buffer->writable_memory().data;
        return make_node<Leaf>(buffer, *buffer);
    });
}

} // namespace purview::engine
