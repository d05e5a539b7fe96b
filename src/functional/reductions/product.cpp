#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

[[noreturn]] void throw_shapes(const char* what, const Operand& x, const Operand& y,
                               const std::string& reason) {
    throw ShapeError(fmt::format("{}: shapes {} and {}: {}", what, to_string(x.dims.max_shape()),
                                 to_string(y.dims.max_shape()), reason));
}

ShapeSpan batch_of(const Operand& x) {
    const ShapeSpan shape = x.dims.max_shape();
    return shape.first(shape.size() - std::min<std::size_t>(shape.size(), 2));
}

void check_batches(const Operand& x, const Operand& y) {
    try {
        dimensions::broadcast_shapes(batch_of(x), batch_of(y));
    } catch (const ShapeError&) {
        throw_shapes("matmul", x, y,
                     fmt::format("batches {} and {} do not broadcast together",
                                 to_string(batch_of(x)), to_string(batch_of(y))));
    }
}

} // namespace

ProductFactors matmul_factors(const Operand& x, const Operand& y) {
    const int rank_x = x.dims.rank();
    const int rank_y = y.dims.rank();
    if (rank_x == 0 || rank_y == 0) throw_shapes("matmul", x, y, "one has no axis");
    const index_t columns = x.dims.max_shape().back();
    const index_t rows = y.dims.max_shape()[static_cast<std::size_t>(rank_y == 1 ? 0 : rank_y - 2)];
    if (columns != rows)
        throw_shapes("matmul", x, y, fmt::format("{} columns meet {} rows", columns, rows));
    check_batches(x, y);
    ProductFactors factors{x, y};
    if (rank_y > 1) {
        factors.y.dims = dimensions::swap_axes(y.dims, -1, -2);
        if (rank_x > 1) {
            factors.x.dims = dimensions::new_axis(x.dims, -2);
            factors.y.dims = dimensions::new_axis(factors.y.dims, -3);
        }
    }
    return factors;
}

ProductFactors dot_factors(const Operand& x, const Operand& y) {
    if (x.dims.rank() != 1 || y.dims.rank() != 1)
        throw_shapes("dot", x, y, "both have to have rank 1: matmul multiplies matrices");
    if (x.dims.size() != y.dims.size()) throw_shapes("dot", x, y, "their lengths differ");
    return {x, y};
}

std::optional<Operand> sparse_sum_of_products(const ProductFactors& factors, DType type) {
    Operand x = factors.x;
    Operand y = factors.y;
    if (!is_sparse(x) || !is_sparse(y)) return {};
    while (x.dims.rank() < y.dims.rank()) x.dims = dimensions::new_axis(x.dims, 0);
    while (y.dims.rank() < x.dims.rank()) y.dims = dimensions::new_axis(y.dims, 0);
    x = cast_operand(std::move(x), type, Op::cast);
    y = cast_operand(std::move(y), type, Op::cast);
    const auto kept = static_cast<std::size_t>(x.dims.rank()) - 1;
    Shape shape = to_shape(x.dims.max_shape().first(kept));
    dimensions::broadcast_into(shape, y.dims.max_shape().first(kept));
    const Dimensions result = Dimensions::row_major(shape);
    const bool empty = x.dims.size() == 0 || y.dims.size() == 0;
    std::shared_ptr<AnyReader> sums = empty ? nullptr : sum_products_sparse(x, y, kept);
    if (sums == nullptr && !empty) return {};
    return visit_dtype(type, "matmul", [&]<typename R>(std::type_identity<R>) {
        auto pairs = empty ? std::make_shared<SparseBuffer<R>>(result.size(), R{})
                           : std::static_pointer_cast<SparseBuffer<R>>(std::move(sums));
        return operand_over(std::move(pairs), result);
    });
}

AnyTensor any_sum_of_products(const char* what, ProductFactors factors) {
    factors.x = widened_operand(std::move(factors.x));
    factors.y = widened_operand(std::move(factors.y));
    if (is_complex(factors.x.dtype()) || is_complex(factors.y.dtype()))
        return sum(any_binary(Op::multiply, {std::move(factors.x)}, {std::move(factors.y)}), -1);
    const DType common = promote(factors.x.dtype(), factors.y.dtype(), what);
    return visit_dtype(common, what, [&]<typename P>(std::type_identity<P>) {
        const DType type = kDType<Accumulated<P>>;
        if (std::optional<Operand> sums = sparse_sum_of_products(factors, type))
            return AnyTensor::writable(std::move(*sums));
        const AnyTensor products(
            binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y), type, type));
        if (products.operand().node->reads(Below::symbol)) { // put off
            ChosenAxes last;
            last.axes = Axes{AxisOrDim(-1)};
            last.given = true;
            return AnyTensor(
                reduce_to_node(fold_reduction(Reduction::sum), products.operand(), last));
        }
        return sum(products, -1);
    });
}

} // namespace purview
