#include "engine/contract/small_products.hpp"

#include <purview/evaluation/matrix_products.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/load.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kLargestMatrix = 4096; ///< times a vector: a larger one is not worth a copy

/// Strided memory of a factor that is seen as it is, with strides of whole elements.
const std::byte* plain_memory(const Operand& factor, ShapeSpan shape) {
    const Leaf* const leaf = leaf_of(factor);
    if (leaf == nullptr || !leaf->memory() || !factor.dims.is_strided() ||
        !std::ranges::equal(factor.dims.max_shape(), shape))
        return nullptr;
    const index_t size = leaf->dtype().size_bytes();
    const std::byte* const first = element_of(*leaf, factor.dims.base());
    const bool aligned =
        reinterpret_cast<std::uintptr_t>(first) % static_cast<std::uintptr_t>(size) == 0;
    return leaf->memory().stride_bytes == size && aligned ? first : nullptr;
}

/// An axis of the product that is in one class: its strides in both factors and the result.
struct ProductAxis {
    index_t extent = 1;
    index_t x = 0;
    index_t y = 0;
    index_t c = 1;
};

/// Sets the axis, unless there is one already.
bool take(ProductAxis& axis, const ProductAxis& found) noexcept {
    if (axis.extent != 1) return false;
    axis = found;
    return true;
}

} // namespace

bool is_small_product(index_t m, index_t n, index_t k) noexcept {
    if (std::max({m, n, k}) > lane_kernels().longest_small_side) return false;
    return (m > 1 && n > 1) || m * n * k <= kLargestMatrix;
}

MultiplySmall small_product_kernel(DType dtype) {
    return lane_kernels().find_small_product(dtype.id());
}

double small_product_cost(DType dtype, double m, double n, double k) noexcept {
    return 10 + 0.0019 * static_cast<double>(dtype.size_bytes()) * m * n * k;
}

void SmallProducts::run(index_t begin, index_t end, std::byte* out) const {
    const MultiplySmall kernel = small_product_kernel(dtype);
    const index_t size = dtype.size_bytes();
    std::array<index_t, kMostAxes> at{};
    Axis offset{0, 0, 0, 0};
    index_t rest = begin;
    for (std::size_t i = batch_axes; i-- > 0; rest /= batch[i].extent) {
        at[i] = rest % batch[i].extent;
        offset.a += at[i] * batch[i].a;
        offset.b += at[i] * batch[i].b;
        offset.c += at[i] * batch[i].c;
    }
    for (index_t index = begin; index < end; ++index) {
        kernel(&sizes, a + offset.a * size, b + offset.b * size, out + offset.c * size, 1);
        for (std::size_t i = batch_axes; i-- > 0;) {
            const bool wraps = ++at[i] == batch[i].extent;
            const index_t steps = wraps ? 1 - at[i] : 1;
            if (wraps) at[i] = 0;
            offset.a += steps * batch[i].a;
            offset.b += steps * batch[i].b;
            offset.c += steps * batch[i].c;
            if (!wraps) break;
        }
    }
}

void SmallProducts::run(void* out) const {
    auto* const results = static_cast<std::byte*>(out);
    const double cost =
        small_product_cost(dtype, static_cast<double>(sizes.m), static_cast<double>(sizes.n),
                           static_cast<double>(sizes.k));
    const int threads = count > 1 ? worthwhile_threads(cost * static_cast<double>(count)) : 1;
    if (threads == 1) return run(0, count, results);
    parallel_for(count, (count + threads - 1) / threads, threads,
                 [&](index_t begin, index_t end) { run(begin, end, results); });
}

std::optional<SmallProducts> find_small_products(const Operand& source, index_t groups) {
    const DType dtype = source.dtype();
    if (source.node->kind() != NodeKind::elementwise || (dtype != float64 && dtype != float32) ||
        groups < 2 || !source.dims.is_identity())
        return {};
    const auto& product = static_cast<const Elementwise&>(*source.node);
    if (product.op() != Op::multiply) return {};
    const ShapeSpan shape = source.dims.max_shape();
    const Operand& x = product.operands()[0];
    const Operand& y = product.operands()[1];
    const std::byte* const x_memory = plain_memory(x, shape);
    const std::byte* const y_memory = plain_memory(y, shape);
    if (x_memory == nullptr || y_memory == nullptr) return {};

    std::optional<SmallProducts> found(SmallProducts{dtype});
    ProductAxis m;
    ProductAxis n;
    ProductAxis k;
    std::array<ProductAxis, SmallProducts::kMostAxes> batch;
    index_t c = groups;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const index_t extent = shape[i];
        if (extent == 0) return {};
        if (extent == 1) continue;
        const bool kept = c > 1;
        if (kept) c /= extent;
        const ProductAxis axis{extent, x.dims.strides()[i], y.dims.strides()[i], kept ? c : 0};
        bool taken = true;
        if (axis.x != 0 && axis.y != 0 && kept) {
            taken = found->batch_axes < SmallProducts::kMostAxes;
            if (taken) batch[found->batch_axes++] = axis;
            found->count *= extent;
        } else if (axis.x != 0 && axis.y != 0) {
            taken = take(k, axis);
        } else if (kept && axis.x != 0) {
            taken = take(m, axis);
        } else {
            taken = kept && axis.y != 0 && take(n, axis);
        }
        if (!taken) return {};
    }
    // Results of a row have to be contiguous.
    found->swapped = n.c != 1 || (n.extent == 1 && m.c == 1);
    if (found->swapped && m.c != 1) return {};
    if (k.extent == 1 || m.extent * n.extent == 1 ||
        !is_small_product(m.extent, n.extent, k.extent))
        return {};
    if (found->swapped)
        found->sizes = {n.extent, m.extent, k.extent, n.y, k.y, k.x, m.x, n.c};
    else
        found->sizes = {m.extent, n.extent, k.extent, m.x, k.x, k.y, n.y, m.c};
    found->a = found->swapped ? y_memory : x_memory;
    found->b = found->swapped ? x_memory : y_memory;
    for (std::size_t i = 0; i < found->batch_axes; ++i) {
        const ProductAxis& axis = batch[i];
        found->batch[i] = {axis.extent, found->swapped ? axis.y : axis.x,
                           found->swapped ? axis.x : axis.y, axis.c};
    }
    return found;
}

} // namespace purview::engine

namespace purview::inline v0_1 {
namespace {

template <typename T>
Operand product_in_memory(const engine::SmallProduct& sizes, const std::byte* x,
                          const std::byte* y) {
    BufferPtr<T> results = allocate_uninitialized_buffer<T>(sizes.m * sizes.n);
    engine::small_product_kernel(kDType<T>)(&sizes, x, y, engine::data_of(results), 1);
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
    const ShapeSpan x_strides = x.dims.strides();
    const ShapeSpan y_strides = y.dims.strides();
    const engine::SmallProduct sizes{of_x[0],      of_y[1],      of_x[1],      x_strides[0],
                                     x_strides[1], y_strides[0], y_strides[1], of_y[1]};
    // Axes that `find_small_products` would put into other classes are left to it.
    if (std::min({sizes.m, sizes.n, sizes.k}) < 2 ||
        !engine::is_small_product(sizes.m, sizes.n, sizes.k) || x_strides[0] == 0 ||
        x_strides[1] == 0 || y_strides[0] == 0 || y_strides[1] == 0)
        return {};
    const std::byte* const x_memory = engine::plain_memory(x, of_x);
    const std::byte* const y_memory = engine::plain_memory(y, of_y);
    if (x_memory == nullptr || y_memory == nullptr) return {};
    return dtype == float64 ? product_in_memory<double>(sizes, x_memory, y_memory)
                            : product_in_memory<float>(sizes, x_memory, y_memory);
}

} // namespace purview
