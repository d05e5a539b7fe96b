#pragma once

#include <purview/reader/memory_view.hpp>
#include <purview/tensor/tensor.hpp>

#include <iosfwd>
#include <optional>

namespace purview::inline v0_1 {

/// Where the elements of a strided tensor lie.
struct TensorLayout {
    Shape strides;      ///< in elements
    index_t offset = 0; ///< of the first element, in elements from the start of the storage
    Shape size;         ///< the extents including padding, as deduced from the strides: size >=
                        ///< shape
    index_t alignment =
        1; ///< the largest power of two, up to 4096, that divides the address of the first element

    friend bool operator==(const TensorLayout&, const TensorLayout&) = default;
};

/// What is known of a tensor without reading it (nGraph's tensor description).
struct TensorDescription {
    DType dtype;
    int rank = 0;
    Shape shape;
    bool read_only = true;              ///< an r-tensor; false: an l-tensor
    std::optional<TensorLayout> layout; ///< only if strides describe it
    StorageId storage; ///< the allocation that holds the elements; a null address for a computed
                       ///< tensor
};

/// Prints one line: `float64[3 2] l-tensor strides [2 1] offset 0 size [3 2] alignment 64 storage
/// 0x… (48 bytes)`.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const TensorDescription& description);

template <ElementType T>
TensorDescription MutableTensor<T>::description() const {
    return TensorHandle::description(is_read_only());
}

} // namespace purview
