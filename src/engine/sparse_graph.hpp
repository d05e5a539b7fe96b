#pragma once

#include "engine/compact_leaf.hpp"
#include "engine/sparse_source.hpp"
#include "engine/values.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace purview::engine {

/// An expression over sparse leaves and constants: where it can differ from its fill, and the same operations on the
/// elements there alone.
class SparseGraph {
public:
    /// `root` has to outlive it. Throws `KindError` naming `what` for anything else.
    SparseGraph(const Operand& root, const char* what);

    const Values& values() const noexcept { return values_; }
    const SparseSource* source(ValueId id) const noexcept { return sources_[id].get(); }
    static constexpr ValueId kRoot = 0;

    /// The indexes, in the root's row-major order, at which a value can differ from its fill.
    IndexSpan support(ValueId id = kRoot);
    /// A value at indexes, as operations on compact leaves of shape `[count]`. Valid as long as this.
    Operand compact(ValueId id, const IndexSpan& indexes);
    /// The same operations on the fills, of rank 0.
    Operand fill(ValueId id = kRoot);

private:
    template <typename LeafOperand>
    Operand rebuild(ValueId id, LeafOperand&& leaf_operand, ShapeSpan shape);
    enum class FillKind : std::uint8_t { zero, finite, other };
    FillKind fill_kind(ValueId id);
    /// Finds the support of a product where a fill of 0 decides elements.
    void resolve_product(ValueId id);
    /// What of a value's support is infinite or NaN.
    IndexSpan not_finite(ValueId id);
    IndexSpan intersection(ValueId x, ValueId y);

    bool products_resolved_ = false;
    Values values_;
    std::vector<ValueId> order_;
    std::vector<std::unique_ptr<SparseSource>> sources_; ///< by value; null for others
    std::vector<NodePtr> constants_;                     ///< by value; of constants
    std::vector<std::optional<IndexSpan>> supports_;     ///< of what has been asked for
};

} // namespace purview::engine
