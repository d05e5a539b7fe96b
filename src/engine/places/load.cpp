#include "engine/places/load.hpp"

#include <purview/dtype/element_access.hpp>
#include <purview/dtype/visit.hpp>

#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>

namespace purview::inline v0_1::engine {
namespace {

/// The most addresses in one call of `gather_into` or `scatter_from`, for elements at no constant
/// step.
constexpr index_t kGather = 256;
/// The most addresses in one call of the kernel `copy_indexed`, for leaves in memory.
constexpr index_t kListed = 512;

/// Splits the elements [begin, begin + count) into runs of constant step worth a call of their own,
/// and lists of addresses for the rest.
template <typename OnRun, typename OnList>
void visit_addresses(const dimensions::AddressStream& addresses, index_t begin, index_t count,
                     OnRun on_run, OnList on_list) {
    std::array<index_t, kGather> list;
    index_t listed = 0;
    index_t position = 0;
    const auto flush = [&] {
        if (listed > 0)
            on_list(position - listed, std::span(list.data(), static_cast<std::size_t>(listed)));
        listed = 0;
    };
    addresses.runs(begin, count, [&](index_t address, index_t step, index_t length) {
        if (length >= 8) {
            flush();
            on_run(position, address, step, length);
            position += length;
            return;
        }
        for (index_t i = 0; i < length; ++i) {
            if (listed == kGather) flush();
            list[static_cast<std::size_t>(listed++)] = address + i * step;
            ++position;
        }
    });
    flush();
}

template <typename T>
void load_strided(const std::byte* from, index_t stride_bytes, index_t count, T* out) {
    if (!std::same_as<T, bool> && stride_bytes == sizeof(T)) {
        std::memcpy(out, from, static_cast<std::size_t>(count) * sizeof(T));
        return;
    }
    for (index_t i = 0; i < count; ++i) out[i] = load_element<T>(from + i * stride_bytes);
}

template <typename T>
void load_runs(MemoryView memory, const dimensions::AddressStream& addresses, index_t begin,
               index_t count, T* out) {
    addresses.runs(begin, count, [&](index_t address, index_t step, index_t length) {
        load_strided(element_of(memory, address), step * memory.stride_bytes, length, out);
        out += length;
    });
}

/// Loads elements at addresses that follow an index list. One by one: runs of constant step would
/// be short.
void load_listed(MemoryView memory, index_t size, bool far,
                 const dimensions::AddressStream& addresses, index_t begin, index_t count,
                 std::byte* out) {
    if (const auto of = addresses.list()) {
        kernels().copy_indexed(static_cast<std::size_t>(size), element_of(memory, of->base),
                               of->stride * memory.stride_bytes, of->entries + begin, out, size,
                               nullptr, count, far, false);
        return;
    }
    std::array<index_t, kListed> list;
    while (count > 0) {
        const index_t some = std::min(count, kListed);
        addresses.read(begin, std::span(list.data(), static_cast<std::size_t>(some)));
        kernels().copy_indexed(static_cast<std::size_t>(size), memory.data, memory.stride_bytes,
                               list.data(), out, size, nullptr, some, far, false);
        begin += some;
        count -= some;
        out += some * size;
    }
}

template <typename T>
void store_memory(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                  index_t count, const T* values) {
    const MutableMemoryView memory = leaf.writable_memory();
    addresses.runs(begin, count, [&](index_t address, index_t step, index_t length) {
        auto* to = static_cast<std::byte*>(memory.data) + address * memory.stride_bytes;
        for (index_t i = 0; i < length; ++i)
            store_element<T>(to + i * step * memory.stride_bytes, *values++);
    });
}

} // namespace

void load_from_memory(const Leaf& leaf, MemoryView memory,
                      const dimensions::AddressStream& addresses, index_t begin, index_t count,
                      void* out) {
    const DType dtype = leaf.dtype();
    const index_t size = dtype.size_bytes();
    if (dtype != boolean && addresses.follows_list())
        return load_listed(memory, size, leaf.size() >= kSecondLevelBytes / size, addresses, begin,
                           count, static_cast<std::byte*>(out));
    visit_dtype(dtype, "read", [&]<typename T>(std::type_identity<T>) {
        load_runs(memory, addresses, begin, count, static_cast<T*>(out));
    });
}

void load_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                   index_t count, void* out) {
    const DType dtype = leaf.dtype();
    if (leaf.memory() && dtype.is_builtin())
        return load_from_memory(leaf, leaf.memory(), addresses, begin, count, out);
    auto* const first = static_cast<std::byte*>(out);
    visit_addresses(
        addresses, begin, count,
        [&](index_t position, index_t address, index_t step, index_t length) {
            leaf.reader().read_into(address, step, length, first + position * dtype.size_bytes());
        },
        [&](index_t position, std::span<const index_t> list) {
            leaf.reader().gather_into(list, first + position * dtype.size_bytes());
        });
}

void store_elements(const Leaf& leaf, const dimensions::AddressStream& addresses, index_t begin,
                    index_t count, const void* values) {
    const DType dtype = leaf.dtype();
    if (leaf.writable_memory() && dtype.is_builtin()) {
        visit_dtype(dtype, "write", [&]<typename T>(std::type_identity<T>) {
            store_memory(leaf, addresses, begin, count, static_cast<const T*>(values));
        });
        return;
    }
    const auto* const first = static_cast<const std::byte*>(values);
    visit_addresses(
        addresses, begin, count,
        [&](index_t position, index_t address, index_t step, index_t length) {
            leaf.writer()->write_from(address, step, length, first + position * dtype.size_bytes());
        },
        [&](index_t position, std::span<const index_t> list) {
            leaf.writer()->scatter_from(list, first + position * dtype.size_bytes());
        });
}

} // namespace purview::engine
