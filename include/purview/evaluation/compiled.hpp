#pragma once

#include <purview/base/hidden.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/node.hpp>

#include <span>

namespace purview::inline v0_1 {

/// The operands that a call puts in the place of the placeholders: entry `slot` has the type and
/// shape of the placeholder with that slot. Pointers, so that a call copies no operand.
using Bindings = std::span<const Operand* const>;

/// An operand over placeholders, compiled once and run with many bindings. Owns no elements of
/// placeholders. May be run from several threads at once.
class PURVIEW_EXPORT Compiled {
public:
    /// Computes every element of `root`, in row-major order.
    explicit Compiled(const Operand& root);
    /// Reduces each of `groups` equal parts of the row-major order of `root`, as `reduce_groups` does.
    Compiled(Reduction reduction, const Operand& root, index_t groups);
    ~Compiled();
    Compiled(Compiled&&) noexcept;
    Compiled& operator=(Compiled&&) noexcept;

    /// Assigns the results to the elements of `out`, which must not overlap what the bindings read.
    void run(Bindings bindings, const Destination& out) const;

    /// Whether `run` would take what it has prepared, or prepare it, for results in the host's memory;
    /// else it evaluates, or reduces, `over` them.
    bool is_prepared(Bindings bindings) const;
    /// The operand with the bindings in the place of its placeholders.
    Operand over(Bindings bindings) const;

private:
    struct State;
    Hidden<State> state_;
};

} // namespace purview
