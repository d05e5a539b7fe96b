#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include "engine/pairs/digit_view.hpp"
#include "engine/sparse/own_pairs.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// The same elements in the order of the node's addresses, for folds that have no order: where strides show that a view
/// reads each of an interval of addresses once, be it of the operand itself or, the same one, of all that its operations
/// read. Else the operand as it is.
Operand in_order_of_addresses(const Operand& source);

/// The same elements in the same order, but of operations whose operands are all seen by one view that changes the order:
/// made over what that view reads, in the order of addresses, and then seen by it. Nothing has to be moved to where the
/// view shows it before it is folded along axes. Other operands as they are.
Operand over_addresses(const Operand& source);

/// What is stored of an operand, in the order in which it is stored, and the group of elements that
/// each entry is folded to: for folds over axes that lie across that order, such as the sums of
/// columns, which need no entry to be moved.
class StoredCells {
public:
    /// Nothing where groups lie in the order of what is stored, where a view repeats elements or is
    /// not inverted by divisions, and where there are many more groups than entries. Operations are
    /// computed in their own order. The operand must outlive this.
    static std::optional<StoredCells> of(const Operand& source, index_t groups, const char* what);

    const SparsePairs& pairs() const noexcept { return pairs_; }

    /// Calls `f(group, position)` for each entry that the operand shows, in the order in which they
    /// are stored.
    template <typename F>
    void each(F&& f) const {
        Run run;
        for (index_t p = 0; p < pairs_.stored(); ++p) {
            const index_t address = pairs_.indexes[static_cast<std::size_t>(p)] - pairs_.offset;
            if (!run.holds(address)) run = digits_.run_at(address);
            if (const index_t group = run(address); group >= 0) f(group, p);
        }
    }

private:
    std::optional<SparseEvaluation> computed_;
    OwnPairs own_; ///< of what is computed
    SparsePairs pairs_;
    DigitView digits_;
};

} // namespace purview::engine
