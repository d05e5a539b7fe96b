#pragma once

#include <purview/expression/node.hpp>

#include "engine/realise/repeated_work.hpp"

namespace purview::engine {

/// False if nothing that an evaluation computes can be computed several times: what most operands are known by.
inline bool may_repeat_work(const Operand& source) noexcept {
    return source.node->nesting() > Node::kBoundary;
}

/// An operand made ready to be evaluated once, now: what `RepeatedWork` says has been computed into memory, and stands in
/// its place; gathers that it sends to the leaves read these. The operand itself where there is nothing of the kind. The
/// memory lives as long as this object; the operand has to outlive it.
///
/// What is sparse is left alone, unless its elements are to be read as if they were stored.
///
/// Where computing elements throws that the evaluation need not look at, it is left as lazy as it was; unless that would
/// take long: then what was thrown stays thrown.
class Ready {
public:
    enum class Sparse : bool { left_alone, as_dense };

    explicit Ready(const Operand& source, Sparse sparse = Sparse::left_alone) : operand_(&source) {
        if (may_repeat_work(source)) [[unlikely]]
            prepare(source, sparse);
    }
    Ready(const Ready&) = delete;
    Ready& operator=(const Ready&) = delete;

    const Operand& operator*() const noexcept { return *operand_; }

private:
    void prepare(const Operand& source, Sparse sparse);

    const Operand* operand_;
    Operand lowered_;
};

/// The operand with gathers of leaves, where `RepeatedWork` has nothing to compute first.
Operand with_leaf_gathers(const Operand& source, const RepeatedWork& work);

/// The operand over memory that holds nothing yet, or never: what an evaluation is planned for.
Operand over_imagined_memory(const Operand& source, const RepeatedWork& work);

} // namespace purview::engine
