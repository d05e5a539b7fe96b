#pragma once

#include <purview/expression/library_function.hpp>

#include "engine/kernels/table/lane_kernels.hpp"

namespace purview::inline v0_1::engine {

/// A kernel of complex numbers as the function of a node.
class ComplexFunction final : public LibraryFunction {
public:
    ComplexFunction(ComplexOp op, DType part);

    ComplexOp op() const noexcept { return op_; }
    void apply(index_t count, void* out, const void* const* operands) const override;

private:
    ComplexOp op_;
    ComplexBlock block_;
};

/// Whether a node is the product of two complex operands.
bool is_complex_product(const Elementwise& operation) noexcept;

} // namespace purview::engine
