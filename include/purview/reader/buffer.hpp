#pragma once

#include <purview/dtype/canonical.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/element_refs.hpp>
#include <purview/reader/read_writer.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Checks that `size` elements from `data` on, `stride_bytes` apart, can be addressed, and returns
/// the block of memory that contains them. `alignment` is 1 for types that are read by unaligned
/// loads; for other types elements also must not overlap. Throws `ShapeError` naming `what`.
PURVIEW_EXPORT StorageId checked_memory_layout(const void* data, index_t size, index_t stride_bytes,
                                               index_t element_bytes, index_t alignment,
                                               const char* what);

/// Throws `Error` naming `what`: no owner was given. Memory is borrowed only by an explicit
/// `borrowed`.
[[noreturn]] PURVIEW_EXPORT void throw_without_owner(const char* what);

/// The non-null address that memory views have when there are no elements. It must not be read.
PURVIEW_EXPORT void* empty_memory() noexcept;

/// The reading half of a buffer: strided memory with an owner. Use `Buffer<T>` or `ConstBuffer<T>`.
template <typename Base>
class PURVIEW_EXPORT StridedMemory : public Base {
public:
    using T = typename Base::value_type;

    // Not copyable, as elements may lie in this object's own allocation. Pointers to it are shared
    // instead.
    StridedMemory(const StridedMemory&) = delete;
    StridedMemory& operator=(const StridedMemory&) = delete;
    /// Memory that elements of this thread (`Element`) refer to is kept until they are destroyed.
    ~StridedMemory() override {
        if (has_element_refs()) [[unlikely]]
            keep_referenced();
    }

    index_t size() const noexcept final { return size_; }
    /// Bytes from one element to the next; may be zero or negative.
    index_t stride_bytes() const noexcept { return stride_bytes_; }
    MemoryView memory() const noexcept final { return {data_, stride_bytes_}; }
    StorageId storage() const noexcept final { return storage_; }
    /// What keeps the memory alive. Empty for borrowed memory, and for elements that lie in one
    /// allocation with this buffer, which live as long as the buffer.
    const Owner& owner() const noexcept { return owner_; }

    T read(index_t i) const final {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return load_element<T>(data_ + i * stride_bytes_);
    }

    void read_block(index_t begin, index_t step, std::span<T> out) const final {
        PURVIEW_ASSERT(holds(begin, step, out.size()));
        if (out.empty()) return;
        if constexpr (kCopiesAsBytes && !std::same_as<T, bool>) {
            if (step == 1 && is_contiguous()) {
                std::memmove(static_cast<void*>(out.data()), data_ + begin * stride_bytes_,
                             out.size_bytes());
                return;
            }
        }
        const std::byte* const first = data_ + begin * stride_bytes_;
        const index_t advance = out.size() > 1 ? step * stride_bytes_ : 0;
        const auto count = static_cast<index_t>(out.size());
        T* const values = out.data();
        for (index_t i = 0; i < count; ++i) values[i] = load_element<T>(first + i * advance);
    }

    void gather(std::span<const index_t> indexes, std::span<T> out) const final {
        PURVIEW_ASSERT(indexes.size() == out.size());
        for (std::size_t i = 0; i < indexes.size(); ++i) {
            PURVIEW_ASSERT(indexes[i] >= 0 && indexes[i] < size_);
            out[i] = load_element<T>(data_ + indexes[i] * stride_bytes_);
        }
    }

protected:
    static constexpr bool kCopiesAsBytes = std::is_trivially_copyable_v<T>;

    StridedMemory(const void* data, index_t size, index_t stride_bytes, Owner owner,
                  StorageId storage, const char* what)
        : size_(size), stride_bytes_(stride_bytes), storage_(storage), owner_(std::move(owner)) {
        const StorageId touched = checked_memory_layout(data, size, stride_bytes, sizeof(T),
                                                        kCopiesAsBytes ? 1 : alignof(T), what);
        if (owner_ == nullptr && data != nullptr && size > 0) throw_without_owner(what);
        if (storage_.address == nullptr) storage_ = touched;
        data_ = static_cast<const std::byte*>(data == nullptr ? empty_memory() : data);
    }

    /// Over `size` elements in the bytes that follow this object.
    StridedMemory(const TrailingBytes& elements, index_t size) noexcept
        : data_(static_cast<const std::byte*>(elements.data())),
          size_(size),
          stride_bytes_(sizeof(T)),
          storage_{elements.data(), elements.bytes()} {}

    bool is_contiguous() const noexcept { return stride_bytes_ == static_cast<index_t>(sizeof(T)); }
    bool holds(index_t begin, index_t step, std::size_t count) const noexcept {
        if (count == 0) return true;
        const index_t last = begin + (static_cast<index_t>(count) - 1) * step;
        return begin >= 0 && begin < size_ && last >= 0 && last < size_;
    }
    const std::byte* address(index_t i) const noexcept { return data_ + i * stride_bytes_; }

private:
    void keep_referenced() noexcept {
        if (owner_ != nullptr)
            keep_while_referenced(storage_.address, storage_.bytes, std::move(owner_));
        else
            keep_allocation_while_referenced(storage_.address, storage_.bytes, this);
    }

    const std::byte* data_ = nullptr;
    index_t size_;
    index_t stride_bytes_;
    StorageId storage_;
    Owner owner_;
};

/// A read-only buffer: elements at `data + i * stride_bytes`, kept alive by an owner.
template <ElementType T>
class PURVIEW_EXPORT ConstBuffer final : public StridedMemory<Reader<T>> {
public:
    /// Foreign memory, which is not copied and never written. Element 0 is at `data`. The stride
    /// may be zero or negative, and neither the stride nor `data` needs to be aligned for `T` if
    /// `T` is trivially copyable. `owner` is released with the last reader; only `borrowed(data)`
    /// is an owner that owns nothing. `storage` is the block that the memory is part of; by default
    /// the bytes of the elements. O(1). Throws `ShapeError` on a negative size, null data, or a
    /// layout that cannot be addressed, and `Error` when the owner is null.
    ConstBuffer(const T* data, index_t size, index_t stride_bytes, Owner owner,
                StorageId storage = {})
        : StridedMemory<Reader<T>>(data, size, stride_bytes, std::move(owner), storage,
                                   "ConstBuffer") {}
};

/// A readable and writable buffer: elements at `data + i * stride_bytes`, kept alive by an owner.
template <ElementType T>
class PURVIEW_EXPORT Buffer final : public StridedMemory<ReadWriter<T>> {
    using Base = StridedMemory<ReadWriter<T>>;

public:
    /// Foreign memory, as for `ConstBuffer`. With stride 0 or overlapping elements, writing one
    /// element changes others. O(1). Throws `ShapeError` on a negative size, null data, or a layout
    /// that cannot be addressed, and `Error` when the owner is null.
    Buffer(T* data, index_t size, index_t stride_bytes, Owner owner, StorageId storage = {})
        : Base(data, size, stride_bytes, std::move(owner), storage, "Buffer") {}

    /// `size` elements that follow the buffer in one allocation: what `allocate_buffer` makes for
    /// few elements.
    Buffer(const TrailingBytes& elements, index_t size) noexcept : Base(elements, size) {}

    MutableMemoryView writable_memory() noexcept override {
        return {place(0), this->stride_bytes()};
    }

    using Writer<T>::write;
    void write(index_t i, const T& value) override {
        PURVIEW_ASSERT(i >= 0 && i < this->size());
        store_element<T>(place(i), value);
    }

    void write_block(index_t begin, index_t step, std::span<const T> values) override {
        PURVIEW_ASSERT(this->holds(begin, step, values.size()));
        if (values.empty()) return;
        if constexpr (Base::kCopiesAsBytes) {
            if (step == 1 && this->is_contiguous()) {
                std::memmove(place(begin), static_cast<const void*>(values.data()),
                             values.size_bytes());
                return;
            }
        }
        std::byte* const first = place(begin);
        const index_t advance = values.size() > 1 ? step * this->stride_bytes() : 0;
        const auto count = static_cast<index_t>(values.size());
        for (index_t i = 0; i < count; ++i)
            store_element<T>(first + i * advance, values[static_cast<std::size_t>(i)]);
    }

    void scatter(std::span<const index_t> indexes, std::span<const T> values) override {
        PURVIEW_ASSERT(indexes.size() == values.size());
        for (std::size_t i = 0; i < indexes.size(); ++i) {
            PURVIEW_ASSERT(indexes[i] >= 0 && indexes[i] < this->size());
            store_element<T>(place(indexes[i]), values[i]);
        }
    }

private:
    /// Casting const away is valid: the constructors take pointers to non-const memory.
    std::byte* place(index_t i) const noexcept { return const_cast<std::byte*>(this->address(i)); }
};

template <ElementType T>
using BufferPtr = std::shared_ptr<Buffer<T>>;
template <ElementType T>
using ConstBufferPtr = std::shared_ptr<const ConstBuffer<T>>;

template <typename T>
BufferPtr<T> allocate_buffer_for(index_t n, bool initialized, const char* what) {
    const index_t bytes = checked_bytes(n, sizeof(T), what);
    if constexpr (kPlainElement<T>) {
        if (bytes < kLargeBytes) {
            TrailingBytes elements(bytes, kElementAlignment<T>, initialized);
            return std::allocate_shared<Buffer<T>>(TrailingAllocator<Buffer<T>>(elements),
                                                   std::as_const(elements), n);
        }
    }
    std::shared_ptr<void> memory = allocate_elements<T>(n, bytes, initialized);
    T* const data = static_cast<T*>(memory.get());
    return std::make_shared<Buffer<T>>(data, n, sizeof(T), std::move(memory));
}

/// A new buffer of `n` value-initialised elements, aligned to 64 bytes. Elements of built-in types
/// lie in one allocation with the buffer, or, from `kLargeBytes` bytes on, in memory that is
/// recycled. Throws `ShapeError` when `n` is negative or its bytes overflow, `std::bad_alloc` when
/// there is not enough memory.
template <ElementType T>
BufferPtr<T> allocate_buffer(index_t n) {
    return allocate_buffer_for<T>(n, true, "allocate_buffer");
}

/// A new buffer of `n` elements that are not initialised: those of built-in types are indeterminate
/// until written; others are default-constructed. Otherwise as `allocate_buffer`.
template <ElementType T>
BufferPtr<T> allocate_uninitialized_buffer(index_t n) {
    return allocate_buffer_for<T>(n, false, "allocate_uninitialized_buffer");
}

/// Takes over the elements of a vector without a copy: O(1). A `std::vector<bool>` stores bits, so
/// it is copied: O(n).
template <typename V>
BufferPtr<Canonical<V>> buffer_from_vector(std::vector<V>&& vector) {
    using T = Canonical<V>;
    const auto n = static_cast<index_t>(vector.size());
    if constexpr (std::same_as<T, bool>) {
        BufferPtr<bool> buffer = allocate_uninitialized_buffer<bool>(n);
        for (index_t i = 0; i < n; ++i) buffer->write(i, vector[static_cast<std::size_t>(i)]);
        return buffer;
    } else {
        auto owner = std::make_shared<std::vector<V>>(std::move(vector));
        T* const data = reinterpret_cast<T*>(owner->data());
        return std::make_shared<Buffer<T>>(data, n, sizeof(T), std::move(owner));
    }
}

// Buffers of the built-in types are compiled once, in src/reader/buffer.cpp. Functions that are have no constraints, as compilers
// mangle the names of constrained templates in different ways.
#define PURVIEW_BUFFERS_OF(what, T)                                                            \
 what template class Reader<T>;                                                                \
 what template class Writer<T>;                                                                \
 what template class ReadWriter<T>;                                                            \
 what template class StridedMemory<Reader<T>>;                                                 \
 what template class StridedMemory<ReadWriter<T>>;                                             \
 what template class ConstBuffer<T>;                                                           \
 what template class Buffer<T>;                                                                \
 what template PURVIEW_EXPORT BufferPtr<T> allocate_buffer_for<T>(index_t, bool, const char*); \
 what template PURVIEW_EXPORT BufferPtr<T> buffer_from_vector<T>(std::vector<T> &&)
#define PURVIEW_EXTERN_BUFFERS(T) PURVIEW_BUFFERS_OF(extern, T);
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_BUFFERS)
#undef PURVIEW_EXTERN_BUFFERS

} // namespace purview
