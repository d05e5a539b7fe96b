#pragma once

#include <purview/reader/read_writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace purview::npy {

/// Reverses the bytes of each of `count` elements of `size` bytes.
inline void swap_bytes(std::byte* first, index_t count, index_t size) noexcept {
    for (index_t i = 0; i < count; ++i) std::reverse(first + i * size, first + (i + 1) * size);
}

/// Contiguous elements in the other byte order than this machine's, which are swapped whenever they
/// are read or written. The memory is not revealed, because nobody could read it directly.
template <ElementType T>
    requires std::is_trivially_copyable_v<T>
class ByteSwapped final : public ReadWriter<T> {
public:
    /// `data` must be writable if this object is ever written to.
    ByteSwapped(const std::byte* data, index_t size, Owner owner, StorageId storage)
        : data_(data), size_(size), owner_(std::move(owner)), storage_(storage) {}

    index_t size() const noexcept override { return size_; }
    StorageId storage() const noexcept override { return storage_; }

    T read(index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        std::byte bytes[sizeof(T)] = {};
        std::reverse_copy(place(i), place(i) + sizeof(T), bytes);
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        return value;
    }
    void read_block(index_t begin, index_t step, std::span<T> out) const override {
        const auto count = static_cast<index_t>(out.size());
        T* const values = out.data();
        for (index_t i = 0; i < count; ++i) values[i] = ByteSwapped::read(begin + i * step);
    }

    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
        std::reverse_copy(bytes, bytes + sizeof(T), const_cast<std::byte*>(place(i)));
    }

private:
    const std::byte* place(index_t i) const noexcept {
        return data_ + i * static_cast<index_t>(sizeof(T));
    }

    const std::byte* data_;
    index_t size_;
    Owner owner_;
    StorageId storage_;
};

} // namespace purview::npy
