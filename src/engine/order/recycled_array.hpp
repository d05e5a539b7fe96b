#pragma once

#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace purview::inline v0_1::engine {

/// Elements of any trivial type, not initialised, in memory that is recycled if it is large. Copies
/// share it.
template <typename T>
    requires std::is_trivially_copyable_v<T>
class RecycledArray {
public:
    RecycledArray() = default;
    explicit RecycledArray(index_t size)
        : memory_(allocate_bytes(checked_bytes(size, sizeof(T), "memory"))),
          data_(static_cast<T*>(memory_.get())),
          size_(size) {}
    RecycledArray(index_t size, T value) : RecycledArray(size) { std::fill(begin(), end(), value); }

    index_t size() const noexcept { return size_; }
    T& operator[](index_t i) const noexcept { return data_[i]; }
    T* begin() const noexcept { return data_; }
    T* end() const noexcept { return data_ + size_; }

private:
    std::shared_ptr<void> memory_;
    T* data_ = nullptr;
    index_t size_ = 0;
};

} // namespace purview::engine
