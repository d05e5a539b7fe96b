#pragma once

#include <purview/expression/node.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// What one of several results is.
struct ResultType {
    DType dtype;
    Shape shape;
};
/// Derivatives by each operand, or of each result; nothing where they are 0, or there are none.
using Derivatives = std::vector<std::optional<Operand>>;

/// What an `OpaqueStage` computes: immutable.
class PURVIEW_EXPORT StageFunction {
public:
    StageFunction(const StageFunction&) = delete;
    StageFunction& operator=(const StageFunction&) = delete;
    virtual ~StageFunction();

    /// As it is printed, and named by errors.
    virtual std::string_view name() const noexcept = 0;
    /// What it makes of operands like these: at least one result, of a built-in type or one of complex numbers.
    virtual std::vector<ResultType> results(std::span<const Operand> operands) const = 0;
    /// Writes the elements of each result, in row-major order; to null where nobody asks for them.
    virtual void run(std::span<const Operand> operands, std::span<void* const> outs) const = 0;
    /// Whether another function does the same.
    virtual bool does_same(const StageFunction& other) const noexcept = 0;

    /// The same function of parts of complex numbers: of each complex operand and result two real ones, next to each
    /// other, of which it has derivatives. This one is null: there is none.
    virtual std::shared_ptr<const StageFunction> of_parts() const;

    /// What it is saved with besides its name; nothing where it cannot be saved.
    virtual std::optional<std::vector<index_t>> attributes() const;

    /// Backwards: the derivatives by each operand, of its shape behind `lead` leading axes, of the sum of all
    /// results, each times its seed, which has those axes, too. This one throws `SymbolError`: it has none.
    virtual Derivatives reverse(std::span<const Operand> operands, std::span<const Operand> results,
                                const Derivatives& seeds, std::size_t lead) const;
    /// Forwards: the derivative of each result, of its shape behind `leading` axes, along tangents of the
    /// operands. This one throws `SymbolError`.
    virtual Derivatives forward(std::span<const Operand> operands, std::span<const Operand> results,
                                const Derivatives& tangents, ShapeSpan leading) const;

protected:
    StageFunction() = default;
};

/// A function of whole operands in a traced computation, of which the graph knows no more than it says. Its
/// address space is that of its first result, row-major; the others are results (`StageResult`) 0, 1, ….
class PURVIEW_EXPORT OpaqueStage final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::opaque;
    OpaqueStage(std::shared_ptr<const StageFunction> function, std::vector<Operand> operands);

    const StageFunction& function() const noexcept { return *function_; }
    const std::shared_ptr<const StageFunction>& shared_function() const noexcept {
        return function_;
    }
    std::span<const Operand> operands() const noexcept { return operands_; }
    /// Of all, the first included.
    std::span<const ResultType> results() const noexcept { return results_; }
    ShapeSpan shape() const noexcept { return results_[0].shape; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    OpaqueStage(std::shared_ptr<const StageFunction> function, std::vector<Operand> operands,
                std::vector<ResultType> results);

    std::shared_ptr<const StageFunction> function_;
    std::vector<Operand> operands_;
    std::vector<ResultType> results_;
};

/// Makes a function of the attributes that it was saved with; null where it has none like these. It need not know the
/// operands: `results` throws for what it does not take.
using StageFunctionMaker = std::shared_ptr<const StageFunction> (*)(std::span<const index_t>);
/// Has computations with functions of this name loaded.
PURVIEW_EXPORT void register_stage_function(const std::string& name, StageFunctionMaker make);
/// Null for a name that is not known, or attributes that it does not have.
PURVIEW_EXPORT std::shared_ptr<const StageFunction>
registered_stage_function(std::string_view name, std::span<const index_t> attributes);

/// All results of a stage.
PURVIEW_EXPORT std::vector<Operand> results_of_stage(const NodePtr& stage);

} // namespace purview
