#pragma once

#include "evaluation/stages.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/compiled.hpp>

#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The stages of a program over arrays in chunks that have as many rows, in an order in which those that go row by row are taken
/// together: block by block of rows, of which each chunk is read once for all of them.
class RowPasses {
public:
    struct Member {
        std::size_t stage;
        int axis;       ///< of what is evaluated, along which the rows are
        bool is_folded; ///< over the rows; else it has results for each
        bool is_kept;   ///< results for all rows are read by others, or are an output
    };
    /// Stages that are taken together, or one that is run as it is.
    struct Pass {
        std::vector<Member> members;
        bool is_together = true;
    };

    /// None where nothing is gained: where no array in chunks, an input or one that the program has itself, is read by two stages of a
    /// pass. `slots`: of inputs and results.
    static std::optional<RowPasses> find(std::span<const ProgramStage> stages, Bindings inputs,
                                         std::size_t slots);

    const std::vector<Pass>& passes() const noexcept { return passes_; }

    /// Runs a pass. `bindings`: of what it reads, arrays in chunks among them. `outs`: where the results of each member go; nowhere,
    /// where they are not kept.
    void run(const Pass& pass, std::span<const ProgramStage> stages, Bindings bindings,
             std::span<const Destination> outs) const;

private:
    /// An array in chunks, by the slot of the placeholder in its place.
    struct Array {
        std::size_t slot;
        Operand source;
    };
    /// Those that are inputs, and, with slots behind all others, those that stages read themselves. False where one does not go by rows,
    /// or there is none.
    bool add_arrays(std::span<const ProgramStage> stages, Bindings inputs, std::size_t slots);
    bool add_array(std::size_t slot, const Operand& source);
    std::optional<Member>
    member(const ProgramStage& stage, std::size_t number,
           FunctionRef<std::optional<index_t>(const Node& node)> row_sizes) const;

    index_t rows_ = 0;
    std::size_t slots_ = 0;
    std::vector<Operand> roots_; ///< of the stages, over placeholders
    std::vector<Array> arrays_;
    std::vector<Pass> passes_;
};

} // namespace purview
