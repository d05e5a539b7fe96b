#pragma once

#include "engine/folds/fold_kind.hpp"
#include "engine/run/direct_run.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/runner.hpp"

namespace purview::inline v0_1::engine {

/// The purpose of a plan that folds a source to `groups` results: one may be folded in any order,
/// more are folded in row-major order.
Purpose fold_purpose(const FoldKind& kind, index_t groups);

/// Folds the elements [begin, begin + count) of a plan that was made for `fold_purpose`, in chunks,
/// on the calling thread.
FoldValue fold_part(const FoldKind& kind, Runner& runner, index_t begin, index_t count);
FoldValue fold_part(const FoldKind& kind, DirectRun& direct, index_t begin, index_t count);

/// The fold of a source that is a `FlatGraph` (element-wise operations over leaves in memory, in the
/// order of the root) to one element.
class FlatFold {
public:
    FlatFold() noexcept {} // leaves the graph indeterminate
    /// Whether the source is one. Asked once; `run` comes before the thread asks for another plan.
    bool find(Reduction reduction, const Operand& source);
    void run(std::byte* out) const;

private:
    FlatGraph graph_;
    const FoldKind* kind_ = nullptr;
    const Plan* plan_ = nullptr;
};

/// Cuts the row-major order of the source into `groups` equal parts and folds each of them to an
/// element of `out`, on several threads where that pays.
void fold_equal_groups(const FoldKind& kind, const Operand& source, index_t groups, std::byte* out);

} // namespace purview::engine
