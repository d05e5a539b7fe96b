#pragma once

#include <purview/expression/piecewise.hpp>
#include <purview/expression/sparse_evaluation.hpp>

#include "dtype/element_block.hpp"
#include "engine/moved_entries.hpp"
#include "engine/sparse_lists.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace purview::engine {

/// Pairs below an expression, seen through a view: a sparse leaf, or pieces of which all are sparse or constant.
class SparseSource {
public:
    /// The view has to outlive it. Throws `KindError` naming `what` for pieces of different fills that are too large to store.
    SparseSource(const Node& node, const Dimensions& view, const char* what);

    DType dtype() const noexcept { return dtype_; }
    const SparsePairs& pairs() const noexcept { return pairs_; }
    const Dimensions& view() const noexcept { return *view_; }
    /// Whether the view repeats entries, so that finding those of other indexes is cheaper than moving its own.
    bool repeats() const noexcept { return view_->is_broadcast(); }

    /// Its entries by the row-major index in the view; found when first asked for.
    const MovedEntries& moved() const;
    /// Its entries that are floats and not finite.
    IndexSpan not_finite() const;
    /// The indexes of a list that are stored, without moving all entries. O(list · log stored).
    IndexSpan stored_of(const IndexSpan& list) const;
    /// The elements at indexes: an operand of shape `[count]`, valid as long as this.
    Operand values_at(const IndexSpan& list) const;
    /// Those in memory side by side that are exactly its entries, else null.
    const void* values_in_place(const IndexSpan& list) const noexcept;

private:
    void take_pieces(const Piecewise& pieces);
    const std::byte* value(index_t position) const noexcept {
        return static_cast<const std::byte*>(pairs_.values.data) +
               position * pairs_.values.stride_bytes;
    }
    /// The positions of the pairs at the indexes of a list, or -1.
    std::vector<index_t> positions_of(const IndexSpan& list) const;
    /// Calls `f(i, position)` with the position of the pair at index i of a list, or -1.
    template <typename F>
    void look_up(const IndexSpan& list, F&& f) const;

    DType dtype_;
    const Dimensions* view_;
    const char* what_;
    SparsePairs pairs_;
    mutable std::optional<MovedEntries> moved_;
    // Of pieces:
    IndexSpan piece_indexes_;
    std::unique_ptr<ElementBlock> piece_values_;
    std::unique_ptr<ElementBlock> piece_fill_;
};

} // namespace purview::engine
