#pragma once

#include <purview/expression/node.hpp>

#include "engine/kernels/table/lane_kernels.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace purview::inline v0_1::engine {

/// Whether the kernel of small products is as fast as BLAS for matrices of these extents.
bool is_small_product(index_t m, index_t n, index_t k) noexcept;

/// The kernel for a type of elements; null if there is none.
MultiplySmall small_product_kernel(DType dtype);

/// The time of one call, in nanoseconds.
double small_product_cost(DType dtype, double m, double n, double k) noexcept;

/// A sum of products that is one small product of matrices in memory, or a batch of them.
struct SmallProducts {
    /// An axis of the batch, with strides in elements.
    struct Axis {
        index_t extent;
        index_t a;
        index_t b;
        index_t c;
    };
    static constexpr std::size_t kMostAxes = 6;

    DType dtype;
    SmallProduct sizes{1, 1, 1, 0, 0, 0, 1, 0};
    const std::byte* a = nullptr;
    const std::byte* b = nullptr;
    bool swapped = false; ///< a is the product's second factor
    std::array<Axis, kMostAxes> batch{};
    std::size_t batch_axes = 0;
    index_t count = 1; ///< of the batch

    void run(void* out) const;
    void run(index_t begin, index_t end, std::byte* out) const;
};

/// The same as what `find_contraction` and `choose_calls` would find, in a few nanoseconds; nothing
/// where there is more to do than to call the kernel: copies, several axes of a class.
std::optional<SmallProducts> find_small_products(const Operand& source, index_t groups);

} // namespace purview::engine
