#pragma once

#include "engine/compile/values.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/sparse/fill_decision.hpp"
#include "engine/sparse/parts.hpp"
#include "engine/sparse/repetition.hpp"
#include "engine/sparse/source.hpp"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// An expression over sparse leaves and constants, and over dense operands of operations that fills
/// decide. Finds the indexes at which it can differ from its fill, and makes the same operations on
/// the elements at these indexes alone. Dense operands have no indexes and no fill: only their
/// elements at given indexes are read.
class SparseGraph {
public:
    /// `root` must outlive this, and so must `parts`, which are those of an enclosing evaluation or
    /// null. Throws `KindError` naming `what` if the expression is not sparse.
    SparseGraph(const Operand& root, const char* what, const SparseParts* parts);

    const Values& values() const noexcept { return values_; }
    const SparseSource* source(ValueId id) const noexcept { return sources_[id].get(); }
    static constexpr ValueId kRoot = 0;

    /// The indexes, in row-major order, at which the root can differ from its fill. Called once.
    IndexSpan support();
    /// A value at indexes, as operations on compact leaves of shape `[count]`. Valid as long as
    /// this.
    Operand compact(ValueId id, const IndexSpan& indexes);
    /// The same operations on the fills, of rank 0: a constant, or operations where computing
    /// throws.
    const Operand& fill() const noexcept { return fills_[kRoot]; }

private:
    void take_leaf(ValueId id, const SparseParts& parts);
    /// If a value is an operation whose view repeats elements, computes it without repetition, as a
    /// source.
    void take_repeated(ValueId id, const SparseParts& parts);
    /// A value and all values below it, operands first, down to those for which `ends` is true.
    template <typename Ends>
    std::vector<ValueId> below(ValueId id, Ends&& ends);
    /// Finds the fills of all sparse values, as constants where computing does not throw.
    void find_fills();
    /// The indexes at which a value can differ from its fill, all decisions below being resolved.
    IndexSpan support(ValueId id);
    /// Whether a sparse operation has a dense operand, so that there has to be a decision.
    bool has_dense_operand(ValueId id) const;
    /// The decision by the fills of the operands, which must be known. Throws `KindError` if an
    /// operation with a dense operand has none.
    std::optional<FillDecision> decision_of_value(ValueId id) const;
    /// Finds the support of an operation where fills decide elements, and of one on entries that
    /// are repeated.
    void resolve_decision(ValueId id);
    /// Whether a view repeats the entries of an operand, which have not been expanded.
    bool is_repeated(ValueId id) const {
        return sources_[id] != nullptr && sources_[id]->repeats() && !supports_[id];
    }
    /// The operand that is repeated, of an operation with just one such.
    std::optional<std::size_t> repeated_operand(ValueId id) const;
    /// The operation at the entries of that operand; nothing where a fill of the others is not
    /// known, or the operation throws.
    std::optional<RepeatedOperand> at_repeated(ValueId id, std::size_t operand) const;
    /// The fill of an operation: that of the operands' fills, or, if it may be, what it is for most
    /// elements of a repeated operand that has no fill, as all its elements are stored.
    Operand fill_of_operation(ValueId id, bool may_be_of_most) const;
    /// The indexes at which an operation that no fill decides can differ from its fill: where an
    /// operand stores an entry; of a repeated one, where it differs although nothing is stored in
    /// the others.
    IndexSpan undecided_support(ValueId id);
    /// Throws `KindError` if so many entries, which a view repeats, were most of the elements, and
    /// many times what is stored.
    void check_expanded(ValueId id, double count) const;
    /// Computes a factor at its support: once, however many products it is below.
    void realise(ValueId id);
    /// The indexes at which a value is infinite or NaN.
    IndexSpan not_finite(ValueId id);
    /// Whether what a value stores is one of these lists itself, so that its elements need no search for more.
    bool stores_one_of(ValueId id, std::span<const IndexSpan> lists);
    /// Where both operands of an operation store an entry.
    IndexSpan intersection(ValueId id, ValueId x, ValueId y);

    const char* what_;
    Values values_;
    std::optional<SparseParts> own_parts_;
    std::vector<ValueId> order_; ///< of those that are needed
    // By value:
    std::vector<std::uint32_t> places_; ///< in the order
    std::vector<std::uint32_t> marks_;  ///< number of the walk that met it last
    std::uint32_t walks_ = 0;
    /// The root, and sparse or constant values that are reached from it through such values alone,
    /// but not through sources. The others are read by the dense engine.
    std::vector<bool> is_sparse_;
    std::vector<std::unique_ptr<SparseSource>> sources_; ///< null for others
    std::vector<NodePtr> constants_;                     ///< null for others
    std::vector<std::optional<IndexSpan>> supports_;     ///< where `support` was called
    std::vector<Operand> fills_;                         ///< none for dense ones
    std::vector<Operand> made_;                          ///< by `compact`
};

} // namespace purview::engine
