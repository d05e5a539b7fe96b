#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/leaf.hpp>

namespace purview::inline v0_1::engine {

inline const std::byte* element_of(MemoryView memory, index_t address) noexcept {
    return static_cast<const std::byte*>(memory.data) + address * memory.stride_bytes;
}
/// The place of an element of a leaf with memory.
inline const std::byte* element_of(const Leaf& leaf, index_t address) noexcept {
    return element_of(leaf.memory(), address);
}

/// Assigns the elements [begin, begin + count) that `addresses` names to constructed elements at
/// `out`.
void load_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                   index_t count, void* out);
/// The same for a leaf of a built-in type in memory, from where else its elements may lie now.
void load_from_memory(const Leaf& leaf, MemoryView memory,
                      const dimensions::AddressStream& addresses, index_t begin, index_t count,
                      void* out);

/// Writes `count` elements at `values` to the addresses [begin, begin + count) of `addresses`. The
/// leaf has a writer.
void store_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                    index_t count, const void* values);

} // namespace purview::engine
