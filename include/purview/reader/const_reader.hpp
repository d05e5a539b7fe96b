#pragma once

#include <purview/reader/reader.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

[[noreturn]] PURVIEW_EXPORT void throw_negative_size(index_t size, const char* what);

/// One value at every index: what `const_reader` returns. Its memory is the one value, with stride
/// 0.
template <ElementType T>
class ConstReader final : public Reader<T> {
public:
    /// Throws `ShapeError` when `size` is negative.
    ConstReader(T value, index_t size) : value_(std::move(value)), size_(size) {
        if (size < 0) throw_negative_size(size, "const_reader");
    }

    const T& value() const noexcept { return value_; }
    index_t size() const noexcept override { return size_; }
    Kind kind() const noexcept override { return Kind::constant; }
    MemoryView memory() const noexcept override { return {&value_, 0}; }
    StorageId storage() const noexcept override { return {&value_, sizeof(T)}; }

    T read([[maybe_unused]] index_t i) const override {
        PURVIEW_ASSERT(i >= 0 && i < size_);
        return value_;
    }
    void read_block(index_t, index_t, std::span<T> out) const override {
        for (T& value : out) value = value_;
    }
    void gather(std::span<const index_t>, std::span<T> out) const override {
        for (T& value : out) value = value_;
    }

private:
    T value_;
    index_t size_;
};

/// `value` at each of `n` indexes; `Kind::constant`. O(1). Throws `ShapeError` when `n` is
/// negative.
template <ElementType T>
std::shared_ptr<ConstReader<T>> const_reader(T value, index_t n) {
    return std::make_shared<ConstReader<T>>(std::move(value), n);
}

/// A string literal, which is stored as a `std::string`, at each of `n` indexes.
PURVIEW_EXPORT std::shared_ptr<ConstReader<std::string>> const_reader(const char* value, index_t n);

} // namespace purview
