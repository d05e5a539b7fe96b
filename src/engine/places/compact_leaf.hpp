#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "expression/constants.hpp"

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {

/// Reads elements of a run-time type: contiguous ones that it owns, or ones at a stride in memory
/// that must outlive it.
class CompactReader final : public AnyReader {
public:
    CompactReader(DType dtype, index_t count, MemoryView memory) noexcept
        : dtype_(dtype), count_(count), memory_(memory) {}
    CompactReader(DType dtype, index_t count, std::unique_ptr<ElementBlock> elements) noexcept
        : dtype_(dtype),
          count_(count),
          memory_{elements->data(), dtype.size_bytes()},
          elements_(std::move(elements)) {}

    DType dtype() const noexcept override { return dtype_; }
    index_t size() const noexcept override { return count_; }
    MemoryView memory() const noexcept override { return memory_; }
    void read_into(index_t begin, index_t step, index_t count, void* out) const override {
        if (count == 0) return;
        if (step * memory_.stride_bytes == dtype_.size_bytes())
            return dtype_.descriptor().copy(at(begin), out, count);
        for (index_t i = 0; i < count; ++i) copy_one(begin + i * step, out, i);
    }
    void gather_into(std::span<const index_t> indexes, void* out) const override {
        for (std::size_t i = 0; i < indexes.size(); ++i)
            copy_one(indexes[i], out, static_cast<index_t>(i));
    }

private:
    const std::byte* at(index_t i) const noexcept {
        return static_cast<const std::byte*>(memory_.data) + i * memory_.stride_bytes;
    }
    void copy_one(index_t from, void* out, index_t to) const {
        dtype_.descriptor().copy(at(from), static_cast<std::byte*>(out) + to * dtype_.size_bytes(),
                                 1);
    }

    DType dtype_;
    index_t count_;
    MemoryView memory_;
    std::unique_ptr<ElementBlock> elements_;
};

/// A leaf of shape `[count]`.
inline Operand compact_leaf(std::shared_ptr<const CompactReader> reader) {
    const index_t count = reader->size();
    return {make_node<Leaf>(std::move(reader)), Dimensions::row_major(ShapeSpan(&count, 1))};
}

} // namespace purview::engine
