#pragma once

#include <purview/reader/sub_buffer.hpp>
#include <purview/tensor/operand_reader.hpp>
#include <purview/tensor/tensor.hpp>

#include <memory>

namespace purview::inline v0_1 {

/// A tensor as a reader of its elements in row-major order, sharing ownership of what the tensor
/// reads. If the elements are contiguous in memory, the reader reveals that memory. Safe to read
/// from several threads if everything that the tensor reads is.
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
    return std::static_pointer_cast<const Reader<T>>(operand_reader<T>(operand));
}

/// What `as_reader` gives: a tensor owns a share of what it reads, so nothing needs to be borrowed.
template <TypedTensor X>
ReaderPtr<typename X::value_type> borrow_reader(const X& tensor) {
    return as_reader(tensor);
}

} // namespace purview
