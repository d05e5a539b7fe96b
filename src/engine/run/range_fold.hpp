#pragma once

#include "engine/compile/plan_cache.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/run/runner.hpp"

#include <memory>

namespace purview::inline v0_1::engine {

/// Folds ranges of the elements of an operand, in its row-major order, to one value each.
class RangeFold {
public:
    /// `kind` is a fold of elements of the type of `source`.
    RangeFold(const FoldKind& kind, const Operand& source);

    FoldValue operator()(index_t begin, index_t count);

    const Plan& plan() const noexcept { return *plan_; }

private:
    const FoldKind& kind_;
    Values values_;
    std::shared_ptr<const Plan> plan_;
    Runner runner_;
    std::size_t lane_bytes_;
};

/// Computes ranges of the elements of an operand, in its row-major order, into memory.
class RangeStore {
public:
    explicit RangeStore(const Operand& source);

    void operator()(index_t begin, index_t count, void* out);

    const Values& values() const noexcept { return values_; }
    const Plan& plan() const noexcept { return *plan_; }

private:
    Values values_;
    std::shared_ptr<const Plan> plan_;
    Runner runner_;
};

} // namespace purview::engine
