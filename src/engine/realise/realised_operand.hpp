#pragma once

#include <purview/expression/node.hpp>

#include "engine/realise/repeated_work.hpp"
#include "reader/chunk_cache.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// False if an evaluation cannot compute anything several times, which holds for most operands. A
/// cheap test.
inline bool may_repeat_work(const Operand& source) noexcept {
    return source.node->recomputations() > Node::kRecomputedByGather;
}
/// Whether an operand is evaluated as another one (`RealisedOperand`): its work may repeat, or it is a gather that is a
/// view.
inline bool may_be_replaced(const Operand& source) noexcept {
    const Gather* const gather = gather_of(source);
    return may_repeat_work(source) || (gather != nullptr && gather->view() != nullptr);
}

/// An operand to be evaluated once, now, with what is worth it realised: nodes that `RepeatedWork` realises are computed
/// into memory, which is read in their place, and gathers that it sends to the leaves gather these. A gather that is a
/// view of its source is that view.
/// The operand itself where there is nothing of the kind. The memory lives as long as this object;
/// the operand has to outlive it.
///
/// What is sparse is left alone, unless its elements are to be read as if they were stored.
///
/// If computing a node throws, the operand is left as lazy as it was, since the evaluation may not
/// need the element that throws; unless evaluating lazily would take long: then the exception is
/// passed on.
class RealisedOperand {
public:
    enum class Sparse : bool { left_alone, as_dense };

    explicit RealisedOperand(const Operand& source, Sparse sparse = Sparse::left_alone)
        : operand_(&source) {
        if (may_be_replaced(source)) [[unlikely]]
            realise(source, sparse);
    }
    /// For an operation that reads its source in an order of its own: expressions over arrays of
    /// chunks are computed as a whole, cell by cell. Throws `MemoryLimitError` naming `what` where
    /// they do not fit.
    RealisedOperand(const char* what, const Operand& source) : operand_(&source) {
        if (source.node->reads(Below::blocks)) [[unlikely]]
            realise_chunks(what, source);
        else if (may_repeat_work(source)) [[unlikely]]
            realise(source, Sparse::left_alone);
    }
    RealisedOperand(const RealisedOperand&) = delete;
    RealisedOperand& operator=(const RealisedOperand&) = delete;

    const Operand& operator*() const noexcept { return *operand_; }

private:
    void realise(const Operand& source, Sparse sparse);
    void realise_chunks(const char* what, const Operand& source);

    const Operand* operand_;
    std::optional<Operand> lowered_;
    CountedBytes counted_; ///< of chunks in memory
};

/// The operand with gathers of leaves where `work` asks for them. Nodes that `work` realises stay
/// as they are.
Operand with_leaf_gathers(const Operand& source, const RepeatedWork& work);

/// The operand with a leaf for each realised node, over memory that does not exist: for planning an
/// evaluation without computing anything. No element of it may be read.
Operand over_imagined_memory(const Operand& source, const RepeatedWork& work);

} // namespace purview::engine
