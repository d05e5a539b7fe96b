// Defines purview/evaluation/matrix_products.hpp.

#include <purview/evaluation/matrix_products.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/contract/contraction.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/buffers.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"
#include "engine/ways/way.hpp"

namespace purview::inline v0_1 {
namespace {

/// A factor: a matrix, a batch of them, or, with 0 for one of its axes, a vector.
struct SmallFactor {
    const std::byte* memory = nullptr;
    index_t batch_stride = 0;
    index_t outer_stride = 0; ///< of m or n
    index_t sum_stride = 0;
};

template <typename T>
Operand multiplied(const engine::LaneKernels& kernels, const engine::SmallProduct& sizes,
                   const SmallFactor& left, const SmallFactor& right, ShapeSpan shape,
                   index_t batch) {
    Dimensions dims = Dimensions::row_major(shape);
    BufferPtr<T> results = allocate_uninitialized_buffer<T>(dims.size());
    const engine::MultiplySmall<T> multiply = kernels.multiply_small<T>();
    for (index_t i = 0; i < batch; ++i)
        multiply(&sizes, reinterpret_cast<const T*>(left.memory) + i * left.batch_stride,
                 reinterpret_cast<const T*>(right.memory) + i * right.batch_stride,
                 engine::data_of(results) + i * sizes.m * sizes.n, T{1});
    return operand_over(std::move(results), std::move(dims));
}

} // namespace

std::optional<Operand> small_matrix_product(const Operand& x, const Operand& y) {
    const DType dtype = x.dtype();
    const ShapeSpan of_x = x.dims.max_shape();
    const ShapeSpan of_y = y.dims.max_shape();
    const std::size_t rank_x = of_x.size();
    const std::size_t rank_y = of_y.size();
    const bool row = rank_x == 1 && rank_y == 2;
    const bool column = rank_x == 2 && rank_y == 1;
    const bool batched = rank_x == 3 && rank_y == 3;
    if ((dtype != float64 && dtype != float32) || y.dtype() != dtype || engine::is_watched() ||
        !(row || column || batched || (rank_x == 2 && rank_y == 2)))
        return {};
    const std::size_t sum_y = column ? 0 : rank_y - 2;
    const index_t m = row ? 1 : of_x[rank_x - 2];
    const index_t n = column ? 1 : of_y.back();
    const index_t k = of_x.back();
    const index_t batch = batched ? of_x[0] : 1;
    const engine::LaneKernels& kernels = engine::lane_kernels();
    if (k != of_y[sum_y] || (batched && batch != of_y[0]) ||
        !engine::is_small_product(kernels, m, n, k))
        return {};
    const ShapeSpan x_strides = x.dims.strides();
    const ShapeSpan y_strides = y.dims.strides();
    SmallFactor left{nullptr, batched ? x_strides[0] : 0, row ? 0 : x_strides[rank_x - 2],
                     x_strides.back()};
    SmallFactor right{nullptr, batched ? y_strides[0] : 0, column ? 0 : y_strides.back(),
                      y_strides[sum_y]};
    // Axes that `find_strided_calls` would put into other classes are left to it, and so is what
    // several threads may share.
    const auto is_axis = [](index_t extent, index_t stride) { return extent > 1 && stride != 0; };
    if (!is_axis(k, left.sum_stride) || !is_axis(k, right.sum_stride) ||
        (!row && !is_axis(m, left.outer_stride)) || (!column && !is_axis(n, right.outer_stride)) ||
        (batched && (!is_axis(batch, left.batch_stride) || !is_axis(batch, right.batch_stride))))
        return {};
    left.memory = engine::strided_memory(x);
    right.memory = engine::strided_memory(y);
    if (left.memory == nullptr || right.memory == nullptr ||
        !engine::allowed_ways().has(engine::Way::product))
        return {};
    const SmallFactor& first = column ? right : left; // B where C' = B'A' is computed
    const SmallFactor& second = column ? left : right;
    const engine::SmallProduct sizes{column ? 1 : m,      column ? m : n,       k,
                                     first.outer_stride,  first.sum_stride,     second.sum_stride,
                                     second.outer_stride, row || column ? 0 : n};
    if (batched &&
        engine::may_use_threads(static_cast<double>(batch) * engine::cost_of_small(dtype, sizes)))
        return {};
    engine::count_way(engine::Way::product);
    index_t shape[3];
    std::size_t rank = 0;
    if (batched) shape[rank++] = batch;
    if (!row) shape[rank++] = m;
    if (!column) shape[rank++] = n;
    return (dtype == float64
                ? multiplied<double>
                : multiplied<float>)(kernels, sizes, first, second, ShapeSpan(shape, rank), batch);
}

} // namespace purview
