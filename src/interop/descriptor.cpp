#include <purview/interop/descriptor.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/expression/leaf.hpp>

#include "expression/stored_leaf.hpp"
#include "interop/described_operand.hpp"
#include "reader/byte_swapped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>

namespace purview::inline v0_1 {
namespace {

/// The largest number of bytes, at most `size`, that all strides are multiples of.
index_t address_unit(const MemoryDescriptor& memory, index_t size) {
    return std::accumulate(memory.strides.begin(), memory.strides.end(), size,
                           [](index_t unit, index_t stride) { return std::gcd(unit, stride); });
}

/// The layout in units of `unit` bytes.
ForeignLayout layout_of(const char* what, const MemoryDescriptor& memory, index_t unit) {
    Shape strides = memory.strides;
    for (index_t& stride : strides) stride /= unit;
    return foreign_layout(what, memory.pointer, memory.shape, strides, -1);
}

/// Whether no two elements share a byte.
bool has_separate_elements(const MemoryDescriptor& memory) {
    Shape shape = memory.shape;
    Shape strides = memory.strides;
    shape.push_back(memory.dtype.size_bytes());
    strides.push_back(1);
    return Dimensions::strided(shape, strides).is_unique();
}

} // namespace

Operand described_operand(const char* what, MemoryDescriptor memory, Owner owner,
                          StorageId storage) {
    const index_t size = memory.dtype.size_bytes();
    if (memory.shape.size() != memory.strides.size())
        throw ShapeError(fmt::format("{}: shape {} has {} axes and strides {} have {}", what,
                                     to_string(memory.shape), memory.shape.size(),
                                     to_string(memory.strides), memory.strides.size()));
    for (std::size_t axis = 0; axis < memory.shape.size(); ++axis)
        if (memory.shape[axis] <= 1) memory.strides[axis] = 0; // which no element has, may be any
    constexpr index_t kLowest = std::numeric_limits<index_t>::lowest();
    if (std::ranges::find(memory.strides, kLowest) != memory.strides.end())
        throw ShapeError(
            fmt::format("{}: strides {} cannot be addressed", what, to_string(memory.strides)));
    const index_t unit = address_unit(memory, size);
    ForeignLayout layout = layout_of(what, memory, unit);
    const bool is_unique = unit == size ? layout.is_unique : has_separate_elements(memory);
    // As an integer: whether it lies within the address space is checked by the buffer.
    auto* const data = reinterpret_cast<std::byte*>(
        reinterpret_cast<std::uintptr_t>(memory.pointer) +
        static_cast<std::uintptr_t>(layout.lowest) * static_cast<std::uintptr_t>(unit));
    const StoredMemory elements{.dtype = memory.dtype,
                                .data = data,
                                .size = layout.count,
                                .stride_bytes = unit,
                                .swapped = memory.byte_order != std::endian::native,
                                .writable = !memory.read_only && is_unique};
    return {leaf_over_stored(what, elements, std::move(owner), storage), std::move(layout.dims)};
}

AnyTensor wrap_described(const MemoryDescriptor& memory, Owner owner) {
    return AnyTensor::writable(described_operand("wrap", memory, std::move(owner)));
}

MemoryDescriptor describe_as(const char* what, const AnyTensor& t) {
    require_host_reads(what, t.operand());
    const Leaf* const leaf = leaf_of(t.operand());
    const Dimensions& dims = t.operand().dims;
    MemoryDescriptor memory{.dtype = t.dtype(), .shape = t.shape(), .strides = {}};
    if (leaf == nullptr || !dims.is_strided())
        throw ShapeError(fmt::format("{}: this {} tensor of shape {} is {}: tensor(t) copies it to "
                                     "memory",
                                     what, t.dtype().name(), to_string(t.shape()),
                                     leaf == nullptr ? "computed" : "not laid out by strides"));
    MemoryView elements = leaf->memory();
    if (!elements) {
        const auto* const other = dynamic_cast<const SwappedMemory*>(&leaf->reader());
        if (other == nullptr)
            throw ShapeError(fmt::format("{}: the reader of this {} tensor of shape {} reveals no "
                                         "memory: tensor(t) copies it to memory",
                                         what, t.dtype().name(), to_string(t.shape())));
        elements = {other->data, other->stride_bytes};
        memory.byte_order =
            std::endian::native == std::endian::little ? std::endian::big : std::endian::little;
    }
    const auto* const first =
        static_cast<const std::byte*>(elements.data) + dims.base() * elements.stride_bytes;
    memory.pointer = const_cast<std::byte*>(first);
    for (const index_t stride : dims.strides())
        memory.strides.push_back(stride * elements.stride_bytes);
    memory.read_only = t.is_read_only();
    return memory;
}

MemoryDescriptor describe(const AnyTensor& t) { return describe_as("describe", t); }

} // namespace purview
