#include <purview/interop/view_as.hpp>

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>

#include "interop/described_operand.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

/// A view of the memory of `t`, described otherwise.
AnyTensor described_otherwise(const char* what, const AnyTensor& t,
                              const MemoryDescriptor& memory) {
    const Leaf& leaf = *leaf_of(t.operand());
    return AnyTensor::view_of(
        t, described_operand(what, memory, leaf.shared_reader(), leaf.reader().storage()));
}

} // namespace

AnyTensor view_as(const AnyTensor& t, DType dtype) {
    MemoryDescriptor memory = describe_as("view_as", t);
    const index_t from = memory.dtype.size_bytes();
    const index_t to = dtype.size_bytes();
    const auto refuse = [&](const char* why) {
        throw ShapeError(fmt::format("view_as: shape {} of {} with strides of {} bytes as {}: {}",
                                     to_string(memory.shape), memory.dtype.name(),
                                     to_string(memory.strides), dtype.name(), why));
    };
    if (memory.byte_order != std::endian::native)
        refuse("the elements are in the other byte order");
    if (!memory.dtype.descriptor().trivial || !dtype.descriptor().trivial)
        refuse("the types are not both plain bytes");
    if (from > to) {
        if (from % to != 0) refuse("an element is no whole number of elements");
        memory.shape.push_back(from / to);
        memory.strides.push_back(to);
    } else if (from < to) {
        if (memory.shape.empty() || memory.shape.back() * from != to ||
            memory.strides.back() != from)
            refuse("the last axis is not one element without gaps");
        memory.shape.pop_back();
        memory.strides.pop_back();
    }
    memory.dtype = dtype;
    return described_otherwise("view_as", t, memory);
}

AnyTensor byte_swapped(const AnyTensor& t) {
    MemoryDescriptor memory = describe_as("byte_swapped", t);
    memory.byte_order =
        memory.byte_order == std::endian::little ? std::endian::big : std::endian::little;
    return described_otherwise("byte_swapped", t, memory);
}

} // namespace purview
