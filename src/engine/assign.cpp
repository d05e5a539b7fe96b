#include <purview/expression/evaluate.hpp>

#include "dtype/element_block.hpp"
#include "engine/load.hpp"
#include "engine/program.hpp"

#include <algorithm>

namespace purview {
namespace {

using engine::kBlock;

/// Contiguous memory that results can be computed into, or null.
std::byte* direct_memory(const Leaf& leaf, const Operand& destination) {
    const MutableMemoryView memory = leaf.writable_memory();
    const TypeDescriptor& type = leaf.dtype().descriptor();
    if (!memory || memory.stride_bytes != type.size || !destination.dims.is_contiguous())
        return nullptr;
    auto* first = static_cast<std::byte*>(memory.data) + destination.dims.base() * type.size;
    return reinterpret_cast<std::uintptr_t>(first) % type.alignment == 0 ? first : nullptr;
}

void store_all(const Leaf& leaf, const Operand& destination, const std::byte* values) {
    const dimensions::AddressStream addresses(destination.dims);
    engine::store_elements(leaf, addresses, 0, addresses.size(), values);
}

} // namespace

void assign(const Operand& source, const Operand& destination) {
    const engine::Program program = engine::compile(source);
    const Leaf& leaf = *leaf_of(destination);
    if (program.size == 0) return;
    if (depends_on(source, destination)) {
        ElementBlock values(source.dtype(), program.size);
        engine::run(program, 0, program.size, values.data());
        store_all(leaf, destination, values.at(0));
        return;
    }
    if (std::byte* const memory = direct_memory(leaf, destination); memory != nullptr) {
        engine::run(program, 0, program.size, memory);
        return;
    }
    const dimensions::AddressStream addresses(destination.dims);
    ElementBlock block(source.dtype(), std::min(kBlock, program.size));
    for (index_t begin = 0; begin < program.size; begin += kBlock) {
        const index_t count = std::min(kBlock, program.size - begin);
        engine::run(program, begin, count, block.data());
        engine::store_elements(leaf, addresses, begin, count, block.data());
    }
}

} // namespace purview
