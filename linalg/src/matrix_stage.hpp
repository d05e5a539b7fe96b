#pragma once

#include "matrix_work.hpp"

#include <purview/expression/opaque_stage.hpp>

#include <memory>
#include <string>
#include <vector>

namespace purview::inline v0_1::linalg {

/// Operands as functions take them: matrices, of batches of the same shape, and all elements of one type.
struct MatrixOperands {
    std::vector<Operand> operands;
    DType dtype;            ///< what is computed in; elements may still be of others
    bool is_vector = false; ///< the second was one, of which a last axis of length 1 was made
};
/// Throws `ShapeError`, `DtypeError`.
MatrixOperands as_matrix_operands(const char* what, std::span<const Operand> given);
/// As a stage takes them: all elements of one type. Throws `DtypeError` for complex ones.
std::vector<Operand> as_symbols(const char* what, const MatrixOperands& given);

/// What a function makes of matrices of these shapes. Throws `ShapeError` for what it does not take.
struct DescribedWork {
    MatrixWork work;
    std::vector<ResultType> results;
};
DescribedWork described(MatrixFunction function, const MatrixOptions& options, DType dtype,
                        std::span<const Operand> operands);

/// Computes the results of operands, which are brought into memory, to where they are asked for.
void compute_results(const DescribedWork& described, DType dtype, std::span<const Operand> operands,
                     std::span<void* const> outs);

/// A function of matrices in a traced computation: of operands as `as_matrix_operands` makes them, all of its type.
class MatrixStage final : public StageFunction {
public:
    MatrixStage(MatrixFunction function, const MatrixOptions& options, DType dtype)
        : function_(function),
          options_(options),
          dtype_(dtype),
          name_(std::string("linalg.") + name_of(function)) {}

    std::string_view name() const noexcept override { return name_; }
    std::vector<ResultType> results(std::span<const Operand> operands) const override;
    void run(std::span<const Operand> operands, std::span<void* const> outs) const override {
        compute_results(described(function_, options_, dtype_, operands), dtype_, operands, outs);
    }
    bool does_same(const StageFunction& other) const noexcept override;
    std::optional<std::vector<index_t>> attributes() const override;
    Derivatives reverse(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& seeds, std::size_t lead) const override;
    Derivatives forward(std::span<const Operand> operands, std::span<const Operand> results,
                        const Derivatives& tangents, ShapeSpan leading) const override;

private:
    MatrixFunction function_;
    MatrixOptions options_;
    DType dtype_;
    std::string name_;
};

/// The results of the stage.
std::vector<Operand> staged(MatrixFunction function, const MatrixOptions& options,
                            std::vector<Operand> operands);

/// Has computations loaded that were saved with `pinv`.
void register_pseudo_inverse();

} // namespace purview::linalg
