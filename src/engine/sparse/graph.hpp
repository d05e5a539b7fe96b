#pragma once

#include "engine/compile/values.hpp"
#include "engine/places/compact_leaf.hpp"
#include "engine/sparse/fill_decision.hpp"
#include "engine/sparse/parts.hpp"
#include "engine/sparse/source.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace purview::engine {

/// An expression over sparse leaves and constants, and over dense operands of operations that fills decide: where it can
/// differ from its fill, and the same operations on the elements there alone. What is dense has no indexes and no fill,
/// and is asked for its elements only.
class SparseGraph {
public:
    /// `root` has to outlive it, and so have the parts below it, where there are some already. Throws `KindError`
    /// naming `what` for anything else.
    SparseGraph(const Operand& root, const char* what, const SparseParts* parts);

    const Values& values() const noexcept { return values_; }
    const SparseSource* source(ValueId id) const noexcept { return sources_[id].get(); }
    static constexpr ValueId kRoot = 0;

    /// The indexes, in the root's row-major order, at which a value can differ from its fill.
    IndexSpan support(ValueId id = kRoot);
    /// A value at indexes, as operations on compact leaves of shape `[count]`. Valid as long as this.
    Operand compact(ValueId id, const IndexSpan& indexes);
    /// The same operations on the fills, of rank 0.
    Operand fill();

private:
    bool is_known(ValueId id) const noexcept {
        return sources_[id] != nullptr || constants_[id] != nullptr || is_dense_leaf_[id];
    }
    void take_leaf(ValueId id, const SparseParts& parts);
    void take_dense_leaf(ValueId id);
    /// Computes a factor that a view repeats where nothing is repeated.
    void take_repeated(ValueId id, const SparseParts& parts);
    /// The values below one and itself, operands first, down to those at which `ends` says so.
    template <typename Ends>
    std::vector<ValueId> below(ValueId id, Ends&& ends);
    /// The sparse values at which `below` of the root ends nowhere but at what is known.
    std::vector<ValueId> sparse_values();
    /// The fills of all sparse values; computed as far as that does not throw, or as operations.
    void find_fills(bool computed);
    /// Whether an operand is dense, so that there has to be a decision.
    bool mixes(ValueId id) const;
    /// What the fills of the operands, which are known, decide.
    std::optional<FillDecision> decision_of_value(ValueId id) const;
    void resolve_decisions();
    /// Finds the support of an operation where fills decide elements.
    void resolve_decision(ValueId id);
    /// Computes a factor at its support: once, however many products it is below.
    void realise(ValueId id);
    /// What of a value's support is infinite or NaN.
    IndexSpan not_finite(ValueId id);
    IndexSpan intersection(ValueId x, ValueId y);

    const char* what_;
    bool decisions_resolved_ = false;
    bool mixes_ = false; ///< somewhere
    Values values_;
    std::optional<SparseParts> own_parts_;
    std::vector<ValueId> order_;
    // By value:
    std::vector<std::uint32_t> places_; ///< in the order
    std::vector<std::uint32_t> marks_;  ///< by which of the walks it was last met
    std::uint32_t walks_ = 0;
    std::vector<bool> is_sparse_;                        ///< and not only below what is dense
    std::vector<bool> is_dense_leaf_;                    ///< read by the dense engine
    std::vector<std::unique_ptr<SparseSource>> sources_; ///< null for others
    std::vector<NodePtr> constants_;                     ///< null for others
    std::vector<std::optional<IndexSpan>> supports_;     ///< of what has been asked for
    std::vector<Operand> fills_;                         ///< empty until they are asked for
    std::vector<Operand> made_;                          ///< by `compact`
};

} // namespace purview::engine
