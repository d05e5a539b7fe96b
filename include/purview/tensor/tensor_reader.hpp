#pragma once

#include <purview/expression/evaluate.hpp>
#include <purview/reader/reader.hpp>
#include <purview/reader/sub_buffer.hpp>
#include <purview/tensor/tensor.hpp>

#include <memory>

namespace purview {

/// The elements of any tensor in row-major order, read through its expression, compiled once.
template <ElementType T>
class TensorReader final : public Reader<T> {
public:
    explicit TensorReader(const Operand& operand)
        : depth_(one_deeper(reader_depth_below(operand), "as_reader")),
          evaluation_(operand),
          operand_(operand) {}

    index_t size() const override { return evaluation_.size(); }
    bool is_thread_safe() const noexcept override { return evaluation_.is_thread_safe(); }
    int depth() const noexcept override { return depth_; }
    T read(index_t i) const override {
        T value{};
        evaluation_.read(i, 1, &value);
        return value;
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        if (step != 1) return Reader<T>::read_block(begin, step, out);
        evaluation_.read(begin, static_cast<index_t>(out.size()), out.data());
    }
    std::vector<StorageId> storages() const override { return storages_below(operand_); }

private:
    int depth_;
    Evaluation evaluation_;
    Operand operand_;
};

/// A tensor as a reader of its elements in row-major order, which shares what the tensor reads. Where these lie in
/// memory one after the other, the reader reveals it. Safe to read from several threads if all is that the tensor
/// reads.
template <TypedTensor X>
ReaderPtr<typename X::value_type> as_reader(const X& tensor) {
    using T = typename X::value_type;
    const Operand& operand = tensor.operand();
    const Leaf* const leaf = leaf_of(operand);
    const Dimensions& dims = operand.dims;
    if (leaf != nullptr && dims.is_contiguous()) {
        auto reader = std::static_pointer_cast<const Reader<T>>(leaf->shared_reader());
        if (dims.is_identity() && dims.size() == leaf->size()) return reader;
        if (dims.size() > 0) return sub_buffer(reader, dims.base(), dims.size());
    }
    return std::make_shared<const TensorReader<T>>(operand);
}

/// The same: a tensor has shares in what it reads, so that there is nothing to borrow.
template <TypedTensor X>
ReaderPtr<typename X::value_type> borrow_reader(const X& tensor) {
    return as_reader(tensor);
}

} // namespace purview
