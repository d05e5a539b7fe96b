#include "engine/places/memory_leaf.hpp"

#include <purview/dtype/visit.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "reader/element_memory.hpp"

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

/// Contiguous elements of any type at an address.
class ElementsInMemory final : public AnyReader, public AnyWriter {
public:
    ElementsInMemory(DType dtype, void* first, index_t count, std::shared_ptr<void> owner = nullptr)
        : dtype_(dtype),
          first_(static_cast<std::byte*>(first)),
          count_(count),
          owner_(std::move(owner)) {}

    DType dtype() const noexcept override { return dtype_; }
    DType written_dtype() const noexcept override { return dtype_; }
    index_t size() const override { return count_; }
    MemoryView memory() const noexcept override { return {first_, dtype_.size_bytes()}; }
    MutableMemoryView writable_memory() noexcept override { return {first_, dtype_.size_bytes()}; }
    StorageId storage() const noexcept override { return {first_, count_ * dtype_.size_bytes()}; }

    void read_into(index_t begin, index_t step, index_t count, void* out) const override {
        for (index_t i = 0; i < count; ++i) copy(at(begin + i * step), element_at(out, i));
    }
    void gather_into(std::span<const index_t> indexes, void* out) const override {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            copy(at(indexes[i]), element_at(out, static_cast<index_t>(i)));
    }
    void write_from(index_t begin, index_t step, index_t count, const void* values) override {
        for (index_t i = 0; i < count; ++i) copy(element_at(values, i), at(begin + i * step));
    }
    void scatter_from(std::span<const index_t> indexes, const void* values) override {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            copy(element_at(values, static_cast<index_t>(i)), at(indexes[i]));
    }

private:
    std::byte* at(index_t i) const noexcept { return first_ + i * dtype_.size_bytes(); }
    std::byte* element_at(void* elements, index_t i) const noexcept {
        return static_cast<std::byte*>(elements) + i * dtype_.size_bytes();
    }
    const std::byte* element_at(const void* elements, index_t i) const noexcept {
        return static_cast<const std::byte*>(elements) + i * dtype_.size_bytes();
    }
    void copy(const std::byte* from, std::byte* to) const { dtype_.descriptor().copy(from, to, 1); }

    DType dtype_;
    std::byte* first_;
    index_t count_;
    std::shared_ptr<void> owner_;
};

bool has_buffer(DType dtype) {
    return dtype.is_builtin() || dtype == kDType<std::complex<float>> ||
           dtype == kDType<std::complex<double>>;
}

} // namespace

NodePtr memory_leaf(DType dtype, void* memory, index_t count) {
    if (!has_buffer(dtype)) [[unlikely]] {
        const auto elements = std::make_shared<ElementsInMemory>(dtype, memory, count);
        return make_node<Leaf>(elements, *elements);
    }
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
    if (!has_buffer(dtype)) [[unlikely]] {
        std::shared_ptr<void> memory = allocate_elements(dtype, count);
        place = memory.get();
        const auto elements =
            std::make_shared<ElementsInMemory>(dtype, place, count, std::move(memory));
        return make_node<Leaf>(elements, *elements);
    }
    return leaf_of_type(dtype, "sum", [&]<typename T>(std::type_identity<T>) {
        const BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(count);
        place = buffer->writable_memory().data;
        return make_node<Leaf>(buffer, *buffer);
    });
}

} // namespace purview::engine
