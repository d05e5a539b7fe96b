#pragma once

#include <purview/expression/opaque_stage.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include <algorithm>
#include <memory>

namespace purview::inline v0_1 {

/// A reducer of one's own in a traced computation, of equal parts of the row-major order of an operand.
class ReducerStage final : public StageFunction {
public:
    ReducerStage(std::shared_ptr<const FunctionReducer> own, bool skips_nan, index_t groups)
        : own_(std::move(own)), skips_nan_(skips_nan), groups_(groups) {
        if (skips_nan) numbers_ = numbers_only(*own_);
    }

    const FunctionReducer& own() const noexcept { return *own_; }
    bool skips_nan() const noexcept { return skips_nan_; }
    index_t groups() const noexcept { return groups_; }

    std::string_view name() const noexcept override { return own_->name(); }
    std::vector<ResultType> results(std::span<const Operand>) const override {
        return {{own_->result(), {groups_ * own_->results_of(1)}}};
    }
    void run(std::span<const Operand> operands, std::span<void* const> outs) const override {
        reduce_groups(skips_nan_ ? *numbers_ : *own_, operands[0], groups_, outs[0]);
    }
    bool does_same(const StageFunction& other) const noexcept override {
        const auto* const stage = dynamic_cast<const ReducerStage*>(&other);
        return stage != nullptr && stage->own_ == own_ && stage->skips_nan_ == skips_nan_ &&
               stage->groups_ == groups_;
    }

private:
    std::shared_ptr<const FunctionReducer> own_;
    std::unique_ptr<const Reducer> numbers_;
    bool skips_nan_;
    index_t groups_;
};

} // namespace purview
