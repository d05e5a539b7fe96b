#pragma once

#include <purview/base/checked.hpp>
#include <purview/dtype/dtype.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

namespace purview::inline v0_1 {

/// A block of constructed elements of a run-time type, aligned for SIMD.
class ElementBlock {
public:
    ElementBlock(DType dtype, index_t count)
        : dtype_(dtype),
          count_(count),
          alignment_{std::max(std::size_t{64}, std::size_t{dtype.descriptor().alignment})},
          data_(::operator new(
              static_cast<std::size_t>(checked_multiply(count, dtype.size_bytes(), "ElementBlock")),
              alignment_)) {
        if (dtype.descriptor().trivial) return;
        try {
            dtype.descriptor().construct(data_, count);
        } catch (...) {
            ::operator delete(data_, alignment_);
            throw;
        }
    }
    ElementBlock(const ElementBlock&) = delete;
    ElementBlock& operator=(const ElementBlock&) = delete;
    ~ElementBlock() {
        if (!dtype_.descriptor().trivial) dtype_.descriptor().destroy(data_, count_);
        ::operator delete(data_, alignment_);
    }

    void* data() noexcept { return data_; }
    std::byte* at(index_t i) noexcept {
        return static_cast<std::byte*>(data_) + i * dtype_.size_bytes();
    }
    const std::byte* at(index_t i) const noexcept {
        return static_cast<const std::byte*>(data_) + i * dtype_.size_bytes();
    }

private:
    DType dtype_;
    index_t count_;
    std::align_val_t alignment_;
    void* data_;
};

} // namespace purview
