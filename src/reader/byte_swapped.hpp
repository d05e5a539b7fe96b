#pragma once

#include <purview/dtype/complex_element.hpp>
#include <purview/reader/read_writer.hpp>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// The bytes that a byte order concerns: of complex numbers, each part by itself.
template <typename T>
inline constexpr index_t kSwappedBytes = sizeof(T);
template <ComplexElement T>
inline constexpr index_t kSwappedBytes<T> = sizeof(T) / 2;

/// The same of a type known at run time.
inline index_t swapped_width(DType dtype) {
    const bool is_complex =
        dtype == kDType<std::complex<float>> || dtype == kDType<std::complex<double>>;
    return is_complex ? dtype.size_bytes() / 2 : dtype.size_bytes();
}

/// Reverses the bytes of each of `count` groups of `size` bytes.
inline void swap_bytes(std::byte* first, index_t count, index_t size) noexcept {
    for (index_t i = 0; i < count; ++i) std::reverse(first + i * size, first + (i + 1) * size);
}

/// Where elements in the other byte order lie.
struct SwappedMemory {
    const void* data;
    index_t stride_bytes;
};

/// Elements in the other byte order than this machine's, `stride_bytes` apart, which are swapped
/// whenever they are read or written. The memory is not revealed, because nobody could read it
/// directly.
template <ElementType T>
    requires std::is_trivially_copyable_v<T>
class ByteSwapped final : public ReadWriter<T>, public SwappedMemory {
public:
    /// `data` must be writable if this object is ever written to.
    ByteSwapped(const void* data, index_t size, index_t stride_bytes, Owner owner,
                StorageId storage)
        : SwappedMemory{data, stride_bytes},
          size_(size),
          owner_(std::move(owner)),
          storage_(storage) {}

    index_t size() const noexcept override { return size_; }
    StorageId storage() const noexcept override { return storage_; }

    T read(index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        T value;
        std::byte bytes[sizeof(T)];
        std::memcpy(bytes, place(i), sizeof(T));
        swap_bytes(bytes, kParts, kSwappedBytes<T>);
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
        auto* const bytes = const_cast<std::byte*>(place(i));
        std::memcpy(bytes, &value, sizeof(T));
        swap_bytes(bytes, kParts, kSwappedBytes<T>);
    }

private:
    static constexpr index_t kParts = index_t{sizeof(T)} / kSwappedBytes<T>;

    const std::byte* place(index_t i) const noexcept {
        return static_cast<const std::byte*>(data) + i * stride_bytes;
    }

    index_t size_;
    Owner owner_;
    StorageId storage_;
};

} // namespace purview
