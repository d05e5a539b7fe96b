#pragma once

#include <purview/base/hidden.hpp>
#include <purview/evaluation/compiled.hpp>
#include <purview/expression/graph.hpp>

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// A traced function, compiled: outputs over placeholders, and over symbols that own their values.
/// It is cut into stages: each reduction is one, and so is each output; the result of a stage is
/// read by later ones. Equal sub-expressions are merged. What depends on constants alone is
/// computed when the program is made, unless it is larger than those constants. An operation that
/// several stages use is computed by each of them, or, if it is expensive (a user's function, or
/// many operations), once, into memory.
///
/// Immutable. May be run from several threads at once; each run has temporaries of its own.
class PURVIEW_EXPORT Program {
public:
    /// Placeholder i of `placeholders` has slot i. Throws `SymbolError` for any other placeholder.
    Program(std::vector<Operand> outputs, std::vector<NodePtr> placeholders);
    ~Program();
    Program(Program&&) noexcept;
    Program& operator=(Program&&) noexcept;

    std::size_t output_count() const noexcept;
    ShapeSpan output_shape(std::size_t output) const noexcept;
    /// Whether the inputs, or what the program itself reads, lie on another backend.
    bool is_elsewhere(Bindings inputs) const noexcept {
        for (const Operand* const input : inputs)
            if (input->node->reads(Below::device)) return true;
        return is_elsewhere_;
    }
    /// New uninitialised elements for an output, in the place where these lie.
    Operand new_output(std::size_t output, Bindings inputs) const;

    /// Assigns each output, in row-major order, to elements that must not overlap the inputs. Inputs
    /// have the types and shapes of the placeholders. What lies on another backend is computed there,
    /// and so are the numbers that its stages leave to later ones.
    void run(Bindings inputs, std::span<const Destination> outputs) const;

    /// What `run` would do for these inputs, as text: what is printed, and below each stage how it is
    /// done. Prepares what that run would prepare, and reserves memory for what stages leave to later ones;
    /// computes nothing.
    std::string explain(Bindings inputs) const;

    /// The outputs as expressions over `inputs` in the place of the placeholders: how one traced
    /// function calls another.
    std::vector<Operand> outputs_over(Bindings inputs) const;

    /// The symbols with role `variable`, in the order in which they are first used.
    std::vector<NodePtr> variables() const;

    /// About how many elements a run reads, those of all steps of its loops too: as much as can be counted, at most.
    index_t elements() const noexcept;

    /// The graph that it was compiled from, in which equal nodes are one.
    TracedOutputs traced() const;

    /// Prints the nodes, and the stages that they were cut into.
    friend PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Program& program);

private:
    struct State;
    Hidden<const State> state_;
    bool is_elsewhere_; ///< what the program itself reads
};

} // namespace purview
