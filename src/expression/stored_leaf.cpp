#include "expression/stored_leaf.hpp"

#include <purview/reader/buffer.hpp>

#include "dtype/stored_types.hpp"
#include "reader/byte_swapped.hpp"

#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// A reader of elements, and its writing half.
struct SharedElements {
    std::shared_ptr<const AnyReader> reader;
    AnyWriter* writer;
};

template <typename B>
SharedElements shared_elements(std::shared_ptr<B> elements) {
    AnyWriter& writer = *elements;
    return {std::move(elements), &writer};
}

NodePtr leaf_of_elements(SharedElements elements, bool writable) {
    if (!writable) return make_node<Leaf>(std::move(elements.reader));
    return make_node<Leaf>(std::move(elements.reader), *elements.writer);
}

} // namespace

NodePtr leaf_over_stored(const char* what, const StoredMemory& memory, Owner owner,
                         StorageId storage) {
    return leaf_of_elements(
        visit_stored_dtype(
            memory.dtype, what,
            [&]<typename T>(std::type_identity<T>) {
                auto buffer =
                    std::make_shared<Buffer<T>>(reinterpret_cast<T*>(memory.data), memory.size,
                                                memory.stride_bytes, owner, storage);
                if (memory.swapped && kSwappedBytes < T >> 1)
                    return shared_elements(std::make_shared<ByteSwapped<T>>(
                        memory.data, memory.size, memory.stride_bytes, owner, buffer->storage()));
                return shared_elements(std::move(buffer));
            }),
        memory.writable);
}

Operand new_stored_memory(const char* what, DType dtype, Dimensions dims, bool initialized) {
    const index_t size = dims.size();
    const auto allocated = [&]<typename T>(std::type_identity<T>) {
        return shared_elements(allocate_buffer_for<T>(
            size, initialized, initialized ? "allocate_buffer" : "allocate_uninitialized_buffer"));
    };
    SharedElements elements = dtype == kDType<std::string>
                                  ? allocated(std::type_identity<std::string>{})
                                  : visit_stored_dtype(dtype, what, allocated);
    return {leaf_of_elements(std::move(elements), true), std::move(dims)};
}

} // namespace purview
