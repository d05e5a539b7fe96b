#pragma once

#include "engine/pairs/moved_entries.hpp"
#include "engine/sparse/own_pairs.hpp"

#include <optional>
#include <utility>

namespace purview::inline v0_1::engine {

/// Pairs below an expression, seen through a view: those of a leaf, of a gather or pieces that were
/// put together, or of a part that has been computed.
class SparseSource {
public:
    /// The memory of the pairs must outlive this.
    SparseSource(DType dtype, const SparsePairs& pairs, const Dimensions& view, const char* what)
        : dtype_(dtype), view_(view), what_(what), pairs_(pairs) {}
    SparseSource(DType dtype, OwnPairs own, const Dimensions& view, const char* what)
        : SparseSource(dtype, own.pairs(), view, what) {
        own_ = std::move(own);
    }

    DType dtype() const noexcept { return dtype_; }
    const SparsePairs& pairs() const noexcept { return pairs_; }
    const Dimensions& view() const noexcept { return view_; }
    /// Whether the view repeats entries, so that to look up given indexes is cheaper than to move
    /// all entries.
    bool repeats() const noexcept { return view_.is_broadcast(); }

    /// Whether the view shows neighbouring entries in their order.
    bool only_shifts() const;

    /// About how many entries the view has, each counted as often as it is repeated; of all, or of
    /// so many stored ones.
    double count_after_repetition() const noexcept {
        return count_after_repetition(pairs_.stored());
    }
    double count_after_repetition(index_t stored) const noexcept;

    /// The entries by row-major index in the view. Found by the first call, without a lock.
    const MovedEntries& moved() const;
    /// The pairs by index in the view, their values where they are; nothing where the view repeats
    /// entries or changes their order.
    std::optional<SparsePairs> pairs_in_order() const;
    /// The entries below the view, as a range of positions of the pairs.
    struct Positions {
        index_t begin = 0;
        index_t end = 0;
        bool are_all = false; ///< every element below the view is stored
    };
    Positions positions() const noexcept;
    /// The indexes, in the view, of the entries at some ascending positions.
    IndexSpan moved(const std::vector<index_t>& positions) const;
    /// The indexes, in the view, of entries that are infinite or NaN.
    IndexSpan not_finite() const;
    /// The indexes of a list at which an entry is stored, without moving all entries. O(list · log
    /// stored).
    IndexSpan stored_of(const IndexSpan& list) const;
    /// The elements at indexes: an operand of shape `[count]`, valid as long as this.
    Operand values_at(const IndexSpan& list) const;

private:
    class Lookup;

    const std::byte* value(index_t position) const noexcept {
        return static_cast<const std::byte*>(pairs_.values.data) +
               position * pairs_.values.stride_bytes;
    }
    /// The positions of the pairs at the indexes of a list, or -1, found among the moved entries.
    std::vector<index_t> moved_positions_of(const IndexSpan& list) const;
    /// The same found by addresses, block by block: calls `f(begin, positions)`.
    template <typename F>
    void look_up(const IndexSpan& list, F&& f) const;

    DType dtype_;
    Dimensions view_;
    const char* what_;
    SparsePairs pairs_;
    mutable std::optional<MovedEntries> moved_;
    OwnPairs own_; ///< empty where the pairs are borrowed
};

} // namespace purview::engine
