// Defines purview/evaluation/matrix_products.hpp.

#include <purview/evaluation/matrix_products.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/contract/contraction.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/buffers.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

template <typename T>
Operand multiplied(const engine::LaneKernels& kernels, const engine::SmallProduct& sizes,
                   const std::byte* x, const std::byte* y) {
    BufferPtr<T> results = allocate_uninitialized_buffer<T>(sizes.m * sizes.n);
    kernels.multiply_small<T>()(&sizes, reinterpret_cast<const T*>(x),
                                reinterpret_cast<const T*>(y), engine::data_of(results), T{1});
    return engine::over_buffer<T>(results, Dimensions::row_major(Shape{sizes.m, sizes.n}));
}

} // namespace

std::optional<Operand> small_matrix_product(const Operand& x, const Operand& y) {
    const DType dtype = x.dtype();
    const ShapeSpan of_x = x.dims.max_shape();
    const ShapeSpan of_y = y.dims.max_shape();
    if ((dtype != float64 && dtype != float32) || y.dtype() != dtype || of_x.size() != 2 ||
        of_y.size() != 2 || of_x[1] != of_y[0] || engine::is_watched())
        return {};
    const engine::LaneKernels& kernels = engine::lane_kernels();
    const ShapeSpan x_strides = x.dims.strides();
    const ShapeSpan y_strides = y.dims.strides();
    const engine::SmallProduct sizes{of_x[0],      of_y[1],      of_x[1],      x_strides[0],
                                     x_strides[1], y_strides[0], y_strides[1], of_y[1]};
    // Axes that `find_calls_in_place` would put into other classes are left to it.
    if (std::min({sizes.m, sizes.n, sizes.k}) < 2 ||
        !engine::is_small_product(kernels, sizes.m, sizes.n, sizes.k) || x_strides[0] == 0 ||
        x_strides[1] == 0 || y_strides[0] == 0 || y_strides[1] == 0)
        return {};
    index_t x_step = 0;
    index_t y_step = 0;
    const std::byte* const x_memory = engine::strided_memory(x, x_step);
    const std::byte* const y_memory = engine::strided_memory(y, y_step);
    if (x_memory == nullptr || y_memory == nullptr || x_step != 1 || y_step != 1) return {};
    return dtype == float64 ? multiplied<double>(kernels, sizes, x_memory, y_memory)
                            : multiplied<float>(kernels, sizes, x_memory, y_memory);
}

} // namespace purview
