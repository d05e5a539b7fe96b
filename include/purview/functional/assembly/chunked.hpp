#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/chunked_reader.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// An operand whose boxes are the chunks of a reader.
class PURVIEW_EXPORT OperandBoxes {
public:
    explicit OperandBoxes(const Operand& x);

    /// Assigns the elements of the chunk at `at` to constructed elements at `out`; those beyond the shape stay as they are.
    void read(const ChunkGrid& grid, ShapeSpan at, void* out) const;
    const Operand& operand() const noexcept { return x_; }
    bool is_thread_safe() const noexcept { return thread_safe_; }
    int depth() const noexcept { return depth_; }

private:
    Operand x_;
    bool thread_safe_;
    int depth_;
};

/// The chunks of shapes as given, at most the operand's: no memory is taken for what is beyond. Throws `ShapeError`.
PURVIEW_EXPORT ChunkGrid chunked_grid(const Operand& x, ShapeSpan chunk);
/// The allocations that the chunks of an operand are read from.
PURVIEW_EXPORT std::vector<StorageId> storages_of_boxes(const OperandBoxes& boxes);

/// What chunked readers of all types have in common.
struct ReadsBoxes {
    OperandBoxes boxes;
};

template <ElementType T>
class ChunkedOperand final : public ChunkedReader<T>, public ReadsBoxes {
public:
    ChunkedOperand(const Operand& x, ShapeSpan chunk)
        : ChunkedReader<T>(chunked_grid(x, chunk)), ReadsBoxes{OperandBoxes(x)} {}

    bool is_thread_safe() const noexcept override { return boxes.is_thread_safe(); }
    int depth() const noexcept override { return boxes.depth(); }
    std::vector<StorageId> storages() const override { return storages_of_boxes(boxes); }
    bool read_chunk(ShapeSpan at, std::span<T> out) const override {
        boxes.read(this->grid(), at, out.data());
        return true;
    }
};

template <ElementType T>
Operand chunked_operand(const Operand& x, ShapeSpan chunk) {
    return {make_node<Leaf>(std::make_shared<ChunkedOperand<T>>(x, chunk)),
            Dimensions::row_major(x.dims.max_shape())};
}
/// Of an element type known at run time. Throws `DtypeError` for one that is not built-in, a string or a complex number.
PURVIEW_EXPORT Operand chunked_operand_of(const Operand& x, ShapeSpan chunk);

/// `chunked(x, {64, 64})`, or a stage: the elements of any tensor or expression as a reader in chunks of this shape, which
/// keep what x was when they were read: a cache, within `memory_limit()`, for what is dear to compute. One extent for
/// each axis, those of Dims first; extents beyond an axis mean all of it.
///
/// Lazy, and computes nothing. Throws `ShapeError` for extents below 1 or another number of them, `DtypeError` for a type
/// known at run time that is neither built-in, string nor complex number; reading throws `MemoryLimitError` where a chunk
/// is more than the limit.
struct ChunkedFunction : ArrayFunction<ChunkedFunction> {
    using ArrayFunction::operator();

    template <array_like X>
    auto operator()(X&& given, AxisValues chunk) const {
        const auto& x = lasting_tensor(std::forward<X>(given));
        if constexpr (typed_array<X>) {
            using T = ElementOrVoid<X>;
            return result_of<ResultHandle<T, TensorOf<X>>>(
                [chunk](const Operand& operand) { return chunked_operand<T>(operand, chunk); },
                operand_as<T>(x));
        } else {
            return AnyTensor(chunked_operand_of(x.operand(), chunk));
        }
    }
    auto operator()(AxisValues chunk) const { return make_stage(*this, to_shape(chunk)); }
};
inline constexpr ChunkedFunction chunked;

} // namespace purview
