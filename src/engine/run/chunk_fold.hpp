#pragma once

#include "engine/compile/plan_cache.hpp"
#include "engine/folds/folds.hpp"
#include "engine/run/runner.hpp"

#include <memory>

namespace purview::engine {

/// Folds ranges of the elements of an operand, in its row-major order, to one value each.
template <typename F>
class ChunkFold {
public:
    using T = typename F::Type;

    explicit ChunkFold(const Operand& source)
        : values_(source),
          plan_(plan_for(values_, {Walk::in_order, nullptr, F::kOp, F::neutral()})),
          runner_(*plan_, values_),
          lane_bytes_(std::get<TileStep>(plan_->steps.back()).program.lane_bytes),
          lanes_(accumulator_lanes(std::floating_point<T>, lane_bytes_)) {}

    T operator()(index_t begin, index_t count) {
        F::reset(runner_.accumulator(), lane_bytes_, lanes_);
        runner_.run(
            begin, count, kNoLimit, [](index_t, index_t) -> std::byte* { return nullptr; },
            [](index_t, index_t) {});
        return F::join(runner_.accumulator(), lane_bytes_, lanes_);
    }

    const Plan& plan() const noexcept { return *plan_; }

private:
    Values values_;
    std::shared_ptr<const Plan> plan_;
    Runner runner_;
    std::size_t lane_bytes_;
    std::size_t lanes_;
};

/// Computes ranges of the elements of an operand, in its row-major order, into memory.
class ChunkStore {
public:
    explicit ChunkStore(const Operand& source)
        : values_(source), plan_(plan_for(values_, {})), runner_(*plan_, values_) {}

    void operator()(index_t begin, index_t count, void* out) {
        const index_t size = plan_->dtype.size_bytes();
        runner_.run(
            begin, count, kNoLimit,
            [&](index_t at, index_t) { return static_cast<std::byte*>(out) + (at - begin) * size; },
            [](index_t, index_t) {});
    }

    const Plan& plan() const noexcept { return *plan_; }

private:
    Values values_;
    std::shared_ptr<const Plan> plan_;
    Runner runner_;
};

} // namespace purview::engine
