#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/tensor/as_span.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

namespace purview::inline v0_1 {

const void* contiguous_memory(const TensorHandle& tensor) {
    require_host_reads("as_span", tensor.operand());
    const Leaf* const leaf = leaf_of(tensor.operand());
    if (leaf == nullptr || !leaf->memory() || !tensor.is_contiguous())
        throw ShapeError(fmt::format(
            "as_span: this tensor of shape {} does not lie in memory in row-major order; "
            "clone it, or make it contiguous",
            to_string(tensor.shape())));
    const index_t base = tensor.empty() ? 0 : tensor.dimensions().base();
    const auto* const first =
        static_cast<const std::byte*>(leaf->memory().data) + base * leaf->memory().stride_bytes;
    if (reinterpret_cast<std::uintptr_t>(first) % tensor.dtype().descriptor().alignment != 0)
        throw ShapeError(fmt::format("as_span: the memory of this tensor is not aligned for {}; "
                                     "make it contiguous",
                                     tensor.dtype().name()));
    return first;
}

void* writable_contiguous_memory(const TensorHandle& tensor) {
    if (!is_writable(tensor.operand())) throw_read_only("as_span", tensor.operand());
    return const_cast<void*>(contiguous_memory(tensor));
}

} // namespace purview
