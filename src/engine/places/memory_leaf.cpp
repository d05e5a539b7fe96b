#include "engine/places/memory_leaf.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include <complex>
#include <memory>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

template <typename F>
NodePtr leaf_of_type(DType dtype, const char* what, F make) {
    if (dtype == kDType<std::complex<float>>)
        return make(std::type_identity<std::complex<float>>());
    if (dtype == kDType<std::complex<double>>)
        return make(std::type_identity<std::complex<double>>());
    return visit_dtype(dtype, what, make);
}

} // namespace

NodePtr memory_leaf(DType dtype, void* memory, index_t count) {
    return leaf_of_type(dtype, "reduce", [&]<typename T>(std::type_identity<T>) {
        const auto buffer = std::make_shared<Buffer<T>>(
            static_cast<T*>(memory), count, static_cast<index_t>(sizeof(T)), borrowed(memory));
        return make_node<Leaf>(buffer, *buffer);
    });
}

Operand memory_operand(DType dtype, void* memory, ShapeSpan shape) {
    Dimensions dims = Dimensions::row_major(shape);
    NodePtr leaf = memory_leaf(dtype, memory, dims.size());
    return {std::move(leaf), std::move(dims)};
}

NodePtr new_memory_leaf(DType dtype, index_t count, void*& place) {
    return leaf_of_type(dtype, "sum", [&]<typename T>(std::type_identity<T>) {
        const BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(count);
        place = buffer->writable_memory().data;
        return make_node<Leaf>(buffer, *buffer);
    });
}

} // namespace purview::engine
