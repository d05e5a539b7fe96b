#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/leaf.hpp>

namespace purview::inline v0_1::engine {

/// The place of an element of a leaf with memory.
inline const std::byte* element_of(const Leaf& leaf, index_t address) noexcept {
    const MemoryView memory = leaf.memory();
    return static_cast<const std::byte*>(memory.data) + address * memory.stride_bytes;
}

/// Assigns the elements [begin, begin + count) that `addresses` names to constructed elements at
/// `out`.
void load_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                   index_t count, void* out);

/// Writes `count` elements at `values` to the addresses [begin, begin + count) of `addresses`. The
/// leaf has a writer.
void store_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                    index_t count, const void* values);

} // namespace purview::engine
