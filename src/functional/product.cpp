#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/product.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace purview {
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
        throw_shapes("dot", x, y, "both have to have rank 1");
    if (x.dims.size() != y.dims.size()) throw_shapes("dot", x, y, "their lengths differ");
    return {x, y};
}

AnyTensor any_sum_of_products(const char* what, ProductFactors factors) {
    const DType common = promote(factors.x.dtype(), factors.y.dtype(), what);
    return visit_dtype(common, what, [&]<typename P>(std::type_identity<P>) {
        const DType type = kDType<Accumulated<P>>;
        const AnyTensor products(
            binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y), type, type));
        return sum(products, -1);
    });
}

} // namespace purview
